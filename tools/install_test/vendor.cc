// A backend of one device and no kernels, written against the installed SDK.

#include "sdk/cpp/plugin.h"

namespace {

class OutsidePlugin : public berth::sdk::Plugin {
 public:
  Identity identity() const override { return {"outside", "1.0", "berth's tests"}; }
  berth::sdk::Status Enumerate(std::vector<berth::sdk::DeviceInfo>* out,
                               std::string* why_none) override {
    (void)out;
    *why_none = "the outside device is only built, never run";
    return {};
  }
  berth::sdk::Result<std::unique_ptr<berth::sdk::Device>> Open(uint32_t) override {
    return berth::sdk::FailedPrecondition("the outside device is only built, never run");
  }
  const std::vector<const berth_kernel_def*>& kernels() override { return kernels_; }

 private:
  std::vector<const berth_kernel_def*> kernels_;
};

std::unique_ptr<berth::sdk::Plugin> Make(berth::sdk::Host) {
  return std::make_unique<OutsidePlugin>();
}

}  // namespace

BERTH_PLUGIN(Make)
