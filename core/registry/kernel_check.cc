#include "core/registry/kernel_check.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "core/registry/abi_read.h"

namespace berth {
namespace {

constexpr uint32_t kKnownFlags = BERTH_KERNEL_CONDITIONAL | BERTH_KERNEL_ASYNC |
                                 BERTH_KERNEL_SHAPE_AT_RUN | BERTH_KERNEL_STATEFUL;

bool IsBlank(const char* text) { return text == nullptr || text[0] == '\0'; }

bool HasArg(const std::vector<ArgSchema>& args, std::string_view name) {
  return std::any_of(args.begin(), args.end(),
                     [name](const ArgSchema& arg) { return arg.name == name; });
}

std::string ArgNames(const OpSchema& schema) {
  std::string names;
  for (const auto* args : {&schema.inputs, &schema.outputs}) {
    for (const ArgSchema& arg : *args) {
      names += (names.empty() ? "" : ", ") + arg.name;
    }
  }
  return names.empty() ? "none" : names;
}

std::string TypeAttrNames(const OpSchema& schema) {
  std::string names;
  for (const AttrSchema& attr : schema.attrs) {
    if (attr.type == "type" || attr.type == "list(type)") {
      names += (names.empty() ? "" : ", ") + attr.name;
    }
  }
  return names.empty() ? "none" : names;
}

// How many flattened arguments there are, or -1 when an attribute decides it.
int FixedCount(const std::vector<ArgSchema>& args) {
  const bool fixed = std::all_of(args.begin(), args.end(), [](const ArgSchema& arg) {
    return arg.number_attr.empty() && arg.type_list_attr.empty();
  });
  return fixed ? static_cast<int>(args.size()) : -1;
}

Status ReadConstraints(const OpSchema& schema, KernelRow* row) {
  const berth_kernel_def& def = row->def;
  if (def.num_constraints > 0 && def.constraints == nullptr) {
    return InvalidArgument("num_constraints is " + std::to_string(def.num_constraints) +
                           " but constraints is NULL");
  }
  for (uint32_t i = 0; i < def.num_constraints; ++i) {
    const berth_type_constraint from = ReadAbi(def.constraints[i]);
    if (IsBlank(from.attr))
      return InvalidArgument("a type constraint names no attribute");
    const AttrSchema* attr = schema.FindAttr(from.attr);
    if (attr == nullptr || (attr->type != "type" && attr->type != "list(type)")) {
      return InvalidArgument("the op has no type attribute '" + std::string(from.attr) +
                             "'; its type attributes: " + TypeAttrNames(schema));
    }
    if (from.num_dtypes > 0 && from.dtypes == nullptr) {
      return InvalidArgument("the constraint on '" + std::string(from.attr) +
                             "' has no dtypes array");
    }
    KernelRow::Constraint& constraint = row->constraints.emplace_back();
    constraint.attr = from.attr;
    for (uint32_t k = 0; k < from.num_dtypes; ++k) {
      const DType dtype = from.dtypes[k];
      if (!IsKnownDType(dtype) || IsRefType(dtype)) {
        return InvalidArgument("the constraint on '" + constraint.attr + "' lists " +
                               std::to_string(dtype) + ", which is no base dtype");
      }
      constraint.dtypes.push_back(dtype);
    }
  }
  return OkStatus();
}

void FindOpenTypes(const OpSchema& schema, KernelRow* row) {
  for (const AttrSchema& attr : schema.attrs) {
    if (attr.type != "type" && attr.type != "list(type)") continue;
    const bool is_listed = std::any_of(
        row->constraints.begin(), row->constraints.end(),
        [&attr](const auto& constraint) { return constraint.attr == attr.name; });
    if (!is_listed) row->open_types.push_back(attr.name);
  }
}

Status CheckArgs(const OpSchema& schema, const berth_kernel_def& def) {
  if ((def.num_host_args > 0 && def.host_args == nullptr) ||
      (def.num_prepare_args > 0 && def.prepare_args == nullptr) ||
      (def.num_inplace_pairs > 0 && def.inplace_pairs == nullptr)) {
    return InvalidArgument("a count is not 0 but its array is NULL");
  }
  const auto is_host_arg = [&def](std::string_view name) {
    return std::any_of(def.host_args, def.host_args + def.num_host_args,
                       [name](const char* arg) { return arg != nullptr && name == arg; });
  };
  for (uint32_t i = 0; i < def.num_host_args; ++i) {
    const char* name = def.host_args[i];
    if (IsBlank(name) ||
        (!HasArg(schema.inputs, name) && !HasArg(schema.outputs, name))) {
      return InvalidArgument("host argument '" + std::string(IsBlank(name) ? "" : name) +
                             "' is no argument of the op; it has: " + ArgNames(schema));
    }
  }
  for (uint32_t i = 0; i < def.num_prepare_args; ++i) {
    const char* name = def.prepare_args[i];
    if (IsBlank(name) || !HasArg(schema.inputs, name)) {
      return InvalidArgument("prepare argument '" +
                             std::string(IsBlank(name) ? "" : name) +
                             "' is no input of the op; it has: " + ArgNames(schema));
    }
    if (!is_host_arg(name)) {
      return InvalidArgument("prepare argument '" + std::string(name) +
                             "' must be a host argument too");
    }
  }
  const int inputs = FixedCount(schema.inputs);
  const int outputs = FixedCount(schema.outputs);
  for (uint32_t i = 0; i < def.num_inplace_pairs; ++i) {
    const berth_inplace_pair& pair = def.inplace_pairs[i];
    if (pair.input < 0 || pair.output < 0 || (inputs >= 0 && pair.input >= inputs) ||
        (outputs >= 0 && pair.output >= outputs)) {
      return InvalidArgument("in-place pair (" + std::to_string(pair.input) + ", " +
                             std::to_string(pair.output) +
                             ") is outside the op's arguments");
    }
  }
  return OkStatus();
}

Status CheckFunctions(const KernelRow& row) {
  const berth_kernel_def& def = row.def;
  if ((def.flags & ~kKnownFlags) != 0) {
    return InvalidArgument("flags " + std::to_string(def.flags) +
                           " has bits that this host does not know");
  }
  if (row.is_conditional() && def.supports == nullptr) {
    return InvalidArgument("the row is CONDITIONAL but has no supports()");
  }
  if (def.create == nullptr) {
    if (IsCoreOp(row.op)) return OkStatus();  // restricts what the core runs
    return InvalidArgument("the row has no create()");
  }
  if (def.destroy == nullptr) return InvalidArgument("the row has no destroy()");
  const bool is_async = (def.flags & BERTH_KERNEL_ASYNC) != 0;
  if (is_async && def.compute_async == nullptr) {
    return InvalidArgument("the row is ASYNC but has no compute_async()");
  }
  if (!is_async && def.compute == nullptr) {
    return InvalidArgument("the row has no compute()");
  }
  if ((def.flags & BERTH_KERNEL_STATEFUL) != 0 &&
      (def.create_state == nullptr || def.destroy_state == nullptr)) {
    return InvalidArgument("the row is STATEFUL but lacks create_state or destroy_state");
  }
  return OkStatus();
}

Status CheckRow(const OpRegistry& ops, KernelRow* row) {
  const OpSchema* schema = ops.Find(row->op);
  if (schema == nullptr) {
    std::string text = "the op is unknown";
    for (const std::string& name : ops.Similar(row->op)) {
      text += (text == "the op is unknown" ? "; similar: " : ", ") + name;
    }
    return InvalidArgument(text);
  }
  BERTH_RETURN_IF_ERROR(ReadConstraints(*schema, row));
  if (row->def.create != nullptr) FindOpenTypes(*schema, row);
  BERTH_RETURN_IF_ERROR(CheckArgs(*schema, row->def));
  return CheckFunctions(*row);
}

}  // namespace

Status ReadKernelRow(const berth_kernel_def* source, const OpRegistry& ops,
                     KernelRow* row) {
  if (source == nullptr) return InvalidArgument("the row is NULL");
  if (source->struct_size < offsetof(berth_kernel_def, label) ||
      source->struct_size > kMaxAbiStruct) {
    return InvalidArgument("struct_size is " + std::to_string(source->struct_size) +
                           ", which is no size of berth_kernel_def");
  }
  row->def = ReadAbi(source);
  row->entry.source = source;
  if (IsBlank(row->def.op)) return InvalidArgument("the row names no op");
  row->op = row->def.op;
  if (IsBlank(row->def.device_type)) {
    return InvalidArgument("op '" + row->op + "': the row names no device type");
  }
  row->entry.device_type = row->def.device_type;
  row->label = IsBlank(row->def.label) ? "" : row->def.label;
  return CheckRow(ops, row).WithPrefix("op '" + row->op + "' on " +
                                       row->entry.device_type + ": ");
}

}  // namespace berth
