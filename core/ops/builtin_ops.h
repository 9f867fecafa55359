// The ops that berth knows without any plugin.
#pragma once

#include <span>

#include "core/ops/op_schema.h"
#include "core/ops/op_spec.h"

namespace berth {

// Registers all of them. REQUIRES: `registry` has none of them in another form.
void RegisterBuiltinOps(OpRegistry* registry);

// One table a family, in core/ops/builtin/FAMILY_ops.cc.
std::span<const OpSpec> ArrayOps();
std::span<const OpSpec> IndexOps();
std::span<const OpSpec> ElementwiseOps();
std::span<const OpSpec> MathOps();
std::span<const OpSpec> NnOps();
std::span<const OpSpec> RandomOps();
std::span<const OpSpec> StateOps();
std::span<const OpSpec> TrainingOps();
std::span<const OpSpec> ControlFlowOps();
std::span<const OpSpec> FunctionalOps();
std::span<const OpSpec> QueueOps();
std::span<const OpSpec> DataFlowOps();
std::span<const OpSpec> LookupOps();
std::span<const OpSpec> IoOps();
std::span<const OpSpec> StringOps();
std::span<const OpSpec> ParsingOps();
std::span<const OpSpec> ImageOps();
std::span<const OpSpec> LoggingOps();

}  // namespace berth
