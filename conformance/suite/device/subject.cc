#include "conformance/suite/device/subject.h"

#include <algorithm>
#include <utility>

#include "core/plugin/plugin_table.h"
#include "core/plugin/search.h"

namespace berth::conformance {
namespace {

Result<Device*> ChooseDevice(const LoadedPlugin& plugin, const SuiteOptions& options) {
  std::string have;
  for (const std::unique_ptr<Device>& device : plugin.devices) {
    const DeviceDesc& desc = device->desc();
    if ((options.device_type.empty() || options.device_type == desc.type) &&
        options.device_index == desc.index) {
      return device.get();
    }
    have += (have.empty() ? "" : ", ") + desc.type + ":" + std::to_string(desc.index);
  }
  if (plugin.devices.empty()) {
    return FailedPrecondition(
        "plugin " + plugin.name + " finds no device: " +
        (plugin.why_no_device.empty() ? "it does not say why" : plugin.why_no_device));
  }
  return NotFound("plugin " + plugin.name + " has no device " + options.device_type +
                  ":" + std::to_string(options.device_index) + "; it has " + have);
}

// As the registry tries them: by falling priority, then in the order of the table.
std::vector<const KernelEntry*> RowsFor(const std::string& device_type) {
  std::vector<const KernelEntry*> rows;
  for (const KernelEntry* entry : KernelRegistry::Global()->AllRows()) {
    if (entry->device_type == device_type && entry->def != nullptr) rows.push_back(entry);
  }
  std::stable_sort(
      rows.begin(), rows.end(), [](const KernelEntry* a, const KernelEntry* b) {
        return a->def->priority != b->def->priority ? a->def->priority > b->def->priority
                                                    : a->order < b->order;
      });
  return rows;
}

}  // namespace

Status Taken(berth_status_code code, berth_error* error, const char* call) {
  return TakeError(code, error, call);
}

void Subject::SetOptions(const std::string& plugin, const SuiteOptions& options) {
  for (const auto& [key, value] : options.plugin_options) {
    manager_.SetOption(plugin, key, value);
  }
}

Result<std::unique_ptr<Subject>> Subject::Open(const SuiteOptions& options) {
  std::unique_ptr<Subject> subject(new Subject());
  const std::string guess = PluginNameFromFile(options.plugin_path);
  subject->SetOptions(guess, options);
  BERTH_RETURN_IF_ERROR(subject->manager_.Load(options.plugin_path));
  std::vector<const LoadedPlugin*> plugins = subject->manager_.Plugins();
  if (plugins.empty()) return Internal("the loader loaded nothing and said so nowhere");
  if (plugins.front()->name != guess && !options.plugin_options.empty()) {
    // Options count under the name that the plugin has said by now.
    const std::string name = plugins.front()->name;
    subject->SetOptions(name, options);
    BERTH_RETURN_IF_ERROR(subject->manager_.Unload(name));
    BERTH_RETURN_IF_ERROR(subject->manager_.Load(options.plugin_path));
    plugins = subject->manager_.Plugins();
  }
  subject->plugin_ = plugins.front();
  BERTH_ASSIGN_OR_RETURN(subject->device_, ChooseDevice(*subject->plugin_, options));
  BERTH_ASSIGN_OR_RETURN(subject->handle_, subject->device_->Open());
  subject->rows_ = RowsFor(subject->desc().type);
  return subject;
}

SubjectInfo Subject::Describe() const {
  SubjectInfo info;
  info.plugin_path = plugin_->path;
  info.plugin_name = plugin_->name;
  info.plugin_version = plugin_->version;
  info.abi_version =
      AbiText(std::min<uint32_t>(plugin_->table->abi_max, BERTH_ABI_CURRENT));
  info.device = desc().display_name;
  info.driver = desc().driver;
  info.device_type = desc().type;
  return info;
}

Result<std::unique_ptr<Stream>> Stream::Make(const Subject& subject) {
  std::unique_ptr<Stream> stream(new Stream(subject));
  berth_error error = EmptyError();
  BERTH_RETURN_IF_ERROR(
      Taken(subject.api().create_stream(subject.device(), &stream->stream_, &error),
            &error, "create_stream"));
  return stream;
}

Stream::~Stream() {
  if (stream_ != nullptr) subject_.api().destroy_stream(stream_);
}

Status Stream::Synchronize() const {
  berth_error error = EmptyError();
  return Taken(subject_.api().synchronize_stream(stream_, &error), &error,
               "synchronize_stream");
}

Status Stream::Copy(const berth_copy_args& args) const {
  berth_error error = EmptyError();
  return Taken(subject_.api().copy(stream_, &args, &error), &error, "copy");
}

Result<Memory> Memory::Make(const Subject& subject, uint64_t size,
                            berth_memory_kind kind) {
  berth_memory* memory = nullptr;
  berth_error error = EmptyError();
  BERTH_RETURN_IF_ERROR(
      Taken(subject.api().allocate(subject.device(), kind, size, &memory, &error), &error,
            "allocate"));
  if (memory == nullptr) {
    return Internal("allocate of " + std::to_string(size) +
                    " bytes returned OK and no memory");
  }
  return Memory(subject, memory, size);
}

Memory::Memory(Memory&& other) noexcept
    : subject_(other.subject_),
      memory_(std::exchange(other.memory_, nullptr)),
      size_(other.size_) {}

Memory& Memory::operator=(Memory&& other) noexcept {
  std::swap(subject_, other.subject_);
  std::swap(memory_, other.memory_);
  std::swap(size_, other.size_);
  return *this;
}

Memory::~Memory() {
  if (memory_ != nullptr) subject_->api().free(subject_->device(), memory_);
}

char* Memory::address() const {
  return static_cast<char*>(subject_->api().host_address(subject_->device(), memory_));
}

Status Memory::Write(const Stream& stream, const std::vector<char>& bytes,
                     uint64_t offset) {
  berth_copy_args args = {};
  args.struct_size = sizeof(args);
  args.direction = BERTH_COPY_HOST_TO_DEVICE;
  args.size = bytes.size();
  args.source_host = bytes.data();
  args.target = memory_;
  args.target_offset = offset;
  BERTH_RETURN_IF_ERROR(stream.Copy(args));
  return stream.Synchronize();
}

Status Memory::Read(const Stream& stream, std::vector<char>* bytes,
                    uint64_t offset) const {
  berth_copy_args args = {};
  args.struct_size = sizeof(args);
  args.direction = BERTH_COPY_DEVICE_TO_HOST;
  args.size = bytes->size();
  args.target_host = bytes->data();
  args.source = memory_;
  args.source_offset = offset;
  BERTH_RETURN_IF_ERROR(stream.Copy(args));
  return stream.Synchronize();
}

}  // namespace berth::conformance
