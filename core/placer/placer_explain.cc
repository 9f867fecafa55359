// Why each node is where it is, and why it is not elsewhere.

#include <algorithm>

#include "core/placer/placer_run.h"

namespace berth {

void PlacerRun::ListMembers() {
  std::vector<int> size(nodes_.size(), 0);
  for (const int id : order_) ++size[groups_.Root(id)];
  int total = 0;
  for (const int id : order_) {
    if (size[id] < 2) continue;  // not a root, or alone
    member_range_.emplace(id, std::pair(total, total));
    total += size[id];
  }
  members_.resize(total);
  for (const int id : order_) {
    const int root = groups_.Root(id);
    if (size[root] < 2) continue;
    auto& [begin, end] = member_range_.find(root)->second;
    members_[end++] = id;
  }
}

std::span<const int> PlacerRun::Members(int root) const {
  const auto found = member_range_.find(root);
  if (found == member_range_.end()) return {};
  return std::span(members_).subspan(found->second.first,
                                     found->second.second - found->second.first);
}

const GroupFacts& PlacerRun::Facts(int root) {
  const auto [it, added] = facts_.try_emplace(root);
  GroupFacts& facts = it->second;
  if (!added) return facts;
  facts.lacking.assign(devices_.types().size(), -1);
  for (const int id : Members(root)) {
    if (facts.asker < 0 && asked(id) && !nodes_[id].overridden) facts.asker = id;
    const uint64_t lacks = devices_.all_types() & ~nodes_[id].support->types;
    // A node that runs nowhere was left out of the group's choice.
    if (lacks == devices_.all_types()) continue;
    for (size_t type = 0; type < facts.lacking.size(); ++type) {
      if ((lacks >> type & 1) != 0 && facts.lacking[type] < 0) {
        facts.lacking[type] = id;
      }
    }
  }
  return facts;
}

void PlacerRun::Explain(int id) {
  NodePlacement& placed = result_->nodes[id];
  const NodeState& state = nodes_[id];
  if (state.choice == Choice::kEarlier) return;
  if (state.device < 0) {
    placed.reason = PlaceReason::kUnplaced;
    if (placed.error.ok()) placed.error = PlacementError(id);
    nodes_[id].failed = true;
  } else {
    placed.device = devices_.device(state.device);
    if (asked(id)) {
      ExplainAsked(id, &placed);
    } else {
      ExplainUnasked(id, &placed);
    }
  }
  placed.rejections = Rejections(id);
}

// The member without a kernel for what `id` asks for and could run on itself, or -1.
int PlacerRun::KeptFrom(int id) {
  const NodeState& state = nodes_[id];
  const int root = groups_.Root(id);
  if (state.request == 0 || Members(root).empty()) return -1;
  const GroupFacts& facts = Facts(root);
  for (const int device : specs_.Devices(state.request, state.support->types)) {
    const int lacking = facts.lacking[devices_.type_of(device)];
    if (lacking >= 0) return lacking;
  }
  return -1;
}

// "with 's' (AsString, T=float), which has no kernel for GPU" or "…, which asks for X":
// the member that keeps `id` from where it would be.
std::string PlacerRun::CompanyText(int id) {
  const int root = groups_.Root(id);
  const NodeState& state = nodes_[id];
  if (const int other = KeptFrom(id); other >= 0) {
    const uint64_t lacks = ~nodes_[other].support->types;
    return "with " + DescribeNode(node(other)) + ", which has no kernel for " +
           TypeNames(lacks & devices_.all_types());
  }
  for (const int member : Members(root)) {
    if (member == id || !asked(member) || nodes_[member].overridden) continue;
    if (state.request != 0 && specs_.Compatible(state.request, nodes_[member].request)) {
      continue;
    }
    return "with '" + node(member).name() + "', which asks for " +
           specs_.ToString(nodes_[member].request);
  }
  return {};
}

void PlacerRun::ExplainAsked(int id, NodePlacement* placed) {
  NodeState& state = nodes_[id];
  if (specs_.Matches(state.request, state.device)) {
    placed->reason = PlaceReason::kRequested;
  } else if (state.overridden) {
    placed->reason = PlaceReason::kReference;
    placed->detail = "uses '" + node(state.reference).name() + "', which is there";
  } else if (specs_.Devices(state.request, devices_.all_types()).empty()) {
    placed->reason = PlaceReason::kSoftAbsent;
    placed->detail = AbsentText(state.request);
  } else if (specs_.Devices(state.request, state.support->types).empty()) {
    placed->reason = PlaceReason::kSoftFallback;
    const int wanted = specs_.Devices(state.request, devices_.all_types())[0];
    const std::string& type = devices_.types()[devices_.type_of(wanted)];
    for (const Rejection& rejection : *state.support->rejections) {
      if (rejection.device == type) placed->detail = rejection.message;
    }
  } else {
    placed->reason = PlaceReason::kColocated;
    placed->detail = CompanyText(id);
  }
}

void PlacerRun::ExplainUnasked(int id, NodePlacement* placed) {
  const NodeState& state = nodes_[id];
  const int root = groups_.Root(id);
  const Group& group = groups_.at(root);
  int leader = group.anchor;
  if (!Members(root).empty()) {
    const GroupFacts& facts = Facts(root);
    if (facts.asker >= 0) {
      leader = facts.asker;
    } else if (state.choice != Choice::kConsumer && state.choice != Choice::kInput) {
      // A member without a kernel for a better device decides more than the first one.
      for (int type = 0; type < devices_.type_of(state.device); ++type) {
        if (facts.lacking[type] < 0) continue;
        leader = facts.lacking[type];
        break;
      }
    }
  }
  if (leader != id && leader >= 0) {
    if (state.reference >= 0) {
      placed->reason = PlaceReason::kReference;
      placed->detail = "uses '" + node(state.reference).name() + "'";
    } else {
      placed->reason = PlaceReason::kColocated;
      placed->detail = "with '" + node(leader).name() + "'";
    }
    return;
  }
  if (default_request_ != 0) {
    if (specs_.Matches(default_request_, state.device)) {
      placed->reason = PlaceReason::kRequested;
      placed->detail = "the session's default device";
    } else if (specs_.Devices(default_request_, devices_.all_types()).empty()) {
      placed->reason = PlaceReason::kSoftAbsent;
      placed->detail = AbsentText(default_request_);
    } else {
      placed->reason = PlaceReason::kSoftFallback;
      placed->detail = "no kernel for the session's default device";
    }
    return;
  }
  if (state.choice == Choice::kConsumer) {
    placed->reason = PlaceReason::kFollowsConsumer;
    placed->detail = "with '" + node(state.with).name() + "'";
  } else if (state.choice == Choice::kInput) {
    placed->reason = PlaceReason::kFollowsInput;
    placed->detail = "with '" + node(state.with).name() + "'";
  } else {
    placed->reason = PlaceReason::kDefault;
  }
}

std::shared_ptr<const RejectionList> PlacerRun::Rejections(int id) {
  const NodeState& state = nodes_[id];
  const auto& base = state.support->rejections;
  const int type = state.device < 0 ? static_cast<int>(devices_.types().size())
                                    : devices_.type_of(state.device);
  const uint64_t passed_over = state.support->types & DeviceTable::BetterThan(type);
  const bool as_asked =
      !asked(id) || (state.device >= 0 && specs_.Matches(state.request, state.device));
  if (passed_over == 0 && as_asked) return base;
  // All that the extra entries depend on, but for the group's members.
  const int root = groups_.Root(id);
  const RejectionKey key = {
      static_cast<int64_t>(reinterpret_cast<intptr_t>(state.support)),
      state.request,
      state.device,
      Members(root).empty() ? -1 : root,
      static_cast<int64_t>(state.choice),
      state.overridden ? state.reference : -1,
  };
  std::shared_ptr<const RejectionList>& known = rejections_[key];
  if (known != nullptr) return known;
  RejectionList all = ExtraRejections(id);
  if (base != nullptr) all.insert(all.end(), base->begin(), base->end());
  known = std::make_shared<const RejectionList>(std::move(all));
  return known;
}

RejectionList PlacerRun::ExtraRejections(int id) {
  RejectionList extra;
  const NodeState& state = nodes_[id];
  const bool exists =
      asked(id) && !specs_.Devices(state.request, devices_.all_types()).empty();
  if (asked(id) && !exists) extra.push_back(AbsentDevice(id));
  const int chosen = state.device < 0 ? static_cast<int>(devices_.types().size())
                                      : devices_.type_of(state.device);
  for (int type = 0; type < static_cast<int>(devices_.types().size()); ++type) {
    if ((state.support->types >> type & 1) == 0) continue;
    const uint64_t bit = uint64_t{1} << type;
    const bool wanted = asked(id) && !specs_.Devices(state.request, bit).empty();
    const bool elsewhere = wanted && state.device >= 0 && type == chosen &&
                           !specs_.Matches(state.request, state.device);
    if (type < chosen || (wanted && type > chosen) || elsewhere) {
      extra.push_back(RejectedType(id, type));
      if (elsewhere) extra.back().device = specs_.ToString(state.request);
    }
  }
  return extra;
}

// Why a device type that has a kernel for the node does not get it.
Rejection PlacerRun::RejectedType(int id, int type) {
  const NodeState& state = nodes_[id];
  const uint64_t bit = uint64_t{1} << type;
  Rejection rejection{devices_.types()[type], RejectCode::kColocation, {}};
  if (state.overridden) {
    rejection.message = "it uses '" + node(state.reference).name() +
                        "', which is elsewhere: users of a reference or resource are "
                        "where it is";
    return rejection;
  }
  if (asked(id) && specs_.Devices(state.request, bit).empty()) {
    const bool exists = !specs_.Devices(state.request, devices_.all_types()).empty();
    if (exists) {
      rejection.code = RejectCode::kPinned;
      rejection.message = "the node asks for " + node(id).requested_device();
      return rejection;
    }
  }
  const int root = groups_.Root(id);
  if (!Members(root).empty()) {
    const int lacking = Facts(root).lacking[type];
    if (lacking >= 0 && lacking != id) {
      rejection.message = "colocated with " + DescribeNode(node(lacking)) +
                          ", which has no kernel for " + devices_.types()[type];
      return rejection;
    }
    const std::string company = CompanyText(id);
    if (!company.empty()) {
      rejection.message = "colocated " + company;
      return rejection;
    }
  }
  if (state.choice == Choice::kConsumer) {
    rejection.message = "it is placed with its consumers, to save a copy";
  } else if (state.choice == Choice::kInput) {
    rejection.message = "it is placed with its input, to save a copy";
  } else if (default_request_ != 0) {
    rejection.code = RejectCode::kPinned;
    rejection.message = "the session's default device is " + options_.default_device;
  } else {
    rejection.message = "its group is placed already";
  }
  return rejection;
}

Rejection PlacerRun::AbsentDevice(int id) {
  const SpecTable::Id request = nodes_[id].request;
  const std::optional<std::string>& type = specs_.spec(request).type;
  const bool plugin_absent = type && devices_.FindType(*type) < 0;
  return {specs_.ToString(request),
          plugin_absent ? RejectCode::kPluginAbsent : RejectCode::kDeviceAbsent,
          AbsentText(request)};
}

}  // namespace berth
