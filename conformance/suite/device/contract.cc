#include "conformance/suite/device/contract.h"

namespace berth::conformance {

Result<const Subject*> SubjectHolder::Get() {
  if (subject_ == nullptr) {
    BERTH_ASSIGN_OR_RETURN(subject_, Subject::Open(options_));
  }
  return subject_.get();
}

CaseResult ToResult(const Finding& finding) {
  CaseResult result;
  if (finding.ok()) return result;
  result.verdict = Verdict::kFailed;
  result.fault = finding.fault;
  result.message = finding.message;
  return result;
}

CaseResult ToResult(const Status& status) {
  if (status.ok()) return {};
  const bool memory = status.code() == Code::kResourceExhausted;
  return ToResult(
      Finding{memory ? fault::kOutOfMemory : fault::kFails, status.ToString()});
}

CaseResult Unsupported(const std::string& reason) {
  CaseResult result;
  result.verdict = Verdict::kUnsupported;
  result.message = reason;
  return result;
}

Case ContractCase(const std::shared_ptr<SubjectHolder>& holder, const std::string& name,
                  ContractCheck check, Tier tier) {
  Case made;
  made.name = "contract/" + name;
  made.tier = tier;
  made.run = [holder, check = std::move(check)] {
    const Result<const Subject*> subject = holder->Get();
    if (!subject.ok()) return ToResult(subject.status());
    const Result<Finding> finding = check(**subject);
    // UNIMPLEMENTED is said by the check itself, of entries that the ABI leaves optional.
    if (finding.status().code() == Code::kUnimplemented) {
      return Unsupported(std::string(finding.status().message()));
    }
    return finding.ok() ? ToResult(*finding) : ToResult(finding.status());
  };
  return made;
}

std::vector<char> Pattern(size_t size, unsigned seed) {
  std::vector<char> bytes(size);
  uint32_t state = seed * 2654435761U + 12345U;
  for (char& byte : bytes) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<char>(state >> 24);
  }
  return bytes;
}

}  // namespace berth::conformance
