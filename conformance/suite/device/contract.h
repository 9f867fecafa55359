// Cases of the device contract: what docs/ABI.md promises to the host, one behaviour
// each.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "conformance/suite/case.h"
#include "conformance/suite/device/finding.h"
#include "conformance/suite/device/subject.h"

namespace berth::conformance {

// The subject of a worker process, opened when first needed. Cases that unload the plugin
// drop it; the next case opens it again. Used from one thread.
class SubjectHolder {
 public:
  explicit SubjectHolder(SuiteOptions options) : options_(std::move(options)) {}

  Result<const Subject*> Get();
  void Drop() { subject_.reset(); }
  const SuiteOptions& options() const { return options_; }

 private:
  const SuiteOptions options_;
  std::unique_ptr<Subject> subject_;
};

// What a check of the contract finds; a Status that is not OK is a fault of its own.
using ContractCheck = std::function<Result<Finding>(const Subject&)>;

// Makes the case contract/NAME of a check. The optional ones are of entries and memory
// kinds that a device may lack: it says UNIMPLEMENTED then.
Case ContractCase(const std::shared_ptr<SubjectHolder>& holder, const std::string& name,
                  ContractCheck check, Tier tier = Tier::kMandatory);
// Pass, or failed with the finding's fault.
CaseResult ToResult(const Finding& finding);
CaseResult ToResult(const Status& status);
CaseResult Unsupported(const std::string& reason);

// The groups of cases.
void AddLifecycleCases(const std::shared_ptr<SubjectHolder>& holder,
                       std::vector<Case>* cases);
void AddMemoryCases(const std::shared_ptr<SubjectHolder>& holder,
                    std::vector<Case>* cases);
void AddCopyCases(const std::shared_ptr<SubjectHolder>& holder, std::vector<Case>* cases);
void AddStreamCases(const std::shared_ptr<SubjectHolder>& holder,
                    std::vector<Case>* cases);

// Bytes that differ from place to place: byte i of pattern `seed`.
std::vector<char> Pattern(size_t size, unsigned seed);

}  // namespace berth::conformance
