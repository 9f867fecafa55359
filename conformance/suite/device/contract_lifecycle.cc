// Contract cases of the plugin's and the device's life: enumerate, open and close, load
// and unload.
#include <cstring>
#include <set>

#include "conformance/suite/device/contract.h"
#include "conformance/suite/device/footprint.h"
#include "core/plugin/loader.h"

namespace berth::conformance {
namespace {

struct Listing {
  uint32_t count = 0;
  const berth_device_info* const* infos = nullptr;
};

Result<Listing> Enumerate(const Subject& subject) {
  Listing listing;
  berth_error error = EmptyError();
  BERTH_RETURN_IF_ERROR(
      Taken(subject.api().enumerate(subject.plugin().table->context, &listing.count,
                                    &listing.infos, &error),
            &error, "enumerate"));
  return listing;
}

bool SameText(const char* a, const char* b) {
  return std::strcmp(a != nullptr ? a : "", b != nullptr ? b : "") == 0;
}

Result<Finding> EnumerateTwice(const Subject& subject) {
  BERTH_ASSIGN_OR_RETURN(const Listing first, Enumerate(subject));
  BERTH_ASSIGN_OR_RETURN(const Listing second, Enumerate(subject));
  bool same = first.count == second.count;
  for (uint32_t i = 0; same && i < first.count; ++i) {
    const berth_device_info& a = *first.infos[i];
    const berth_device_info& b = *second.infos[i];
    same = SameText(a.type, b.type) && a.index == b.index && a.flags == b.flags &&
           SameText(a.physical_id, b.physical_id) && a.memory_bytes == b.memory_bytes &&
           a.base_alignment == b.base_alignment;
  }
  if (same) return Finding{};
  return Finding{fault::kContract, "two calls of enumerate list different devices"};
}

Result<Finding> EnumerateIsWhole(const Subject& subject) {
  BERTH_ASSIGN_OR_RETURN(const Listing listing, Enumerate(subject));
  std::set<std::pair<std::string, int32_t>> seen;
  for (uint32_t i = 0; i < listing.count; ++i) {
    const berth_device_info& info = *listing.infos[i];
    const std::string name = std::string(info.type) + ":" + std::to_string(info.index);
    if (!seen.insert({info.type, info.index}).second) {
      return Finding{fault::kContract, name + " is listed twice"};
    }
    for (const char* text : {info.name, info.physical_id, info.driver}) {
      if (text == nullptr || *text == '\0') {
        return Finding{
            fault::kContract,
            name + " lacks its name, physical_id or driver: reports need them"};
      }
    }
  }
  for (const auto& [type, index] : seen) {
    if (index > 0 && seen.count({type, index - 1}) == 0) {
      return Finding{fault::kContract, "the indices of " + type + " have a gap before " +
                                           std::to_string(index)};
    }
  }
  return Finding{};
}

// Opens a device of the list once more, uses and closes it.
Status OpenUseClose(const berth_plugin& table, const berth_device_api& api,
                    uint32_t list_index) {
  berth_open_args args = {};
  args.struct_size = sizeof(args);
  args.device_list_index = list_index;
  berth_device* device = nullptr;
  berth_error error = EmptyError();
  BERTH_RETURN_IF_ERROR(
      Taken(api.open(table.context, &args, &device, &error), &error, "open"));
  berth_memory* memory = nullptr;
  error = EmptyError();
  Status allocated =
      Taken(api.allocate(device, BERTH_MEMORY_DEVICE, 4096, &memory, &error), &error,
            "allocate");
  if (memory != nullptr) api.free(device, memory);
  api.close(device);
  return allocated;
}

Result<Finding> OpenClose100(const Subject& subject) {
  for (int i = 0; i < 100; ++i)
    BERTH_RETURN_IF_ERROR(OpenUseClose(*subject.plugin().table, subject.api(), 0));
  return Finding{};
}

Result<Finding> OpenUnknown(const Subject& subject) {
  const Status status = OpenUseClose(*subject.plugin().table, subject.api(), 1000000);
  if (status.ok()) {
    return Finding{fault::kAcceptsBadInput, "open of device number 1000000 succeeds"};
  }
  if (status.message().empty()) {
    return Finding{fault::kContract,
                   "open of device number 1000000 fails without a message"};
  }
  return Finding{};
}

// The plugin's part of a load, a use and an unload.
Status InitUseShutdown(const berth_plugin& table, const berth_device_api& api) {
  berth_error error = EmptyError();
  if (table.init != nullptr) {
    BERTH_RETURN_IF_ERROR(Taken(table.init(table.context, &error), &error, "init"));
  }
  uint32_t count = 0;
  const berth_device_info* const* infos = nullptr;
  error = EmptyError();
  BERTH_RETURN_IF_ERROR(
      Taken(api.enumerate(table.context, &count, &infos, &error), &error, "enumerate"));
  if (count == 0) return Internal("enumerate lists no device any more");
  Status used = OpenUseClose(table, api, 0);
  if (table.shutdown != nullptr) table.shutdown(table.context);
  return used;
}

// Growth between the tenth round and the last: what a driver keeps for good it has by
// then. The loader's own records, which stay for the process's life, are left out: the
// rounds call the plugin alone.
CaseResult LoadUnload100(const std::shared_ptr<SubjectHolder>& holder) {
  const Result<const Subject*> subject = holder->Get();
  if (!subject.ok()) return ToResult(subject.status());
  const berth_plugin table = *(*subject)->plugin().table;
  const berth_device_api api = (*subject)->api();
  holder->Drop();
  Footprint early = Footprint::Now();
  for (int i = 0; i < 100; ++i) {
    const Status status = InitUseShutdown(table, api);
    if (!status.ok()) {
      return ToResult(status.WithPrefix("round " + std::to_string(i) + ": "));
    }
    if (i == 9) early = Footprint::Now();
  }
  const Footprint late = Footprint::Now();
  const auto grown = [](const char* what, int64_t from, int64_t to) {
    return ToResult(Finding{
        fault::kLeak, "90 rounds of init, use and shutdown raised " + std::string(what) +
                          " from " + std::to_string(from) + " to " + std::to_string(to)});
  };
  if (late.threads > early.threads) return grown("threads", early.threads, late.threads);
  if (late.files > early.files) return grown("open files", early.files, late.files);
  if (late.heap > early.heap + 90 * 64) {
    return grown("bytes of heap", early.heap, late.heap);
  }
  return {};
}

// By way of the loader, with work on the device each time.
CaseResult Reload(const std::shared_ptr<SubjectHolder>& holder) {
  for (int i = 0; i < 10; ++i) {
    holder->Drop();
    const Result<const Subject*> subject = holder->Get();
    if (!subject.ok()) return ToResult(subject.status());
    const Result<std::unique_ptr<Stream>> stream = Stream::Make(**subject);
    if (!stream.ok()) return ToResult(stream.status());
    Result<Memory> memory = Memory::Make(**subject, 4096);
    if (!memory.ok()) return ToResult(memory.status());
    const Status written = memory->Write(**stream, Pattern(4096, 1));
    if (!written.ok()) return ToResult(written);
  }
  return {};
}

}  // namespace

void AddLifecycleCases(const std::shared_ptr<SubjectHolder>& holder,
                       std::vector<Case>* cases) {
  cases->push_back(ContractCase(holder, "enumerate/twice", EnumerateTwice));
  cases->push_back(ContractCase(holder, "enumerate/whole", EnumerateIsWhole));
  cases->push_back(ContractCase(holder, "open/close-100", OpenClose100));
  cases->push_back(ContractCase(holder, "open/unknown", OpenUnknown));
  Case unload;
  unload.name = "contract/load/unload-100";
  unload.limit_seconds = 120;
  unload.run = [holder] { return LoadUnload100(holder); };
  cases->push_back(std::move(unload));
  Case reload;
  reload.name = "contract/load/again";
  reload.run = [holder] { return Reload(holder); };
  cases->push_back(std::move(reload));
}

}  // namespace berth::conformance
