#include "core/formats/graphdef_link.h"

#include <absl/container/flat_hash_map.h>
#include <absl/strings/string_view.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/formats/problems.h"

namespace berth::formats {
namespace {

struct NameHash {
  size_t operator()(std::string_view name) const {
    return absl::Hash<absl::string_view>()(absl::string_view(name.data(), name.size()));
  }
};

std::string Quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

// "name", "name:3" or "^name"; nullopt for what is none of them.
std::optional<TensorName> SplitInput(std::string_view text) {
  if (text.front() == '^') {
    if (text.size() == 1) return std::nullopt;
    return TensorName{text.substr(1), Link::kControl};
  }
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return TensorName{text, 0};
  int index = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data() + colon + 1, end, index);
  if (error != std::errc() || at != end || index < 0 || colon == 0) return std::nullopt;
  return TensorName{text.substr(0, colon), index};
}

// The input map, parsed; remembers which keys were used.
class InputMap {
 public:
  Status Init(const LinkOptions& options) {
    for (const auto& [from, to] : *options.input_map) {
      BERTH_RETURN_IF_ERROR(Add(from, to, options.graph));
    }
    return OkStatus();
  }

  bool empty() const { return entries_.empty(); }

  const Link* Find(const TensorName& name) {
    const auto it = entries_.find(Key(name));
    if (it == entries_.end()) return nullptr;
    it->second.used = true;
    return &it->second.link;
  }

  void ReportUnused(Problems* problems) const {
    for (const auto& [key, entry] : entries_) {
      if (!entry.used) {
        problems->Add("the input map's key " + Quoted(entry.text) +
                      " is no input of any node");
      }
    }
  }

 private:
  struct Entry {
    std::string text;
    Link link;
    bool used = false;
  };

  static std::string Key(const TensorName& name) {
    return std::string(name.node) + ":" + std::to_string(name.index);
  }

  Status Add(const std::string& from, const std::string& to, Graph* graph) {
    const auto key = from.empty() ? std::nullopt : SplitInput(from);
    const auto target = to.empty() ? std::nullopt : SplitInput(to);
    if (!key || !target) {
      return InvalidArgument("input map: " + Quoted(!key ? from : to) +
                             " is not \"name\", \"name:output\" or \"^name\"");
    }
    if ((key->index == Link::kControl) != (target->index == Link::kControl)) {
      return InvalidArgument(
          "input map: " + Quoted(from) + " -> " + Quoted(to) +
          " mixes a control input with a data input; map each with its own entry");
    }
    Node* node = graph->FindNode(target->node);
    if (node == nullptr) {
      return InvalidArgument("input map: " + Quoted(to) + " is no node of the graph");
    }
    if (target->index >= node->num_outputs()) {
      return InvalidArgument("input map: " + Quoted(to) +
                             " is out of range: the node has " +
                             std::to_string(node->num_outputs()) + " outputs");
    }
    entries_[Key(*key)] = {from, Link{-1, target->index, node}};
    return OkStatus();
  }

  absl::flat_hash_map<std::string, Entry> entries_;
};

// Finds the producer of every input.
class Linker {
 public:
  Linker(const RawGraph& raw, const NameIndex& names, const LinkOptions& options)
      : raw_(raw), names_(names), options_(options) {}

  Status Run(std::vector<Link>* links) {
    BERTH_RETURN_IF_ERROR(map_.Init(options_));
    links->reserve(raw_.inputs.size());
    for (const RawNode& node : raw_.nodes) {
      bool after_control = false;
      for (uint32_t i = node.inputs_begin; i < node.inputs_end; ++i) {
        links->push_back(Resolve(node, raw_.inputs[i]));
        const bool control = links->back().index == Link::kControl;
        if (after_control && !control) {
          problems_.Add("node " + Quoted(node.name) + " has the data input " +
                        Quoted(raw_.inputs[i]) + " after a control input");
        }
        after_control = after_control || control;
      }
    }
    map_.ReportUnused(&problems_);
    if (problems_.empty()) return OkStatus();
    return InvalidArgument(problems_.Summary("the graph's inputs do not fit"));
  }

 private:
  Link Resolve(const RawNode& node, std::string_view input) {
    const std::optional<TensorName> name = SplitInput(input);
    if (!name) {
      problems_.Add("node " + Quoted(node.name) + " has the input " + Quoted(input) +
                    ", which is not \"name\", \"name:output\" or \"^name\"");
      return {};
    }
    if (!map_.empty()) {
      if (const Link* mapped = map_.Find(*name)) return *mapped;
    }
    Link link{names_.Find(name->node), name->index, nullptr};
    if (link.node < 0 && options_.use_existing) {
      link.external = options_.graph->FindNode(name->node);
    }
    if (link.node < 0 && link.external == nullptr) {
      problems_.Add("node " + Quoted(node.name) + " (op " + Quoted(node.op) +
                    ") has the input " + Quoted(input) + ", but there is no node " +
                    Quoted(name->node));
    }
    return link;
  }

