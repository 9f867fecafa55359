// Cases of single ops: for everything that the plugin's table advertises.
#pragma once

#include <memory>
#include <vector>

#include "conformance/suite/device/contract.h"

namespace berth::conformance {

// For each (op, dtype) of the device's rows the generated cases ("op/Relu/float/…") and
// one that looks for growth ("op/Relu/float/steady"). An op that the suite has no
// reference for, such as a vendor's own, gets a single optional case that says so.
Status AddOpCases(const std::shared_ptr<SubjectHolder>& holder, std::vector<Case>* cases);

}  // namespace berth::conformance
