#include "core/plugin/loader.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <deque>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/base/logging.h"
#include "core/plugin/cache.h"
#include "core/plugin/dll_file.h"
#include "core/plugin/file_check.h"
#include "core/plugin/host_table.h"
#include "core/plugin/plugin_entry.h"
#include "core/plugin/search.h"

namespace berth {

std::string_view LoadStageName(LoadStage stage) {
  switch (stage) {
    case LoadStage::kFind:
      return "find";
    case LoadStage::kPermissions:
      return "permissions";
    case LoadStage::kOpen:
      return "open";
    case LoadStage::kMissingLibrary:
      return "missing library";
    case LoadStage::kSymbol:
      return "symbol";
    case LoadStage::kVersion:
      return "version";
    case LoadStage::kInit:
      return "init";
    case LoadStage::kRegister:
      return "register";
    case LoadStage::kNoDevice:
      return "no device";
    case LoadStage::kQuarantined:
      return "quarantined";
    case LoadStage::kLoaded:
      return "loaded";
    case LoadStage::kDuplicate:
      return "duplicate";
  }
  return "unknown";
}

struct PluginManager::Impl {
  PluginOptions options;
  // One load or unload at a time; plugin code runs under it.
  absl::Mutex load_mutex;
  bool searched ABSL_GUARDED_BY(load_mutex) = false;
  // In the default search, a file that two folders lead to has one record.
  bool searching ABSL_GUARDED_BY(load_mutex) = false;
  std::vector<FileId> seen ABSL_GUARDED_BY(load_mutex);
  // Never erased: plugins are never unmapped and may keep their host table's address.
  std::deque<std::unique_ptr<PluginEntry>> entries ABSL_GUARDED_BY(load_mutex);

  mutable absl::Mutex mutex;
  std::vector<PluginEntry*> active ABSL_GUARDED_BY(mutex);
  std::vector<CandidateRecord> records ABSL_GUARDED_BY(mutex);

