// The CPU plugin.
#include "sdk/cpp/plugin.h"

#include "plugins/cpu/device.h"
#include "plugins/cpu/library.h"

namespace berth::cpu_plugin {
namespace {

using sdk::Result;
using sdk::Status;

class CpuPlugin : public sdk::Plugin {
 public:
  explicit CpuPlugin(const char* level) {
    const std::vector<std::string> levels =
        level != nullptr ? std::vector<std::string>{level} : LevelsOfProcessor();
    Result<std::vector<const berth_kernel_def*>> kernels = OpenKernels(levels);
    if (kernels.ok()) {
      kernels_ = std::move(*kernels);
    } else {
      status_ = kernels.status();
    }
  }

  Identity identity() const override { return {"cpu", "0.1.0", "berth"}; }
  Status Init() override { return status_; }
  Status Enumerate(std::vector<sdk::DeviceInfo>* out, std::string*) override {
    out->push_back(DescribeCpu());
    return {};
  }
  Result<std::unique_ptr<sdk::Device>> Open(uint32_t list_index) override {
    if (list_index != 0) {
      return sdk::InvalidArgument("there is no CPU device " + std::to_string(list_index) +
                                  ": one is listed");
    }
    return std::unique_ptr<sdk::Device>(
        std::make_unique<CpuDevice>(DescribeCpu().memory_bytes));
  }
  const std::vector<const berth_kernel_def*>& kernels() override { return kernels_; }

 private:
  std::vector<const berth_kernel_def*> kernels_;
  Status status_;  // why there are no kernels; init reports it
};

std::unique_ptr<sdk::Plugin> MakePlugin(sdk::Host host) {
  return std::make_unique<CpuPlugin>(host.Option("level"));
}

}  // namespace
}  // namespace berth::cpu_plugin

BERTH_PLUGIN(&berth::cpu_plugin::MakePlugin)
