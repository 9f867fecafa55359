#include "conformance/suite/device/op_check.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "conformance/reference/bounds.h"
#include "conformance/reference/judge.h"
#include "conformance/reference/reference.h"
#include "conformance/suite/device/contract.h"
#include "conformance/suite/device/op_run.h"

namespace berth::conformance {
namespace {

constexpr char kFirstFill = static_cast<char>(0xa5);
constexpr char kSecondFill = 0x3c;

// One call under judgement.
class Check {
 public:
  Check(const OpCall& call, const DeviceRules& rules) : call_(call), rules_(rules) {}

  CaseResult Run(const Subject& subject);

 private:
  // Computes the reference. An op that must refuse these inputs leaves its words in
  // `refusal_`.
  Status Evaluate();
  Finding MustFail(OpRun* run);
  Finding MustPass(OpRun* run);
  Finding CheckShapes(const OpRun& run) const;
  Finding CheckValues(const OpOutcome& outcome);
  Finding CheckValue(const Output& want, const Output* flushed, const HostTensor& got,
                     const std::string& what);
  Finding CheckTwins(const OpOutcome& first, const OpOutcome& second) const;
  Finding CheckInPlace(OpRun* run);

  const OpCall& call_;
  const DeviceRules& rules_;
  const KernelEntry* entry_ = nullptr;
  Outputs reference_;
  std::optional<Outputs> flushed_;
  Status refusal_;  // the reference's own, of inputs that are wrong
  double margin_ = -1;
};

Status Check::Evaluate() {
  Result<Outputs> outputs = conformance::Evaluate(call_);
  if (!outputs.ok()) {
    refusal_ = outputs.status();
    return refusal_.code() == Code::kUnimplemented ? refusal_ : OkStatus();
  }
  reference_ = *std::move(outputs);
  if (rules_.flushes_subnormals) {
    Result<Outputs> flushed = conformance::Evaluate(WithSubnormalsFlushed(call_));
    if (flushed.ok()) flushed_ = *std::move(flushed);
  }
  return OkStatus();
}

// Wrong inputs get the error that the op defines, and nothing of it stays with the
// stream.
Finding Check::MustFail(OpRun* run) {
  OpOutcome outcome;
  outcome.status = run->Prepare(&outcome);
  if (outcome.status.ok()) outcome = run->Compute(kFirstFill);
  if (outcome.status.ok()) {
    return {fault::kAcceptsBadInput, "the op must refuse these inputs (" +
                                         std::string(refusal_.message()) +
                                         ") and the device says OK"};
  }
  const std::string text = std::string(outcome.stage) + ": " + outcome.status.ToString();
  const std::string stage = outcome.stage;
  if (stage == "allocate" || outcome.status.code() != refusal_.code()) {
    return {fault::kFails, "the op must refuse these inputs with " +
                               std::string(CodeName(refusal_.code())) + ": " + text};
  }
  if (stage == "copy") {
    return {fault::kLateError, "the wait for the run said OK; then, " + text};
  }
  if (outcome.status.message().empty()) {
    return {fault::kContract, "the error has no message"};
  }
  return run->StreamIsFree();
}

Finding Check::CheckShapes(const OpRun& run) const {
  if ((entry_->def->flags & BERTH_KERNEL_SHAPE_AT_RUN) != 0) return {};
  for (size_t k = 0; k < reference_.outputs.size(); ++k) {
    const HostTensor& want = reference_.outputs[k].tensor;
    const HostTensor& got = run.output_places()[k];
    if (!reference_.outputs[k].any_value && got.dims != want.dims) {
      return {fault::kWrongShape, "prepare gives output " + std::to_string(k) +
                                      " the shape " + DimsString(got.dims) + "; it is " +
                                      DimsString(want.dims)};
    }
  }
  return {};
}

Finding Check::CheckValue(const Output& want, const Output* flushed,
                          const HostTensor& got, const std::string& what) {
  if (want.any_value) return {};
  if (got.dims != want.tensor.dims) {
    return {fault::kWrongShape, what + " has the shape " + DimsString(got.dims) +
                                    "; it is " + DimsString(want.tensor.dims)};
  }
  const Judgement judgement = Judge(want, got, BoundOf(call_.op, want, rules_), flushed);
  if (!want.is_exact() && std::isfinite(judgement.margin)) {
    margin_ = std::max(margin_, judgement.margin);
  }
  if (judgement.pass) return {};
  return {fault::kWrongValue, what + ": " + judgement.text};
}

Finding Check::CheckValues(const OpOutcome& outcome) {
  for (size_t k = 0; k < reference_.outputs.size(); ++k) {
    const Output* flushed = flushed_.has_value() ? &flushed_->outputs[k] : nullptr;
    Finding finding = CheckValue(reference_.outputs[k], flushed, outcome.outputs[k],
                                 "output " + std::to_string(k));
    if (!finding.ok()) return finding;
  }
  for (size_t k = 0; k < reference_.written.size(); ++k) {
    const auto& [input, want] = reference_.written[k];
    const Output* flushed = flushed_.has_value() ? &flushed_->written[k].second : nullptr;
    const auto got =
        std::find_if(outcome.written.begin(), outcome.written.end(),
                     [input = input](const auto& entry) { return entry.first == input; });
    if (got == outcome.written.end()) {
      return {fault::kNotWritten,
              "variable " + std::to_string(input) + " is not a reference"};
    }
    Finding finding =
        CheckValue(want, flushed, got->second, "variable " + std::to_string(input));
    if (!finding.ok()) return finding;
  }
  return {};
}

// Two runs that began with other bytes in their outputs must end with the same.
Finding Check::CheckTwins(const OpOutcome& first, const OpOutcome& second) const {
  for (size_t k = 0; k < first.outputs.size(); ++k) {
    if (reference_.outputs[k].any_value) continue;
    if (first.outputs[k].dims != second.outputs[k].dims) {
      return {fault::kNotDeterministic,
              "output " + std::to_string(k) + " has the shape " +
                  DimsString(first.outputs[k].dims) + " and then " +
                  DimsString(second.outputs[k].dims)};
    }
    const std::vector<char>& a = first.outputs[k].bytes;
    const std::vector<char>& b = second.outputs[k].bytes;
    const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    if (differ.first == a.end()) continue;
    const std::string where = "output " + std::to_string(k) + ", byte " +
                              std::to_string(differ.first - a.begin());
    if (*differ.first == kFirstFill && *differ.second == kSecondFill) {
      return {fault::kNotWritten, where + " was never written"};
    }
    return {fault::kNotDeterministic, where + " differs between two runs"};
  }
  return {};
}

Finding Check::CheckInPlace(OpRun* run) {
  for (uint32_t pair = 0; pair < entry_->def->num_inplace_pairs; ++pair) {
    if (!run->MayShare(static_cast<int>(pair))) continue;
    const OpOutcome outcome = run->Compute(kFirstFill, static_cast<int>(pair));
    if (!outcome.status.ok() || !outcome.finding.ok()) return FindingOf(outcome);
    Finding finding = CheckValues(outcome);
    if (!finding.ok()) {
      return {fault::kInPlace,
              "with output " + std::to_string(entry_->def->inplace_pairs[pair].output) +
                  " in the memory of input " +
                  std::to_string(entry_->def->inplace_pairs[pair].input) + ", " +
                  finding.message};
    }
  }
  return {};
}

Finding Check::MustPass(OpRun* run) {
  OpOutcome first;
  first.status = run->Prepare(&first);
  if (!first.status.ok()) return FindingOf(first);
  Finding finding = CheckShapes(*run);
  if (!finding.ok()) return finding;
  // A random op's state remembers what earlier runs drew.
  for (int64_t drawn = 0; drawn < call_.numbers_drawn;
       drawn += std::max<int64_t>(NumElements(run->output_places()[0].dims), 1)) {
    const OpOutcome earlier = run->Compute(kFirstFill);
    if (!earlier.status.ok()) return FindingOf(earlier);
  }
  first = run->Compute(kFirstFill);
  if (!first.status.ok() || !first.finding.ok()) return FindingOf(first);
  // An output that was not written has wrong values as well; that it was not is the
  // better diagnosis.
  const bool stateful = (entry_->def->flags & BERTH_KERNEL_STATEFUL) != 0;
  if (!stateful) {
    const OpOutcome second = run->Compute(kSecondFill);
    if (!second.status.ok() || !second.finding.ok()) return FindingOf(second);
    finding = run->CheckEarlierBuffers();
    if (!finding.ok()) return finding;
    finding = CheckTwins(first, second);
    if (!finding.ok()) return finding;
    finding = CheckValues(first);
    return finding.ok() ? CheckInPlace(run) : finding;
  }
  return CheckValues(first);
}

CaseResult Check::Run(const Subject& subject) {
  const Result<std::unique_ptr<OpNode>> node =
      OpNode::Make(call_, subject.desc().full_name);
  const Status evaluated = Evaluate();
  if (!evaluated.ok()) return ToResult(evaluated);
  if (!node.ok()) return ToResult(node.status());
  const RowChoice choice = ChooseRow(subject, **node, (*node)->abi());
  if (!choice.finding.ok()) return ToResult(choice.finding);
  if (choice.entry == nullptr) return Unsupported(choice.reason);
  entry_ = choice.entry;
  const Result<std::unique_ptr<Stream>> stream = Stream::Make(subject);
  if (!stream.ok()) return ToResult(stream.status());
  Finding finding;
  {
    OpRun run(**stream, **node, *entry_, call_);
    finding = refusal_.ok() ? MustPass(&run) : MustFail(&run);
  }
  // An error that was returned is over: nothing of it may come back.
  const Status after = (*stream)->Synchronize();
  if (finding.ok() && !after.ok()) {
    finding = {fault::kLateError, "after the run the stream says " + after.ToString()};
  }
  CaseResult result = ToResult(finding);
  if (!finding.ok()) result.message += "\n  " + call_.ToString();
  result.margin = margin_;
  return result;
}

}  // namespace

CaseResult CheckCall(const Subject& subject, const OpCall& call,
                     const DeviceRules& rules) {
  return Check(call, rules).Run(subject);
}

DeviceRules RulesFor(const Subject& subject) {
  DeviceRules rules;
  const std::string& type = subject.desc().type;
  if (type == "OPENCL") rules.device = DeviceClass::kOpenCl;
  if (type == "GPU" || type == "CUDA") rules.device = DeviceClass::kCuda;
  rules.flushes_subnormals = rules.device != DeviceClass::kCpu;
  return rules;
}

}  // namespace berth::conformance
