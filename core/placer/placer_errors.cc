// The texts of placement errors: what was asked, what exists instead, what to do.

#include <algorithm>

#include "core/base/dtype.h"
#include "core/ops/op_schema.h"
#include "core/placer/placer_run.h"

namespace berth {

std::string DescribeNode(const Node& node) {
  std::string text = "'" + node.name() + "' (" + node.op();
  for (const AttrSchema& attr : node.schema().attrs) {
    if (attr.type != "type" && attr.type != "list(type)") continue;
    const AttrValue* value = node.attrs().Find(attr.name);
    if (value == nullptr) continue;
    text += ", " + attr.name + "=";
    if (const ListAttr* list = value->list()) {
      text += '[';
      for (size_t i = 0; i < list->type.size(); ++i) {
        if (i > 0) text += ", ";
        text += DTypeName(list->type[i]);
      }
      text += ']';
    } else if (const TypeAttr* type = value->get<TypeAttr>()) {
      text += DTypeName(type->dtype);
    }
  }
  return text + ")";
}

std::string PlacerRun::TypeNames(uint64_t types) const {
  std::string text;
  for (size_t type = 0; type < devices_.types().size(); ++type) {
    if ((types >> type & 1) == 0) continue;
    if (!text.empty()) text += ", ";
    text += devices_.types()[type];
  }
  return text.empty() ? "none" : text;
}

Status PlacerRun::UnknownKernelError(int id) {
  const std::string rows = kernels_->DescribeRows(node(id).op());
  std::string text = "No kernel: node " + DescribeNode(node(id)) +
                     " runs on no device of this session (" +
                     TypeNames(devices_.all_types()) + ")";
  for (const Rejection& rejection : *nodes_[id].support->rejections) {
    text += "; " + rejection.message;
  }
  text += rows.empty() ? ". No plugin that is loaded has kernels for " + node(id).op()
                       : ". Kernels that exist: " + rows;
  text += rows.empty() ? ": load one that has (berth plugins --why)"
                       : ". Use one of these types, or load a plugin that has this one";
  if (asked(id)) text += ". The node asks for " + node(id).requested_device();
  return InvalidArgument(std::move(text));
}

// The kernels of an op, for a person.
std::string PlacerRun::RowsText(const Node& node) const {
  std::string rows = kernels_->DescribeRows(node.op());
  if (!rows.empty()) return rows;
  return IsCoreOp(node.op()) ? "the core's own on other device types" : "none";
}

// " (did you mean …?)" where the case of a type is wrong: /device:gpu:0.
std::string PlacerRun::CaseHint(DeviceSpec spec) const {
  std::string upper = *spec.type;
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  const bool known = devices_.FindType(upper) >= 0 || upper == "GPU";
  if (upper == *spec.type || !known) return {};
  spec.type = upper;
  return " (did you mean " + spec.ToString() + "?)";
}

// Why no device of the session fits a request, whatever the kernels.
std::string PlacerRun::AbsentText(SpecTable::Id request) {
  const DeviceSpec& spec = specs_.spec(request);
  std::string text = specs_.ToString(request) + " does not exist";
  if (spec.type && devices_.FindType(*spec.type) < 0) {
    const std::string why =
        options_.why_absent ? options_.why_absent(*spec.type) : std::string();
    text += CaseHint(spec);
    if (!why.empty()) return text + ": " + why;
    return text + ": no plugin that is loaded brings devices of type " + *spec.type;
  }
  text += ": there ";
  std::string names;
  int count = 0;
  for (const int device : devices_.preferred()) {
    if (spec.type && devices_.device(device)->type() != *spec.type) continue;
    names += (names.empty() ? "" : ", ") + devices_.device(device)->name();
    ++count;
  }
  return text + (count == 1 ? "is " : "are ") + names;
}

// What keeps the group of `id` from a device, where it is not the node itself.
std::string PlacerRun::CompanyError(int id) {
  const int root = groups_.Root(id);
  const Group& group = groups_.at(root);
  std::string text = "it must be ";
  const std::string company = Members(root).empty() ? std::string() : CompanyText(id);
  text += company.empty() ? "with its group" : company;
  text += "; the group can run on " + TypeNames(group.types);
  if (group.requested != 0)
    text += " and is asked for on " + specs_.ToString(group.requested);
  if (specs_.Devices(group.requested, devices_.all_types()).empty()) {
    text += ", where there is no device. Available devices are [ " + devices_.ListAll() +
            " ]";
  } else {
    text += ". Kernels that exist: " + node(id).op() + ": " + RowsText(node(id));
    const int other = KeptFrom(id);
    if (other >= 0) text += "; " + node(other).op() + ": " + RowsText(node(other));
  }
  return text;
}

std::string PlacerRun::RemedyText(int id) {
  const Group& group = groups_.root(id);
  if (!options_.allow_soft_placement) {
    // A resource keeps the device it asks for, unless its users have no kernel there.
    for (const SpecTable::Id kept :
         {specs_.Override(group.resource, group.assigned), group.assigned}) {
      const auto& soft =
          specs_.Devices(specs_.Soften(group.requested, kept), group.types);
      if (soft.empty()) continue;
      return ". Allow soft placement, or ask for " + devices_.ShortName(soft[0]);
    }
  }
  const DeviceSpec& spec = specs_.spec(group.requested);
  if (spec.job || spec.replica || spec.task) {
    return ". Soft placement changes the type and the index of a device, never its job, "
           "replica or task";
  }
  return ". Ask for a device that has the kernel, or load a plugin that brings it";
}

Status PlacerRun::PlacementError(int id) {
  const NodeState& state = nodes_[id];
  std::string text = "Cannot assign a device for operation " + node(id).name() +
                     ": node " + DescribeNode(node(id));
  if (asked(id)) text += " asks for " + node(id).requested_device();
  if (asked(id) && DeviceSpec::Parse(node(id).requested_device())->type !=
                       specs_.spec(state.request).type) {
    text += " (" + specs_.ToString(state.request) + " by an alias)";
  }
  const SpecTable::Id wanted = asked(id) ? state.request : default_request_;
  if (!asked(id) && wanted != 0) {
    text += " goes to the session's default device " + options_.default_device;
  }
  text += asked(id) || wanted != 0 ? ", but " : ": ";
  if (specs_.Devices(wanted, devices_.all_types()).empty()) {
    text += AbsentText(wanted) + ". Available devices are [ " + devices_.ListAll() + " ]";
  } else if (wanted != 0 && specs_.Devices(wanted, state.support->types).empty()) {
    text += "there is no such kernel";
    if (state.support->rejections != nullptr) {
      for (const Rejection& rejection : *state.support->rejections) {
        const int type = devices_.FindType(rejection.device);
        if (specs_.Devices(wanted, uint64_t{1} << type).empty()) continue;
        text += ": " + rejection.message;
      }
    }
    text += ". Kernels that exist: " + RowsText(node(id));
  } else {
    text += CompanyError(id);
  }
  return InvalidArgument(text + RemedyText(id));
}

Status PlacerRun::ClassError(int id, int other, Groups::Outcome outcome) {
  const auto describe = [this](int member) {
    const std::string& request = node(member).requested_device();
    return DescribeNode(node(member)) +
           (request.empty() ? std::string() : ", asked for on " + request);
  };
  std::string text =
      "Cannot colocate nodes " + describe(id) + ", and " + describe(other) + ": ";
  if (outcome == Groups::Outcome::kNamesConflict) {
    text += groups_.Conflict(id, other).message();
    if (!options_.allow_soft_placement) text += ". Allow soft placement, or ask for one";
  } else {
    text += "no device type supports both and the others of their groups: '" +
            node(id).name() + "' runs on " + TypeNames(groups_.root(id).types) + ", '" +
            node(other).name() + "' on " + TypeNames(groups_.root(other).types) +
            ". Kernels that exist: " + node(id).op() + ": " + RowsText(node(id)) + "; " +
            node(other).op() + ": " + RowsText(node(other));
  }
  return InvalidArgument(std::move(text));
}

Status PlacerRun::EdgeError(int source, int target, Groups::Edge edge) {
  const bool placed = edge == Groups::Edge::kAssignedConflict;
  const Group& from = groups_.root(source);
  const Group& to = groups_.root(target);
  return InvalidArgument(
      "Cannot place node " + DescribeNode(node(target)) +
      ": a reference or resource edge connects colocation groups with incompatible " +
      (placed ? "assigned" : "resource") +
      " devices: " + specs_.ToString(placed ? from.assigned : from.resource) + " of '" +
      node(source).name() + "' vs " +
      specs_.ToString(placed ? to.assigned : to.resource) + " of '" +
      node(target).name() +
      "'. All resources that one node uses must be on one device: ask for one device");
}

}  // namespace berth
