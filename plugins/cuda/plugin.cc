// The CUDA plugin.
#include "sdk/cpp/plugin.h"

#include <memory>
#include <string>
#include <vector>

#include "plugins/cuda/driver.h"

namespace berth::cuda_plugin {
namespace {

using sdk::Result;
using sdk::Status;

class CudaPlugin : public sdk::Plugin {
 public:
  CudaPlugin() : table_("GPU") {}

  Identity identity() const override { return {"cuda", "0.1.0", "berth"}; }

  std::vector<const char*> device_types() override { return {"GPU"}; }

  Status Enumerate(std::vector<sdk::DeviceInfo>*, std::string* why_none) override {
    const std::vector<std::string> names = FindDevices(why_none);
    if (names.empty()) return {};
    // A device without kernels would only take nodes away from those that have some.
    *why_none = "this version of the plugin has no kernels, so it leaves alone";
    for (size_t i = 0; i < names.size(); ++i) {
      *why_none += (i == 0 ? " " : ", ") + names[i];
    }
    return {};
  }

  Result<std::unique_ptr<sdk::Device>> Open(uint32_t list_index) override {
    return sdk::InvalidArgument("there is no CUDA device " + std::to_string(list_index));
  }

  const std::vector<const berth_kernel_def*>& kernels() override { return table_.defs(); }

 private:
  sdk::KernelTable table_;
};

std::unique_ptr<sdk::Plugin> MakePlugin(sdk::Host) {
  return std::make_unique<CudaPlugin>();
}

}  // namespace
}  // namespace berth::cuda_plugin

BERTH_PLUGIN(&berth::cuda_plugin::MakePlugin)
