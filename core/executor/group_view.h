// Nodes of a plan as the compile hook sees them.
#pragma once

#include <berth/compile.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/executor/plan.h"
#include "core/executor/shape_pass.h"
#include "core/registry/node_abi.h"

namespace berth::executor {

// Builds a berth_group from nodes of one device. An input of the group is a value from
// outside in the memory in which its reader wants it, constants among them; an output is
// a value that somebody outside reads. Immutable once made; lends from the plan and the
// facts.
class GroupView {
 public:
  // `nodes` in topological order. `num_uses`: by plan value, how often it is read at all.
  GroupView(const Plan& plan, const ShapeFacts& facts, std::span<const int32_t> nodes,
            std::span<const int32_t> num_uses);
  GroupView(const GroupView&) = delete;
  GroupView& operator=(const GroupView&) = delete;

  const berth_group& abi() const { return abi_; }
  const std::vector<int32_t>& inputs() const { return inputs_; }    // plan values
  const std::vector<int32_t>& outputs() const { return outputs_; }  // plan values
  // Which of the group's inputs and outputs lie in host memory.
  const HostPositions& host() const { return host_; }

 private:
  void AddNode(const Plan& plan, const ShapeFacts& facts, int32_t index);
  void AddEdges(const Plan& plan, const ShapeFacts& facts, size_t position);
  int32_t InputFor(int32_t value, bool is_host, const berth_value_info& info);
  void AddOutputs(const Plan& plan, const ShapeFacts& facts,
                  std::span<const int32_t> num_uses);

  std::vector<int32_t> nodes_;
  std::unordered_map<int32_t, int32_t> position_of_;  // by plan node
  std::deque<std::vector<Shape>> shapes_;
  std::vector<std::unique_ptr<NodeAbiView>> views_;
  std::vector<const berth_node*> node_pointers_;
  std::deque<std::vector<berth_group_edge>> edges_;
  std::vector<const berth_group_edge*> edge_pointers_;
  std::vector<int32_t> inputs_;
  std::unordered_map<int64_t, int32_t> input_of_;  // by value and place
  std::deque<berth_value_info> input_infos_;
  std::vector<const berth_value_info*> input_pointers_;
  std::vector<int32_t> outputs_;
  std::vector<berth_group_edge> output_edges_;
  HostPositions host_;
  berth_group abi_ = {};
};

}  // namespace berth::executor
