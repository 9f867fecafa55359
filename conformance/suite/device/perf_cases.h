// Performance cases: what a device costs. They measure and judge nothing.
#pragma once

#include <memory>
#include <vector>

#include "conformance/suite/device/contract.h"

namespace berth::conformance {

// Copies of three sizes both ways, the cost of a launch, bandwidth of element-wise ops
// and the rate of products and convolutions, for what the device's rows advertise in
// float.
void AddPerformanceCases(const std::shared_ptr<SubjectHolder>& holder,
                         std::vector<Case>* cases);

}  // namespace berth::conformance
