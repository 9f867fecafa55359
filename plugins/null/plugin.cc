// The null plugin: device type NULL.
#include "sdk/cpp/plugin.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "plugins/null/device.h"
#include "plugins/null/kernels.h"

namespace berth::null_plugin {
namespace {

using sdk::Result;
using sdk::Status;

// Made once, at the first query, and never destroyed. Nothing may be opened or started
// here: a user who only lists plugins must not wait for hardware.
class NullPlugin : public sdk::Plugin {
 public:
  explicit NullPlugin(sdk::Host host) : table_("NULL") {
    // Options come from BERTH_PLUGIN_OPTIONS='null.devices=1' or the host's own calls.
    const char* devices = host.Option("devices");
    lists_device_ = devices != nullptr && std::strcmp(devices, "1") == 0;
    // The support list is static in a real plugin: it can be printed with no device
    // present. Here it would only tell users of kernels that do not exist.
    if (lists_device_) RegisterKernels(table_);
  }

  // The name is the one in options and messages: letters, digits, '_' and '-'.
  Identity identity() const override { return {"null", "0.1.0", "berth"}; }

  // Init() is called after the version check, Shutdown() at an unload; both may come
  // again. Stop your threads and free your memory in Shutdown: the file stays mapped.

  Status Enumerate(std::vector<sdk::DeviceInfo>* out, std::string* why_none) override {
    if (!lists_device_) {
      *why_none =
          "the null plugin is a skeleton for vendors; option devices=1 makes it list a "
          "device that can do nothing";
      return {};
    }
    sdk::DeviceInfo info;
    info.type = "NULL";
    info.index = 0;
    info.priority = 1;  // accelerators take 200 and more; the CPU has 70
    info.name = "null device";
    info.physical_id = "null:0";  // "pci:0000:3b:00.0" for hardware
    info.driver = "none";
    info.memory_bytes = 0;
    info.base_alignment = 64;
    // Without memory the host's own ops cannot run here either. A real device leaves this
    // flag out.
    info.flags = BERTH_DEVICE_LISTS_CORE_OPS;
    out->push_back(std::move(info));
    return {};
  }

  // `list_index` is an entry of Enumerate's list.
  Result<std::unique_ptr<sdk::Device>> Open(uint32_t) override {
    return std::unique_ptr<sdk::Device>(std::make_unique<NullDevice>());
  }

  const std::vector<const berth_kernel_def*>& kernels() override { return table_.defs(); }

  // Known even when there is no device: it answers "why is there no NULL:0?".
  std::vector<const char*> device_types() override { return {"NULL"}; }

  // ops() brings ops of your own, named "Vendor>Op"; device_extensions() the hook that
  // compiles groups of nodes (<berth/compile.h>).

 private:
  sdk::KernelTable table_;
  bool lists_device_ = false;
};

std::unique_ptr<sdk::Plugin> MakePlugin(sdk::Host host) {
  return std::make_unique<NullPlugin>(host);
}

}  // namespace
}  // namespace berth::null_plugin

BERTH_PLUGIN(&berth::null_plugin::MakePlugin)
