#include "conformance/suite/device/contract.h"
#include "conformance/suite/device/footprint.h"
#include "conformance/suite/device/op_check.h"
#include "conformance/suite/device/op_run.h"

namespace berth::conformance {
namespace {

constexpr int kRounds = 8;
constexpr int kRuns = 32;

uint64_t DeviceBytes(const Subject& subject) {
  if (subject.api().memory_stats == nullptr) return 0;
  berth_memory_stats stats = {};
  stats.struct_size = sizeof(stats);
  subject.api().memory_stats(subject.device(), &stats);
  return stats.bytes_in_use;
}

// The whole life of a kernel, with two runs.
Finding Once(const Stream& stream, const OpNode& node, const KernelEntry& entry,
             const OpCall& call) {
  OpRun run(stream, node, entry, call);
  OpOutcome outcome;
  outcome.status = run.Prepare(&outcome);
  for (int i = 0; i < 2 && outcome.status.ok() && outcome.finding.ok(); ++i) {
    outcome = run.Compute(0);
  }
  const Finding finding = FindingOf(outcome);
  return finding.ok() ? run.CheckEarlierBuffers() : finding;
}

Finding Grown(const char* fault, const char* what, int64_t from, int64_t to) {
  return {fault, std::to_string(kRuns) + " runs raised " + what + " from " +
                     std::to_string(from) + " to " + std::to_string(to)};
}

// What many runs leave behind.
Finding Round(const Stream& stream, const OpNode& node, const KernelEntry& entry,
              const OpCall& call) {
  const Subject& subject = stream.subject();
  const Footprint before = Footprint::Now();
  const auto device_before = static_cast<int64_t>(DeviceBytes(subject));
  for (int i = 0; i < kRuns; ++i) {
    Finding finding = Once(stream, node, entry, call);
    if (!finding.ok()) return finding;
  }
  const Footprint after = Footprint::Now();
  const auto device_after = static_cast<int64_t>(DeviceBytes(subject));
  if (after.threads > before.threads) {
    return Grown(fault::kThreads, "the process's threads", before.threads, after.threads);
  }
  if (device_after > device_before) {
    return Grown(fault::kLeak, "the device's bytes in use", device_before, device_after);
  }
  if (after.heap >= before.heap + kRuns * 16) {
    return Grown(fault::kLeak, "bytes of heap", before.heap, after.heap);
  }
  return {};
}

CaseResult Watch(const Subject& subject, const OpNode& node, const KernelEntry& entry,
                 const OpCall& call) {
  const Result<std::unique_ptr<Stream>> stream = Stream::Make(subject);
  if (!stream.ok()) return ToResult(stream.status());
  // Caches fill and pools grow in the first rounds; a leak costs something in every one.
  Finding finding;
  for (int round = 0; round < kRounds; ++round) {
    finding = Round(**stream, node, entry, call);
    if (finding.fault != fault::kLeak && finding.fault != fault::kThreads) break;
  }
  return ToResult(finding);
}

}  // namespace

CaseResult CheckSteady(const Subject& subject, const std::vector<OpCase>& cases) {
  for (const OpCase& one : cases) {
    if (one.must_fail) continue;
    const OpCall call = one.make();
    const Result<std::unique_ptr<OpNode>> node =
        OpNode::Make(call, subject.desc().full_name);
    if (!node.ok()) continue;
    const RowChoice choice = ChooseRow(subject, **node, (*node)->abi());
    if (!choice.finding.ok()) return ToResult(choice.finding);
    if (choice.entry != nullptr) return Watch(subject, **node, *choice.entry, call);
  }
  return Unsupported("the plugin takes none of the op's cases");
}

}  // namespace berth::conformance
