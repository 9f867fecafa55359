#include "conformance/suite/device/op_cases.h"

#include <map>
#include <set>
#include <string>

#include "conformance/cases/generate.h"
#include "conformance/cases/op_schema.h"
#include "conformance/suite/device/op_check.h"
#include "conformance/suite/device/op_node.h"
#include "core/base/dtype.h"

namespace berth::conformance {
namespace {

// What the rows of an op advertise.
struct Advertisement {
  // Of the attribute that the op's cases vary.
  std::set<DType> dtypes;
  // There are other type attributes as well (Cast, index types): the cases of a dtype may
  // ask for pairs that no row has.
  bool in_pairs = false;
};

std::map<std::string, Advertisement> Advertised(const Subject& subject) {
  std::map<std::string, Advertisement> ops;
  for (const KernelEntry* entry : subject.rows()) {
    if (entry->runs_in_core() || entry->def->label != nullptr) continue;
    std::set<DType>& dtypes = ops[entry->def->op].dtypes;
    ops[entry->def->op].in_pairs |= entry->def->num_constraints > 1;
    const OpSchema* schema = FindSchema(entry->def->op);
    if (schema == nullptr) continue;
    bool constrained = false;
    for (uint32_t k = 0; k < entry->def->num_constraints; ++k) {
      const berth_type_constraint& constraint = *entry->def->constraints[k];
      if (std::string(constraint.attr) != schema->type_attr) continue;
      constrained = true;
      for (uint32_t d = 0; d < constraint.num_dtypes; ++d) {
        dtypes.insert(static_cast<DType>(constraint.dtypes[d]));
      }
    }
    // A row that names no dtype of an op that has them takes them all.
    if (!constrained) {
      for (const DType dtype : DTypesOf(*schema)) dtypes.insert(dtype);
    }
  }
  return ops;
}

Case MakeCase(const std::shared_ptr<SubjectHolder>& holder, const std::string& name,
              const std::string& op, DType dtype,
              std::function<CaseResult(const Subject&)> check) {
  Case made;
  made.name = name;
  made.op = op;
  made.dtype = DTypeName(dtype);
  made.run = [holder, check = std::move(check)] {
    const Result<const Subject*> subject = holder->Get();
    return subject.ok() ? check(**subject) : ToResult(subject.status());
  };
  return made;
}

// What the op's shape function refuses never reaches a plugin.
bool ReachesPlugins(const OpCase& one) {
  return !one.must_fail || OpNode::Make(one.make(), "").ok();
}

Case WithoutReference(const std::string& op) {
  Case made;
  made.name = "op/" + op + "/unjudged";
  made.op = op;
  made.tier = Tier::kOptional;
  made.run = [op] {
    return Unsupported("the suite has no reference for " + op + ": it was not judged");
  };
  return made;
}

}  // namespace

Status AddOpCases(const std::shared_ptr<SubjectHolder>& holder,
                  std::vector<Case>* cases) {
  BERTH_ASSIGN_OR_RETURN(const Subject* subject, holder->Get());
  const uint64_t seed = holder->options().seed;
  for (const auto& [op, advertised] : Advertised(*subject)) {
    const size_t before = cases->size();
    for (const DType dtype : advertised.dtypes) {
      const std::vector<OpCase> generated = GenerateCases(op, dtype, seed);
      for (const OpCase& one : generated) {
        if (!ReachesPlugins(one)) continue;
        cases->push_back(
            MakeCase(holder, one.name, op, dtype, [make = one.make](const Subject& used) {
              return CheckCall(used, make(), RulesFor(used));
            }));
        if (advertised.in_pairs) cases->back().tier = Tier::kOptional;
      }
      if (generated.empty()) continue;
      cases->push_back(MakeCase(
          holder, "op/" + op + "/" + std::string(DTypeName(dtype)) + "/steady", op, dtype,
          [generated](const Subject& used) { return CheckSteady(used, generated); }));
    }
    if (cases->size() == before) cases->push_back(WithoutReference(op));
  }
  return OkStatus();
}

}  // namespace berth::conformance
