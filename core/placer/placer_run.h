// One placement under way: what the files placer_*.cc share.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/graph/graph.h"
#include "core/placer/groups.h"
#include "core/placer/kernel_support.h"
#include "core/placer/placement.h"
#include "core/placer/placer.h"
#include "core/placer/spec_table.h"

namespace berth {

// What decided the device of a node.
enum class Choice : uint8_t {
  kBest,      // the first of the devices that fit
  kConsumer,  // where all its consumers are
  kInput,     // where its input is
  kGroup,     // where its group already was
  kEarlier,   // an earlier placement
};

struct NodeState {
  const Support* support = nullptr;
  SpecTable::Id request = 0;  // its own, 0 = none
  int reference = -1;         // the node whose reference or resource it takes
  int with = -1;              // the consumer or input that it follows
  int device = -1;            // DeviceTable's index
  int consumer = -1;          // the last one
  Choice choice = Choice::kBest;
  bool taken = false;          // is to be placed now
  bool failed = false;         // has an error
  bool overridden = false;     // its request gave way to that of `reference`
  uint8_t consumer_edges = 0;  // data and control, at most 2
};

// The nodes of a group that explain where it is.
struct GroupFacts {
  int asker = -1;  // the first member with a request that was heard
  // For each device type: the first member without a kernel for it, or -1.
  std::vector<int> lacking;
};

class PlacerRun {
 public:
  PlacerRun(std::span<const Device* const> devices, const KernelRegistry* kernels,
            const PlacerOptions& options, const Graph& graph, const PlaceArgs& args,
            Placement* result);

  void Run();

 private:
  using RejectionKey = std::array<int64_t, 6>;

  // placer_run.cc: what is to be placed, and which nodes belong together.
  void CollectNodes();
  void ReadNode(int id);
  void TieReferences();
  void TieEdge(int source, int target);
  void LimitVariants();
  void TieClasses();
  void TieToClass(int id, std::string_view name);
  void ApplyDefaultDevice();
  void KeepMinorDevicesForAskers();
  void FixEarlierNodes();

  // placer_assign.cc: a device for each group.
  void Assign();
  void AssignNode(int id, int preferred, Choice choice, int with);
  void FindConsumers(std::vector<int>* consumers) const;
  int InputToFollow(int id) const;
  void CountConsumers();
  const std::vector<int>& Candidates(int root);
  std::vector<int> SoftCandidates(int root);

  // placer_explain.cc: reasons and rejections.
  void ListMembers();
  std::span<const int> Members(int root) const;
  const GroupFacts& Facts(int root);
  void Explain(int id);
  void ExplainAsked(int id, NodePlacement* placed);
  void ExplainUnasked(int id, NodePlacement* placed);
  int KeptFrom(int id);
  std::string CompanyText(int id);
  std::shared_ptr<const RejectionList> Rejections(int id);
  RejectionList ExtraRejections(int id);
  Rejection RejectedType(int id, int type);
  Rejection AbsentDevice(int id);

  // placer_errors.cc: what is wrong, for a person.
  Status UnknownKernelError(int id);
  Status PlacementError(int id);
  Status ClassError(int id, int other, Groups::Outcome outcome);
  Status EdgeError(int source, int target, Groups::Edge edge);
  std::string RowsText(const Node& node) const;
  std::string CaseHint(DeviceSpec spec) const;
  std::string AbsentText(SpecTable::Id request);
  std::string TypeNames(uint64_t types) const;
  std::string CompanyError(int id);
  std::string RemedyText(int id);

  // placer_summary.cc: the whole.
  void FindCutEdges();
  bool FellBack(int id);
  void LimitFallback();
  void FailFallback(const std::string& why);
  int64_t FallbackBytes();
  void WarnOfFallback();
  void WarnOfIdleDevices();

  const Node& node(int id) const { return *graph_.node(id); }
  void Fail(int id, Status error);
  bool asked(int id) const { return nodes_[id].request != 0; }

  DeviceTable devices_;
  const KernelRegistry* kernels_;
  const PlacerOptions& options_;
  const Graph& graph_;
  const PlaceArgs& args_;
  Placement* result_;
  SpecTable specs_;
  KernelSupport support_;
  Groups groups_;
  SpecTable::Id default_request_ = 0;
  std::vector<NodeState> nodes_;
  std::vector<int> order_;  // ids of the nodes to place, ascending
  absl::flat_hash_map<std::string_view, int> class_first_;  // group name -> first member
  std::vector<int> soft_candidates_;
  std::vector<int> members_;  // of groups with company, group by group
  absl::flat_hash_map<int, std::pair<int, int>> member_range_;
  absl::flat_hash_map<int, GroupFacts> facts_;
  absl::flat_hash_map<RejectionKey, std::shared_ptr<const RejectionList>> rejections_;
};

// "'s' (AsString, T=float)".
std::string DescribeNode(const Node& node);
// True for ops whose inputs tie nothing: they pass references on to a function's body,
// which is placed by itself.
bool IsExemptFromTies(std::string_view op);

}  // namespace berth
