// MakeSuite: everything that there is to judge about one plugin.
#include "conformance/suite/case.h"
#include "conformance/suite/device/contract.h"
#include "conformance/suite/device/op_cases.h"
#include "conformance/suite/device/perf_cases.h"

namespace berth::conformance {

Result<Suite> MakeSuite(const SuiteOptions& options) {
  const auto holder = std::make_shared<SubjectHolder>(options);
  BERTH_ASSIGN_OR_RETURN(const Subject* subject, holder->Get());
  Suite suite;
  suite.subject = subject->Describe();
  AddLifecycleCases(holder, &suite.cases);
  AddMemoryCases(holder, &suite.cases);
  AddCopyCases(holder, &suite.cases);
  AddStreamCases(holder, &suite.cases);
  BERTH_RETURN_IF_ERROR(AddOpCases(holder, &suite.cases));
  AddPerformanceCases(holder, &suite.cases);
  return suite;
}

}  // namespace berth::conformance
