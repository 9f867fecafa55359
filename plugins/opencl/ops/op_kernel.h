// What the kernels of all op families share.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "plugins/opencl/cl_status.h"
#include "plugins/opencl/context.h"
#include "plugins/opencl/device.h"
#include "plugins/opencl/launch.h"
#include "sdk/cpp/kernel.h"
#include "sdk/cpp/node.h"
#include "sdk/cpp/tensor.h"

namespace berth::opencl {

using sdk::ComputeContext;
using sdk::KernelTable;
using sdk::NodeView;
using sdk::PrepareContext;

// The context that a kernel's device stands on.
inline Context* ContextOf(berth_device* device) {
  return OpenClDevice::FromHandle(device)->context().get();
}

// The OpenCL C name of a dtype ("float", "int", "uchar" for bool); NULL if it has none.
const char* ClTypeName(int32_t dtype);
// "-DT=float -DIS_FLOAT": the options of a file that is built once for each dtype.
std::string TypeOptions(int32_t dtype);
// "-DT=uint": for data movement, an unsigned type of `size` bytes (1, 2, 4 or 8).
std::string RawTypeOptions(size_t size);

// Neighbouring elements that a work-item takes where a tensor's depth allows: a vector
// register of a processor; 1 elsewhere, where neighbours are other work-items' part.
int64_t VectorLanes(const PhysicalDevice& device, int32_t dtype);

// Rounds an offset in scratch memory up to where any part may begin.
inline uint64_t Aligned(uint64_t bytes) { return (bytes + 255) / 256 * 256; }

// For rows of DT_DOUBLE: "" where the device that the node is placed on has cl_khr_fp64,
// otherwise the reason. Set by the plugin, which knows the devices.
std::string SupportsDouble(const NodeView& node);

// A node's number for errors that its kernels find on the device.
class ErrorSiteHolder {
 public:
  ErrorSiteHolder(const std::shared_ptr<Context>& context, const NodeView& node)
      : context_(context), site_(context->AddErrorSite(node.name(), node.op())) {}
  ErrorSiteHolder(const ErrorSiteHolder&) = delete;
  ErrorSiteHolder& operator=(const ErrorSiteHolder&) = delete;
  ~ErrorSiteHolder() { context_->RemoveErrorSite(site_); }
  int32_t site() const { return site_; }

 private:
  const std::shared_ptr<Context> context_;
  const int32_t site_;
};

// A kernel class without shape-dependent state gets its launch kernel like this:
//   BERTH_CL_ASSIGN_OR_RETURN(k->add_, ContextOf(device)->Kernel("binary", options,
//   "Add"));
#define BERTH_CL_ASSIGN_OR_RETURN(target, expression) \
  BERTH_CL_ASSIGN_IMPL_(BERTH_CL_NAME_(berth_result_, __LINE__), target, expression)
#define BERTH_CL_NAME_(base, line) BERTH_CL_NAME_2_(base, line)
#define BERTH_CL_NAME_2_(base, line) base##line
#define BERTH_CL_ASSIGN_IMPL_(result, target, expression) \
  auto result = (expression);                             \
  if (!result.ok()) return result.status();               \
  target = std::move(*result)

}  // namespace berth::opencl