  const RawGraph& raw_;
  const NameIndex& names_;
  const LinkOptions& options_;
  InputMap map_;
  Problems problems_;
};

// Depth first, so that a file whose nodes are in order already keeps its order.
class Sorter {
 public:
  Sorter(const RawGraph& raw, const std::vector<Link>& links)
      : raw_(raw), links_(links), state_(raw.nodes.size(), kNew) {
    order_.reserve(raw.nodes.size());
  }

  Result<std::vector<int32_t>> Run() {
    const auto count = static_cast<int32_t>(raw_.nodes.size());
    for (int32_t node = 0; node < count; ++node) {
      if (state_[node] != kNew) continue;
      BERTH_RETURN_IF_ERROR(Visit(node));
    }
    return std::move(order_);
  }

 private:
  enum State : uint8_t { kNew, kOpen, kDone };
  struct Frame {
    int32_t node;
    uint32_t next;  // the input to look at
  };

  Status Visit(int32_t start) {
    Push(start);
    while (!stack_.empty()) {
      Frame& frame = stack_.back();
      const RawNode& node = raw_.nodes[frame.node];
      if (frame.next == node.inputs_end) {
        state_[frame.node] = kDone;
        order_.push_back(frame.node);
        stack_.pop_back();
        continue;
      }
      const int32_t producer = links_[frame.next++].node;
      if (producer < 0 || state_[producer] == kDone) continue;
      if (IsBackEdge(node.op, raw_.nodes[producer].op)) continue;
      if (state_[producer] == kOpen) return Cycle(producer);
      Push(producer);
    }
    return OkStatus();
  }

  void Push(int32_t node) {
    state_[node] = kOpen;
    stack_.push_back({node, raw_.nodes[node].inputs_begin});
  }

  // The stack from `closing` on is the cycle, each node before what it needs.
  Status Cycle(int32_t closing) const {
    constexpr size_t kShown = 10;
    auto begin = stack_.end();
    do {
      --begin;
    } while (begin->node != closing);
    const auto size = static_cast<size_t>(stack_.end() - begin);
    std::string text = "the graph has a cycle of " + std::to_string(size) +
                       (size == 1 ? " node: " : " nodes: ");
    for (size_t i = 0; i < std::min(size, kShown); ++i) {
      text +=
          Quoted(raw_.nodes[begin[static_cast<std::ptrdiff_t>(i)].node].name) + " <- ";
    }
    if (size > kShown) text += "… <- ";
    text += Quoted(raw_.nodes[closing].name);
    return InvalidArgument(text +
                           "; a loop may only be closed by an edge from a "
                           "NextIteration into a Merge");
  }

  const RawGraph& raw_;
  const std::vector<Link>& links_;
  std::vector<State> state_;
  std::vector<Frame> stack_;
  std::vector<int32_t> order_;
};

}  // namespace

bool IsBackEdge(std::string_view consumer_op, std::string_view producer_op) {
  return (consumer_op == "Merge" || consumer_op == "RefMerge") &&
         (producer_op == "NextIteration" || producer_op == "RefNextIteration");
}

struct NameIndex::Map {
  absl::flat_hash_map<std::string_view, int32_t, NameHash> nodes;
};

NameIndex::NameIndex(const RawGraph& graph) : map_(std::make_unique<Map>()) {
  map_->nodes.reserve(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const std::string_view name = graph.nodes[i].name;
    if (!map_->nodes.emplace(name, static_cast<int32_t>(i)).second) {
      duplicates_.push_back(name);
    }
  }
}

NameIndex::~NameIndex() = default;
NameIndex::NameIndex(NameIndex&&) noexcept = default;

int32_t NameIndex::Find(std::string_view name) const {
  const auto it = map_->nodes.find(name);
  return it == map_->nodes.end() ? -1 : it->second;
}

Result<LinkedGraph> LinkGraph(const RawGraph& raw, const NameIndex& names,
                              const LinkOptions& options) {
  LinkedGraph linked;
  BERTH_RETURN_IF_ERROR(Linker(raw, names, options).Run(&linked.links));
  BERTH_ASSIGN_OR_RETURN(linked.order, Sorter(raw, linked.links).Run());
  return linked;
}

}  // namespace berth::formats
