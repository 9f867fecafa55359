// A plugin that does one thing wrong, by its option `fault` (faults.h): the suite's tests
// look whether the suite says which.
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "conformance/suite/subjects/faulty_device.h"
#include "sdk/cpp/plugin.h"

namespace berth::faulty {
namespace {

using sdk::ComputeContext;
using sdk::NodeView;
using sdk::PrepareContext;
using sdk::Result;
using sdk::Status;

Fault g_fault = Fault::kNone;

[[noreturn]] void Sleep() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

// Alternates where the fault is that it does.
std::string SupportsRelu(const NodeView& node) {
  static std::atomic<int> asked;
  const int number = asked.fetch_add(1);
  if (g_fault == Fault::kUnstableSupports && number % 2 == 1) return "not this time";
  if (g_fault == Fault::kPromisesTooMuch && node.input(0).rank == 2 &&
      node.input(0).dims[0] > 1) {
    return "more than one row";
  }
  return "";
}

// The C++ layer lets nobody refuse without a reason; the C table does.
int32_t RefuseSilently(const berth_kernel_def*, const berth_node*, char*, size_t) {
  return 0;
}

class FaultyRelu {
 public:
  struct Prepared {};

  static Result<std::unique_ptr<FaultyRelu>> Create(const NodeView&, berth_device*) {
    return std::make_unique<FaultyRelu>();
  }

  Status Prepare(PrepareContext& context, Prepared*) const {
    if (g_fault == Fault::kWrongShape && context.output(0).rank > 0) {
      context.output(0).dims[0] += 1;
    }
    return {};
  }

  Status Compute(const Prepared&, ComputeContext& context) const {
    const float* x = context.In<float>(0);
    float* y = context.Out<float>(0);
    const int64_t count = sdk::NumElements(context.input(0));
    Status status = Before(context, x, y, count);
    if (!status.ok()) return status;
    const int64_t written =
        g_fault == Fault::kNotWritten && count > 0 ? count - 1 : count;
    for (int64_t i = 0; i < written; ++i) y[i] = x[i] < 0 ? 0 : x[i];
    After(y, count);
    return {};
  }

 private:
  // What goes wrong before the work.
  static Status Before(const ComputeContext& context, const float* x, float* y,
                       int64_t count) {
    switch (g_fault) {
      case Fault::kCrash:
        std::raise(SIGSEGV);
        break;
      case Fault::kHang:
        Sleep();
      case Fault::kAbort:
        std::abort();
      case Fault::kExit:
        _exit(0);
      case Fault::kThrows:
        throw std::runtime_error("thrown by the kernel");
      case Fault::kLiesAboutSupport:
        return sdk::Unimplemented("this Relu was never written");
      case Fault::kLateError:
        FaultyStream::failed = true;
        break;
      case Fault::kChangesInput:
        if (count > 0) const_cast<float*>(x)[0] = 7;
        break;
      case Fault::kInPlace:
        // Wipes what is to be read when both are one.
        std::memset(y, 0, static_cast<size_t>(count) * sizeof(float));
        break;
      case Fault::kStartsThreads:
        std::thread(Sleep).detach();
        break;
      case Fault::kLeak:
        leaked = std::malloc(100);
        break;
      case Fault::kKeepsBuffer:
        if (count == 0) break;
        if (kept != nullptr) *kept += 1;
        kept = kept == nullptr ? y : nullptr;
        break;
      default:
        break;
    }
    (void)context;
    return {};
  }

  // And after it.
  static void After(float* y, int64_t count) {
    static std::atomic<int> runs;
    if (count == 0) return;
    switch (g_fault) {
      case Fault::kWrongValue:
        y[count - 1] = 1.5F * y[count - 1] + 1;
        break;
      case Fault::kOverrun:
        y[count] = 0;
        break;
      case Fault::kUnderrun:
        y[-1] = 0;
        break;
      case Fault::kNotDeterministic:
        // In the last place, which the bounds allow.
        if (runs.fetch_add(1) % 2 == 1) y[0] = std::nextafter(y[0], 1e30F);
        break;
      default:
        break;
    }
  }

  static inline void* volatile leaked = nullptr;
  static inline float* kept = nullptr;
};

class FaultyPlugin : public sdk::Plugin {
 public:
  explicit FaultyPlugin(sdk::Host host) : table_("FAULTY") {
    const char* wanted = host.Option("fault");
    for (const FaultName& entry : kFaultNames) {
      if (wanted != nullptr && entry.name == wanted) g_fault = entry.fault;
    }
    table_.Op("Relu")
        .Type("T", {BERTH_FLOAT})
        .InPlace(0, 0)
        .If(&SupportsRelu)
        .Use<FaultyRelu>();
    silent_ = *table_.defs()[0];
    silent_.supports = &RefuseSilently;
    rows_ = {g_fault == Fault::kNoReason ? &silent_ : table_.defs()[0]};
  }

  Identity identity() const override { return {"faulty", "0.1.0", "berth's tests"}; }
  Status Init() override {
    if (g_fault == Fault::kCrashInInit) std::abort();
    if (g_fault == Fault::kHangInInit) Sleep();
    if (g_fault == Fault::kThreadKept) std::thread(Sleep).detach();
    return {};
  }
  Status Enumerate(std::vector<sdk::DeviceInfo>* out, std::string*) override {
    sdk::DeviceInfo info;
    info.type = "FAULTY";
    info.name = "a device with a fault";
    info.physical_id = "faulty:0";
    info.driver = "none";
    info.base_alignment = mydevice::kAlignment;
    info.flags = BERTH_DEVICE_IS_HOST | BERTH_DEVICE_SYNCHRONOUS;
    out->push_back(std::move(info));
    return {};
  }
  Result<std::unique_ptr<sdk::Device>> Open(uint32_t list_index) override {
    if (list_index != 0) return sdk::InvalidArgument("there is one device, number 0");
    return std::unique_ptr<sdk::Device>(std::make_unique<FaultyDevice>(g_fault));
  }
  const std::vector<const berth_kernel_def*>& kernels() override { return rows_; }

 private:
  sdk::KernelTable table_;
  berth_kernel_def silent_ = {};
  std::vector<const berth_kernel_def*> rows_;
};

std::unique_ptr<sdk::Plugin> MakePlugin(sdk::Host host) {
  return std::make_unique<FaultyPlugin>(host);
}

}  // namespace
}  // namespace berth::faulty

BERTH_PLUGIN(&berth::faulty::MakePlugin)
