#include "conformance/suite/device/perf_cases.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "conformance/reference/op_call.h"
#include "conformance/suite/device/op_run.h"

namespace berth::conformance {
namespace {

constexpr double kEnoughSeconds = 0.2;
constexpr int kRounds = 5;

HostTensor Ramp(std::vector<int64_t> dims) {
  std::vector<Real> values(static_cast<size_t>(NumElements(dims)));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<Real>(i % 251) / 251 - 0.5L;
  }
  return FromReals(BERTH_FLOAT, std::move(dims), values);
}

// One call to measure. The tensors are made when the case runs.
struct Work {
  const char* name;
  const char* op;
  OpCall (*make)();
  double flops;
  double bytes;
};

OpCall Unary(const char* op, int64_t count) {
  return {op, {{"T", TypeAttr{BERTH_FLOAT}}}, {Ramp({count})}};
}

OpCall Binary(const char* op, std::vector<int64_t> a, std::vector<int64_t> b) {
  return {op, {{"T", TypeAttr{BERTH_FLOAT}}}, {Ramp(std::move(a)), Ramp(std::move(b))}};
}

OpCall Convolution(std::vector<int64_t> image, std::vector<int64_t> filter) {
  OpCall call = Binary("Conv2D", std::move(image), std::move(filter));
  call.attrs["strides"] = std::vector<int64_t>{1, 1, 1, 1};
  call.attrs["padding"] = std::string("SAME");
  return call;
}

OpCall Softmax() {
  return {"Softmax", {{"T", TypeAttr{BERTH_FLOAT}}}, {Ramp({4096, 1024})}};
}

constexpr int64_t kMany = 4 << 20;
constexpr double kManyBytes = 4.0 * kMany;

constexpr Work kWorks[] = {
    {"launch/AddV2", "AddV2", [] { return Binary("AddV2", {64}, {64}); }, 0, 0},
    {"bandwidth/AddV2", "AddV2", [] { return Binary("AddV2", {kMany}, {kMany}); }, 0,
     3 * kManyBytes},
    {"bandwidth/Exp", "Exp", [] { return Unary("Exp", kMany); }, 0, 2 * kManyBytes},
    {"bandwidth/Relu", "Relu", [] { return Unary("Relu", kMany); }, 0, 2 * kManyBytes},
    {"bandwidth/Softmax", "Softmax", &Softmax, 0, 2 * kManyBytes},
    {"rate/MatMul-512", "MatMul",
     [] {
       return Binary("MatMul", {512, 512}, {512, 512});
     },
     2.0 * 512 * 512 * 512, 0},
    {"rate/Conv2D-3x3x64", "Conv2D",
     [] {
       return Convolution({1, 56, 56, 64}, {3, 3, 64, 64});
     },
     2.0 * 56 * 56 * 9 * 64 * 64, 0},
};

// The best of some rounds, each long enough to be timed.
Result<double> BestSeconds(OpRun* run) {
  BERTH_ASSIGN_OR_RETURN(double once, run->Time(1));
  BERTH_ASSIGN_OR_RETURN(once, run->Time(1));
  const int times = static_cast<int>(
      std::clamp(kEnoughSeconds / kRounds / std::max(once, 1e-7), 1.0, 100000.0));
  double best = once;
  for (int round = 0; round < kRounds; ++round) {
    BERTH_ASSIGN_OR_RETURN(const double seconds, run->Time(times));
    best = std::min(best, seconds / times);
  }
  return best;
}

CaseResult Measure(const Subject& subject, const Work& work) {
  const OpCall call = work.make();
  const Result<std::unique_ptr<OpNode>> node =
      OpNode::Make(call, subject.desc().full_name);
  if (!node.ok()) return ToResult(node.status());
  const RowChoice choice = ChooseRow(subject, **node, (*node)->abi());
  if (choice.entry == nullptr) return Unsupported(choice.reason);
  const Result<std::unique_ptr<Stream>> stream = Stream::Make(subject);
  if (!stream.ok()) return ToResult(stream.status());
  OpRun run(**stream, **node, *choice.entry, call);
  OpOutcome outcome;
  const Status prepared = run.Prepare(&outcome);
  if (!prepared.ok()) return ToResult(prepared);
  const Result<double> seconds = BestSeconds(&run);
  if (!seconds.ok()) return ToResult(seconds.status());
  CaseResult result;
  result.metrics["launch_us"] = *seconds * 1e6;
  if (work.flops > 0) result.metrics["gflops"] = work.flops / *seconds / 1e9;
  if (work.bytes > 0) result.metrics["gb_per_s"] = work.bytes / *seconds / 1e9;
  return result;
}

Result<double> CopySeconds(const Subject& subject, size_t size, bool to_device) {
  BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> stream, Stream::Make(subject));
  BERTH_ASSIGN_OR_RETURN(Memory memory, Memory::Make(subject, size));
  std::vector<char> bytes = Pattern(size, 1);
  BERTH_RETURN_IF_ERROR(memory.Write(*stream, bytes));
  double best = 1e9;
  for (int i = 0; i < 20; ++i) {
    const auto start = std::chrono::steady_clock::now();
    BERTH_RETURN_IF_ERROR(to_device ? memory.Write(*stream, bytes)
                                    : memory.Read(*stream, &bytes));
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    best = std::min(best, spent.count());
  }
  return best;
}

CaseResult MeasureCopy(const Subject& subject, size_t size, bool to_device) {
  const Result<double> seconds = CopySeconds(subject, size, to_device);
  if (!seconds.ok()) return ToResult(seconds.status());
  CaseResult result;
  result.metrics["copy_us"] = *seconds * 1e6;
  result.metrics["gb_per_s"] = static_cast<double>(size) / *seconds / 1e9;
  return result;
}

}  // namespace

void AddPerformanceCases(const std::shared_ptr<SubjectHolder>& holder,
                         std::vector<Case>* cases) {
  const auto add = [&](const std::string& name, const std::string& op, auto measure) {
    Case made;
    made.name = "perf/" + name;
    made.op = op;
    made.dtype = op.empty() ? "" : "float";
    made.tier = Tier::kPerformance;
    made.run = [holder, measure] {
      const Result<const Subject*> subject = holder->Get();
      return subject.ok() ? measure(**subject) : ToResult(subject.status());
    };
    cases->push_back(std::move(made));
  };
  for (const size_t size : {size_t{4} << 10, size_t{1} << 20, size_t{64} << 20}) {
    const std::string kib = std::to_string(size >> 10) + "KiB";
    for (const bool to_device : {true, false}) {
      add(std::string("copy/") + (to_device ? "to-device-" : "to-host-") + kib, "",
          [size, to_device](const Subject& subject) {
            return MeasureCopy(subject, size, to_device);
          });
    }
  }
  for (const Work& work : kWorks) {
    add(work.name, work.op,
        [&work](const Subject& subject) { return Measure(subject, work); });
  }
}

}  // namespace berth::conformance
