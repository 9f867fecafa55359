#include "conformance/reference/reference.h"

#include <cmath>

#include "conformance/reference/families.h"

namespace berth::conformance {
namespace {

ReferenceTable MakeTable() {
  ReferenceTable table;
#define BERTH_FAMILY(name) Register##name(table);
#include "conformance/reference/families.inc"
#undef BERTH_FAMILY
  return table;
}

const std::map<std::string, ReferenceTable::Entry>& Entries() {
  static const ReferenceTable table = MakeTable();
  return table.entries();
}

}  // namespace

Result<Outputs> Evaluate(const OpCall& call) {
  const auto found = Entries().find(call.op);
  if (found == Entries().end()) {
    return Unimplemented("the reference has no op \"" + call.op + "\"; it has " +
                         std::to_string(Entries().size()) +
                         " others, see conformance/reference/families.inc");
  }
  for (const HostTensor& input : call.inputs) {
    if (IsComplex(input.dtype) && !found->second.takes_complex) {
      return Unimplemented("the reference has no complex " + call.op);
    }
  }
  Result<Outputs> outputs = found->second.evaluator(call);
  if (!outputs.ok()) return outputs.status().WithPrefix(call.ToString() + ": ");
  return outputs;
}

std::vector<std::string> SupportedOps() {
  std::vector<std::string> ops;
  for (const auto& [op, entry] : Entries()) ops.push_back(op);
  return ops;
}

OpCall WithSubnormalsFlushed(const OpCall& call) {
  OpCall flushed = call;
  for (HostTensor& input : flushed.inputs) {
    if (!IsFloatingType(input.dtype)) continue;
    const Real least = FormatOf(input.dtype).smallest_normal();
    std::vector<Real> values = Reals(input);
    bool changed = false;
    for (Real& value : values) {
      if (value == 0 || !(std::fabs(value) < least)) continue;
      value = std::copysign(Real{0}, value);
      changed = true;
    }
    // NaNs keep their bits where nothing is flushed.
    if (changed) input = FromReals(input.dtype, input.dims, values);
  }
  return flushed;
}

}  // namespace berth::conformance
