// Judges one call of an op on the device under test.
#pragma once

#include <vector>

#include "conformance/cases/generate.h"
#include "conformance/reference/device_rules.h"
#include "conformance/reference/op_call.h"
#include "conformance/suite/case.h"
#include "conformance/suite/device/subject.h"

namespace berth::conformance {

// Runs the call and looks at everything that the contract promises of it: the answer of
// supports(), shapes, values against the reference, guards, inputs, that outputs are
// written whole and alike twice, in-place pairs, and buffers of earlier runs. A call that
// the plugin refuses at placement is kUnsupported with its reason.
CaseResult CheckCall(const Subject& subject, const OpCall& call,
                     const DeviceRules& rules);

// The first of these cases that the plugin takes, many times over: heap, device memory
// and threads must not grow.
CaseResult CheckSteady(const Subject& subject, const std::vector<OpCase>& cases);

// The rules for the subject's device.
DeviceRules RulesFor(const Subject& subject);

}  // namespace berth::conformance
