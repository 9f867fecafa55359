// The plugin: who it is, which devices there are, what they support.
#include "sdk/cpp/plugin.h"

#include "device.h"
#include "kernels.h"

namespace mydevice {

class Plugin : public berth::sdk::Plugin {
 public:
  Plugin() : table_("MYDEVICE") { RegisterKernels(table_); }

  // "mydevice" is the name in options and messages.
  Identity identity() const override { return {"mydevice", "0.1.0", "my company"}; }

  // Without hardware list nothing and say why in *why_none.
  Status Enumerate(std::vector<berth::sdk::DeviceInfo>* out, std::string*) override {
    berth::sdk::DeviceInfo info;
    info.type = "MYDEVICE";
    info.index = 0;
    info.priority = 200;  // above the CPU's 70: ops come here where nobody asks otherwise
    info.name = "my device";
    info.physical_id = "mydevice:0";
    info.driver = "none: it computes on the host";
    info.base_alignment = kAlignment;
    info.flags =
        BERTH_DEVICE_IS_HOST | BERTH_DEVICE_SYNCHRONOUS | BERTH_DEVICE_SHARES_HOST_MEMORY;
    out->push_back(std::move(info));
    return {};
  }

  Result<std::unique_ptr<berth::sdk::Device>> Open(uint32_t list_index) override {
    if (list_index != 0)
      return berth::sdk::InvalidArgument("there is one device, number 0");
    return std::unique_ptr<berth::sdk::Device>(std::make_unique<Device>());
  }

  const std::vector<const berth_kernel_def*>& kernels() override { return table_.defs(); }

 private:
  berth::sdk::KernelTable table_;
};

std::unique_ptr<berth::sdk::Plugin> MakePlugin(berth::sdk::Host) {
  return std::make_unique<Plugin>();
}

}  // namespace mydevice

BERTH_PLUGIN(&mydevice::MakePlugin)
