// The OpenCL plugin: device type OPENCL, one logical device or more for each physical
// one.
#include "sdk/cpp/plugin.h"

#include <charconv>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/opencl/context.h"
#include "plugins/opencl/device.h"
#include "plugins/opencl/devices.h"
#include "plugins/opencl/ops/families.h"
#include "plugins/opencl/ops/op_kernel.h"

namespace berth::opencl {
namespace {

constexpr int kMostPerPhysical = 64;

class OpenClPlugin : public sdk::Plugin {
 public:
  explicit OpenClPlugin(sdk::Host host) : host_(host), table_("OPENCL") {
#define BERTH_FAMILY(name) Register##name(table_);
#include "plugins/opencl/ops/families.inc"
#undef BERTH_FAMILY
  }

  Identity identity() const override { return {"opencl", "0.1.0", "berth"}; }
  const std::vector<const berth_kernel_def*>& kernels() override { return table_.defs(); }

  Status Enumerate(std::vector<sdk::DeviceInfo>* out, std::string* why_none) override;
  Result<std::unique_ptr<sdk::Device>> Open(uint32_t list_index) override;

  // What SupportsDouble asks; "" = yes.
  std::string WhyNoDouble(int logical_index);

 private:
  // An option, or else the environment variable of the same meaning; "" = neither.
  std::string Setting(const char* option, const char* variable) const {
    if (const char* value = host_.Option(option); value != nullptr) return value;
    const char* value = std::getenv(variable);
    return value != nullptr ? value : "";
  }
  Status List(std::string* why_none);
  Result<int> DevicesPerPhysical() const;
  Result<bool> HidesDouble() const;
  Result<std::shared_ptr<Context>> SharedContext(size_t physical);

  const sdk::Host host_;
  KernelTable table_;

  std::mutex mutex_;
  bool listed_ = false;
  std::string why_none_;
  std::vector<PhysicalDevice> physical_;
  std::vector<sdk::DeviceInfo> logical_;
  size_t per_physical_ = 1;
  bool hides_double_ = false;
  // One for each physical device, while a logical device of it is open.
  std::vector<std::weak_ptr<Context>> contexts_;
};

OpenClPlugin* the_plugin = nullptr;  // set once, by the factory below

Result<int> OpenClPlugin::DevicesPerPhysical() const {
  const std::string text =
      Setting("devices_per_physical", "BERTH_OPENCL_DEVICES_PER_PHYSICAL");
  if (text.empty()) return 1;
  int count = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), count);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || count < 1 ||
      count > kMostPerPhysical) {
    return sdk::InvalidArgument("opencl option devices_per_physical=\"" + text +
                                "\": must be a number from 1 to " +
                                std::to_string(kMostPerPhysical));
  }
  return count;
}

Result<bool> OpenClPlugin::HidesDouble() const {
  const std::string text = Setting("fp64", "BERTH_OPENCL_FP64");
  if (!text.empty() && text != "0" && text != "1") {
    return sdk::InvalidArgument("opencl option fp64=\"" + text + "\": must be 0 or 1");
  }
  return text == "0";
}

Status OpenClPlugin::List(std::string* why_none) {
  if (!listed_) {
    BERTH_CL_ASSIGN_OR_RETURN(const int per_physical, DevicesPerPhysical());
    BERTH_CL_ASSIGN_OR_RETURN(hides_double_, HidesDouble());
    std::vector<std::string> problems;
    std::string why;
    const std::vector<PhysicalDevice> found = ListPhysicalDevices(&problems, &why);
    for (const std::string& problem : problems) {
      host_.Log(BERTH_LOG_WARNING, ("OpenCL: " + problem).c_str());
    }
    if (!found.empty()) {
      BERTH_CL_ASSIGN_OR_RETURN(
          physical_, SelectDevices(found, Setting("devices", "BERTH_OPENCL_DEVICES")));
    }
    why_none_ = why;
    per_physical_ = static_cast<size_t>(per_physical);
    logical_ = LogicalDevices(physical_, per_physical);
    contexts_.resize(physical_.size());
    for (size_t i = 0; i < physical_.size(); ++i) {
      const std::string line =
          "OpenCL: device " + std::to_string(i) + ": " + physical_[i].Describe();
      host_.Log(BERTH_LOG_INFO, line.c_str());
    }
    listed_ = true;
  }
  *why_none = why_none_;
  return {};
}

Status OpenClPlugin::Enumerate(std::vector<sdk::DeviceInfo>* out, std::string* why_none) {
  std::lock_guard<std::mutex> lock(mutex_);
  BERTH_SDK_RETURN_IF_ERROR(List(why_none));
  *out = logical_;
  return {};
}

Result<std::shared_ptr<Context>> OpenClPlugin::SharedContext(size_t physical) {
  if (std::shared_ptr<Context> shared = contexts_[physical].lock()) return shared;
  BERTH_CL_ASSIGN_OR_RETURN(const Settings settings, ReadSettings(host_));
  auto made = Context::Create(physical_[physical], settings, host_);
  if (made.ok()) contexts_[physical] = *made;
  return made;
}

Result<std::unique_ptr<sdk::Device>> OpenClPlugin::Open(uint32_t list_index) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::string why_none;
  BERTH_SDK_RETURN_IF_ERROR(List(&why_none));
  if (list_index >= logical_.size()) {
    return sdk::InvalidArgument("there is no OpenCL device " +
                                std::to_string(list_index) + ": " +
                                std::to_string(logical_.size()) + " are listed");
  }
  BERTH_CL_ASSIGN_OR_RETURN(std::shared_ptr<Context> context,
                            SharedContext(list_index / per_physical_));
  return OpenClDevice::Create(std::move(context), logical_[list_index]);
}

std::string OpenClPlugin::WhyNoDouble(int logical_index) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::string why_none;
  if (!List(&why_none).ok() || physical_.empty()) {
    return "no OpenCL device is known, so none with cl_khr_fp64";
  }
  const size_t physical = static_cast<size_t>(logical_index) / per_physical_;
  if (physical >= physical_.size()) return "there is no such OpenCL device";
  if (hides_double_) return "the option fp64=0 leaves double precision out";
  if (physical_[physical].fp64) return {};
  return physical_[physical].name + " has no double precision (cl_khr_fp64)";
}

std::unique_ptr<sdk::Plugin> MakePlugin(sdk::Host host) {
  auto plugin = std::make_unique<OpenClPlugin>(host);
  the_plugin = plugin.get();
  return plugin;
}

}  // namespace

std::string SupportsDouble(const NodeView& node) {
  // The index stands behind the last colon of "/…/device:OPENCL:1"; without one the first
  // device answers.
  const std::string_view device(node.device() != nullptr ? node.device() : "");
  const size_t colon = device.rfind(':');
  int index = 0;
  if (colon != std::string_view::npos) {
    std::from_chars(device.data() + colon + 1, device.data() + device.size(), index);
  }
  return the_plugin->WhyNoDouble(index < 0 ? 0 : index);
}

}  // namespace berth::opencl

BERTH_PLUGIN(berth::opencl::MakePlugin)