  CandidateRecord TryFile(const std::string& path, std::string_view found_by, Code* code)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(load_mutex);
  bool Start(PluginEntry* entry, LoadFailure* failure)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(load_mutex);
  void SearchFolder(const std::string& folder, std::string_view found_by)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(load_mutex);
  void Stop(PluginEntry* entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(load_mutex);

  std::vector<PluginEntry*> Active() const {
    absl::MutexLock lock(&mutex);
    return active;
  }
  void Keep(CandidateRecord record) {
    absl::MutexLock lock(&mutex);
    records.push_back(std::move(record));
  }
  // Loads and keeps the record.
  void LoadFound(const std::string& path, std::string_view found_by)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(load_mutex) {
    Code code = Code::kOk;
    CandidateRecord record = TryFile(path, found_by, &code);
    LogRecord(record);
    Keep(std::move(record));
  }
  // True for a file that comes for the second time in the default search.
  bool IsSeen(const std::string& path) ABSL_EXCLUSIVE_LOCKS_REQUIRED(load_mutex) {
    const Result<FileId> id = IdentifyFile(path);
    if (!searching || !id.ok()) return false;
    if (std::find(seen.begin(), seen.end(), *id) != seen.end()) return true;
    seen.push_back(*id);
    return false;
  }
  static void LogRecord(const CandidateRecord& record);
};

namespace {

void FillRecord(const LoadFailure& failure, CandidateRecord* record) {
  record->stage = failure.stage;
  record->message = failure.message;
  record->remedy = failure.remedy;
}

void FillRecord(const PluginEntry& entry, CandidateRecord* record) {
  const LoadedPlugin& plugin = entry.plugin;
  record->name = plugin.name;
  record->version = plugin.version;
  record->stage = plugin.devices.empty() ? LoadStage::kNoDevice : LoadStage::kLoaded;
  record->message = plugin.why_no_device;
  if (!entry.note.empty()) {
    record->message += (record->message.empty() ? "" : "; ") + entry.note;
  }
  for (const auto& device : plugin.devices) {
    record->device_names.push_back(device->name());
  }
}

std::string RecordText(const CandidateRecord& record) {
  std::string text = record.path + ": " + std::string(LoadStageName(record.stage));
  if (!record.message.empty()) text += ": " + record.message;
  if (!record.remedy.empty()) text += " (" + record.remedy + ")";
  return text;
}

}  // namespace

void PluginManager::Impl::LogRecord(const CandidateRecord& record) {
  const bool failed = !record.loaded() && record.stage != LoadStage::kDuplicate;
  // A file without our symbol is somebody else's: nothing to worry about.
  const bool worth_a_warning = failed && record.stage != LoadStage::kSymbol;
  Log(worth_a_warning ? LogLevel::kWarning : LogLevel::kInfo,
      "plugin " + RecordText(record));
}

CandidateRecord PluginManager::Impl::TryFile(const std::string& path,
                                             std::string_view found_by, Code* code) {
  CandidateRecord record;
  record.path = path;
  record.found_by = found_by;
  LoadFailure failure;
  const Result<FileId> id = IdentifyFile(path);
  if (!id.ok()) {
    FillRecord({LoadStage::kFind, std::string(id.status().message()),
                "check that the path is right", id.status().code()},
               &record);
    *code = id.status().code();
    return record;
  }
  PluginEntry* known = nullptr;
  for (const auto& entry : entries) {
    if (entry->has_file && entry->file == *id) known = entry.get();
  }
  if (known != nullptr && known->is_active) {
    record.stage = LoadStage::kDuplicate;
    record.name = known->plugin.name;
    record.message = "this file is loaded already, as " + known->plugin.path;
    return record;
  }
  const Distrust distrust = CheckPluginTrust(path);
  if (!distrust.trusted()) {
    FillRecord({LoadStage::kPermissions, distrust.message, distrust.remedy,
                Code::kPermissionDenied},
               &record);
    *code = Code::kPermissionDenied;
    return record;
  }
  if (known == nullptr) {
    auto entry = std::make_unique<PluginEntry>(path, &options);
    entry->has_file = true;
    entry->file = *id;
    // A relative name without '/' would be searched for in the system's folders.
    entry->query = OpenPluginFile(
        path.find('/') == std::string::npos ? "./" + path : path, &failure);
    if (entry->query == nullptr) {
      FillRecord(failure, &record);
      *code = failure.code;
      return record;
    }
    known = entry.get();
    entries.push_back(std::move(entry));
  }
  if (!Start(known, &failure)) {
    record.name = known->plugin.name;
    record.version = known->plugin.version;
    FillRecord(failure, &record);
    *code = failure.code;
    return record;
  }
  FillRecord(*known, &record);
  return record;
}

bool PluginManager::Impl::Start(PluginEntry* entry, LoadFailure* failure) {
  const std::vector<PluginEntry*> others = Active();
  if (!entry->Start(others, &options, failure)) return false;
  absl::MutexLock lock(&mutex);
  active.push_back(entry);
  return true;
}

void PluginManager::Impl::Stop(PluginEntry* entry) {
  {
    absl::MutexLock lock(&mutex);
    std::erase(active, entry);
  }
  entry->Stop();
}

void PluginManager::Impl::SearchFolder(const std::string& folder,
                                       std::string_view found_by) {
  CandidateRecord record;
  record.path = folder;
  record.found_by = found_by;
  const Result<std::vector<std::string>> files = ListPluginFiles(folder);
  if (!files.ok()) {
    FillRecord({LoadStage::kFind, std::string(files.status().message()),
                "check that the path is right", files.status().code()},
               &record);
    // An install without plugins is no fault of the user's.
    if (found_by != "install folder") LogRecord(record);
    Keep(std::move(record));
    return;
  }
  const Distrust distrust = CheckTrust(folder);
  if (!distrust.trusted()) {
    FillRecord({LoadStage::kPermissions, distrust.message, distrust.remedy,
                Code::kPermissionDenied},
               &record);
    LogRecord(record);
    Keep(std::move(record));
    return;
  }
  for (const std::string& file : *files) {
    if (!IsSeen(file)) LoadFound(file, found_by);
  }
}

PluginManager* PluginManager::Global() {
  // Never destroyed: plugins may run until the process ends.
  static auto* manager = new PluginManager();
  return manager;
}

PluginManager::PluginManager() : impl_(std::make_unique<Impl>()) {
  const char* text = secure_getenv("BERTH_PLUGIN_OPTIONS");
  if (text == nullptr) return;
  const Status status = impl_->options.SetFromText(text);
  if (!status.ok()) {
    Log(LogLevel::kWarning, "BERTH_PLUGIN_OPTIONS: " + std::string(status.message()) +
                                "; the rest is ignored");
  }
}

PluginManager::~PluginManager() {
  {
    absl::MutexLock lock(&impl_->load_mutex);
    for (PluginEntry* entry : impl_->Active()) impl_->Stop(entry);
    if (impl_->entries.empty()) return;
  }
  // Plugins may hold their host tables for the process's life, and with them the options
  // and the cache.
  static absl::Mutex mutex(absl::kConstInit);
  static auto* kept = new std::vector<std::unique_ptr<Impl>>();
  absl::MutexLock lock(&mutex);
  kept->push_back(std::move(impl_));
}

void PluginManager::LoadDefault() {
  absl::MutexLock lock(&impl_->load_mutex);
  if (impl_->searched) return;
  impl_->searched = impl_->searching = true;
  for (const std::string& entry : PluginPathEntries()) {
    if (IdentifyFile(entry).ok()) {
      if (!impl_->IsSeen(entry)) impl_->LoadFound(entry, "BERTH_PLUGIN_PATH");
    } else {
      impl_->SearchFolder(entry, "BERTH_PLUGIN_PATH");
    }
  }
  const std::string folder = InstallPluginFolder();
  if (!folder.empty()) impl_->SearchFolder(folder, "install folder");
  impl_->searching = false;
}

Status PluginManager::Load(const std::string& path) {
  absl::MutexLock lock(&impl_->load_mutex);
  Code code = Code::kOk;
  const CandidateRecord record = impl_->TryFile(path, "explicit", &code);
  impl_->Keep(record);
  if (code == Code::kOk) return OkStatus();
  return {code, "plugin " + RecordText(record)};
}

void PluginManager::LoadFolder(const std::string& folder, std::string_view found_by) {
  absl::MutexLock lock(&impl_->load_mutex);
  impl_->SearchFolder(folder, found_by);
}

Status PluginManager::Unload(std::string_view plugin_name) {
  absl::MutexLock lock(&impl_->load_mutex);
  for (PluginEntry* entry : impl_->Active()) {
    if (entry->plugin.name != plugin_name) continue;
    BERTH_RETURN_IF_ERROR(entry->RetireDevices());
    impl_->Stop(entry);
    return OkStatus();
  }
  std::string names;
  for (const PluginEntry* entry : impl_->Active()) {
    names += (names.empty() ? "" : ", ") + entry->plugin.name;
  }
  return NotFound("no plugin '" + std::string(plugin_name) + "' is loaded; there " +
                  (names.empty() ? "is none" : "are " + names));
}

Status PluginManager::RegisterStatic(const berth_plugin* table,
                                     const std::string& label) {
  absl::MutexLock lock(&impl_->load_mutex);
  CandidateRecord record;
  record.path = label;
  record.found_by = "static";
  for (const auto& entry : impl_->entries) {
    if (entry->static_table == table && entry->is_active) return OkStatus();
  }
  auto entry = std::make_unique<PluginEntry>(label, &impl_->options);
  entry->static_table = table;
  LoadFailure failure;
  const bool started = impl_->Start(entry.get(), &failure);
  if (started) {
    FillRecord(*entry, &record);
  } else {
    FillRecord(failure, &record);
  }
  impl_->entries.push_back(std::move(entry));
  impl_->Keep(record);
  if (started) return OkStatus();
  return {failure.code, "plugin " + RecordText(record)};
}

void PluginManager::SetOption(const std::string& plugin, const std::string& key,
                              const std::string& value) {
  impl_->options.Set(plugin, key, value);
}

std::vector<CandidateRecord> PluginManager::Records() const {
  absl::MutexLock lock(&impl_->mutex);
  return impl_->records;
}

std::vector<const LoadedPlugin*> PluginManager::Plugins() const {
  std::vector<const LoadedPlugin*> plugins;
  for (const PluginEntry* entry : impl_->Active()) plugins.push_back(&entry->plugin);
  return plugins;
}

std::vector<Device*> PluginManager::Devices() const {
  std::vector<Device*> devices;
  for (const PluginEntry* entry : impl_->Active()) {
    for (const auto& device : entry->plugin.devices) devices.push_back(device.get());
  }
  std::stable_sort(devices.begin(), devices.end(), [](const Device* a, const Device* b) {
    if (a->is_host() != b->is_host()) return a->is_host();
    if (a->desc().priority != b->desc().priority) {
      return a->desc().priority > b->desc().priority;
    }
    if (a->type() != b->type()) return a->type() < b->type();
    return a->desc().index < b->desc().index;
  });
  return devices;
}

std::string PluginManager::WhyAbsent(std::string_view device_type) const {
  std::string why;
  for (const PluginEntry* entry : impl_->Active()) {
    for (const auto& device : entry->plugin.devices) {
      if (device->type() == device_type) return "";
    }
    if (entry->plugin.devices.empty() && entry->BringsType(device_type)) {
      why += (why.empty() ? "" : "; ") + ("plugin " + entry->plugin.name) +
             ": no device: " + entry->plugin.why_no_device;
    }
  }
  if (!why.empty()) return why;
  why = "no loaded plugin brings the device type " + std::string(device_type);
  for (const CandidateRecord& record : Records()) {
    const bool failed = !record.loaded() && record.stage != LoadStage::kDuplicate &&
                        record.stage != LoadStage::kSymbol;
    if (failed) why += "; not loaded: " + RecordText(record);
  }
  return why;
}

}  // namespace berth
