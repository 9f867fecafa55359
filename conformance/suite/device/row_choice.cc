#include <algorithm>
#include <cstring>

#include "conformance/suite/device/op_run.h"

namespace berth::conformance {
namespace {

// "" when the row's type constraints fit, else the attribute that does not.
std::string Misfit(const berth_kernel_def& def, const AttrMap& attrs) {
  for (uint32_t k = 0; k < def.num_constraints; ++k) {
    const berth_type_constraint& constraint = *def.constraints[k];
    const DType dtype = attrs.GetType(constraint.attr);
    const int32_t* end = constraint.dtypes + constraint.num_dtypes;
    if (std::find(constraint.dtypes, end, static_cast<int32_t>(dtype)) == end) {
      return constraint.attr;
    }
  }
  return "";
}

struct Answer {
  bool yes = true;
  std::string reason;
};

Answer Ask(const KernelEntry& entry, const berth_node& node) {
  if ((entry.def->flags & BERTH_KERNEL_CONDITIONAL) == 0) return {};
  // A reason is cut where the buffer ends; it must be terminated all the same.
  std::vector<char> reason(1024, '\0');
  const int32_t yes =
      entry.def->supports(entry.source, &node, reason.data(), reason.size() - 1);
  return {yes != 0, std::string(reason.data())};
}

// A yes that is given before the sizes are known holds for every size.
Finding CheckPromise(const KernelEntry& entry, const OpNode& node, bool yes) {
  if (yes) return {};
  for (const berth_node* less : {&node.abi_without_sizes(), &node.abi_without_ranks()}) {
    if (Ask(entry, *less).yes) {
      return {fault::kUnstableSupports,
              "supports() says yes while the shapes are unknown and no for shapes that "
              "fit them"};
    }
  }
  return {};
}

}  // namespace

RowChoice ChooseRow(const Subject& subject, const OpNode& node, const berth_node& view) {
  RowChoice choice;
  bool has_op = false;
  for (const KernelEntry* entry : subject.rows()) {
    if (std::strcmp(entry->def->op, view.op) != 0 || entry->def->label != nullptr ||
        entry->runs_in_core()) {
      continue;
    }
    has_op = true;
    const std::string misfit = Misfit(*entry->def, node.attrs());
    if (!misfit.empty()) {
      if (choice.reason.empty()) choice.reason = "no row for this type of " + misfit;
      continue;
    }
    const Answer first = Ask(*entry, view);
    for (int repeat = 0; repeat < 3; ++repeat) {
      const Answer again = Ask(*entry, view);
      if (again.yes != first.yes || again.reason != first.reason) {
        choice.finding = {fault::kUnstableSupports,
                          "asked twice about the same node, supports() says " +
                              std::string(first.yes ? "yes" : "no, ") + first.reason +
                              " and then " + (again.yes ? "yes" : "no, ") + again.reason};
      }
    }
    if (choice.finding.ok() && &view == &node.abi()) {
      choice.finding = CheckPromise(*entry, node, first.yes);
    }
    if (first.yes) {
      choice.entry = entry;
      return choice;
    }
    choice.reason = first.reason;
    if (first.reason.empty() && choice.finding.ok()) {
      choice.finding = {fault::kNoReason,
                        "supports() refuses the node and gives no reason"};
    }
  }
  if (!has_op) choice.reason = "no row for the op";
  return choice;
}

}  // namespace berth::conformance
