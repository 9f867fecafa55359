#include "client/gradients/gradients.h"

#include <map>
#include <queue>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "client/gradients/registry.h"
#include "client/graph_builder.h"
#include "client/ops/ops.h"

namespace berth::client {
namespace {

std::map<std::string, GradientFn, std::less<>>& Registry() {
  static auto* registry = new std::map<std::string, GradientFn, std::less<>>;
  return *registry;
}

// The backward walk over one graph.
class Walk {
 public:
  Walk(const Scope& scope, const std::vector<Output>& ys, const std::vector<Output>& xs)
      : scope_(scope.Name("gradients")), ys_(ys), xs_(xs) {}

  std::vector<Output> Run(const std::vector<Output>& seeds) {
    FindPath();
    Seed(seeds);
    // Highest id first: inputs have lower ids than their consumers, so every dy of a node
    // has arrived when its turn comes.
    for (auto it = between_.rbegin(); it != between_.rend() && scope_.status().ok();
         ++it) {
      Visit(it->second);
    }
    std::vector<Output> result;
    for (const Output& x : xs_) result.push_back(Collect(x));
    return result;
  }

 private:
  struct Key {
    const Node* node;
    int index;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      return std::hash<const void*>()(key.node) * 31 + static_cast<size_t>(key.index);
    }
  };

  // Nodes that lie between some x and some y: those alone are differentiated.
  void FindPath() {
    std::unordered_set<const Node*> reached;
    std::vector<Node*> stack;
    for (const Output& y : ys_) Push(y.node(), &reached, &stack);
    std::map<int, Node*> ancestors;
    while (!stack.empty()) {
      Node* node = stack.back();
      stack.pop_back();
      ancestors.emplace(node->id(), node);
      for (const OutputRef& input : node->inputs()) Push(input.node, &reached, &stack);
    }
    std::unordered_set<const Node*> from_x;
    for (const Output& x : xs_) from_x.insert(x.node());
    for (const auto& [id, node] : ancestors) {
      bool on_path = from_x.count(node) > 0;
      for (const OutputRef& input : node->inputs()) {
        on_path = on_path || from_x.count(input.node) > 0;
      }
      if (!on_path) continue;
      from_x.insert(node);
      between_.emplace(id, node);
    }
  }

  static void Push(Node* node, std::unordered_set<const Node*>* reached,
                   std::vector<Node*>* stack) {
    if (node != nullptr && reached->insert(node).second) stack->push_back(node);
  }

  void Seed(const std::vector<Output>& seeds) {
    for (size_t i = 0; i < ys_.size(); ++i) {
      const Output& y = ys_[i];
      const bool given = i < seeds.size() && seeds[i];
      Output dy;
      if (given) {
        dy = seeds[i];
      } else if (y.shape().IsFullyDefined()) {
        dy = ops::Fill(scope_, y.shape(), y.dtype(), 1);
      } else {
        dy =
            ops::Fill(scope_, ops::ShapeOf(scope_, y), ops::Scalar(scope_, y.dtype(), 1));
      }
      flows_[{y.node(), y.index()}].push_back(dy);
    }
  }

  // The total dy of one output, or none.
  Output Collect(const Output& output) {
    const auto it = flows_.find({output.node(), output.index()});
    if (it == flows_.end() || it->second.empty()) return {};
    std::vector<Output>& parts = it->second;
    if (parts.size() > 1) parts = {ops::AddN(scope_, parts)};
    return parts[0];
  }

  void Visit(Node* node) {
    const Operation op(scope_.builder(), node);
    std::vector<Output> dys;
    bool any = false;
    for (int i = 0; i < node->num_outputs(); ++i) {
      dys.push_back(Collect(op.output(i)));
      any = any || dys.back();
    }
    if (!any || node->num_inputs() == 0 || internal::IsNotDifferentiable(node->op()))
      return;
    // A variable's reference ends the walk: gradients are taken with respect to its
    // reads.
    const GradientFn* fn = internal::FindGradient(node->op());
    if (fn == nullptr) {
      if (!LeadsToX(node)) return;
      scope_.Fail(Unimplemented(
          "no gradient is known for op '" + node->op() + "' (node '" + node->name() +
          "'), which lies between the loss and a variable; register "
          "one with RegisterGradient, or cut the path with "
          "StopGradient"));
      return;
    }
    GradientContext context(scope_.Name(node->name() + "_grad"), op, std::move(dys));
    (*fn)(context);
    for (int i = 0; i < node->num_inputs(); ++i) {
      const Output& dx = context.dxs()[static_cast<size_t>(i)];
      if (!dx) continue;
      const OutputRef& input = node->inputs()[static_cast<size_t>(i)];
      flows_[{input.node, input.index}].push_back(dx);
    }
  }

  // True when something flows on from this node to an x.
  bool LeadsToX(const Node* node) const {
    for (const OutputRef& input : node->inputs()) {
      if (between_.count(input.node->id()) > 0) return true;
    }
    return false;
  }

  Scope scope_;
  const std::vector<Output>& ys_;
  const std::vector<Output>& xs_;
  std::map<int, Node*> between_;
  std::unordered_map<Key, std::vector<Output>, KeyHash> flows_;
};

}  // namespace

GradientContext::GradientContext(const Scope& scope, Operation op,
                                 std::vector<Output> dys)
    : scope_(scope),
      op_(op),
      dys_(std::move(dys)),
      dxs_(static_cast<size_t>(op.node()->num_inputs())) {}

int GradientContext::num_inputs() const { return op_.node()->num_inputs(); }

Output GradientContext::input(int i) const {
  const OutputRef& input = op_.node()->inputs()[static_cast<size_t>(i)];
  return {scope_.builder(), input.node, input.index};
}

bool GradientContext::BoolAttr(std::string_view name) const {
  return op_.node()->attrs().GetBool(name);
}
const std::vector<int64_t>& GradientContext::IntsAttr(std::string_view name) const {
  return op_.node()->attrs().GetInts(name);
}
std::string GradientContext::StringAttr(std::string_view name) const {
  return std::string(op_.node()->attrs().GetString(name));
}

OpBuilder& GradientContext::CopyWindow(OpBuilder& builder) const {
  const AttrMap& attrs = op_.node()->attrs();
  for (const char* name : {"strides", "ksize", "dilations", "explicit_paddings"}) {
    if (attrs.Find(name) != nullptr) builder.Attr(name, attrs.GetInts(name));
  }
  for (const char* name : {"padding", "data_format"}) {
    if (attrs.Find(name) != nullptr)
      builder.Attr(name, std::string(attrs.GetString(name)));
  }
  return builder;
}

std::vector<Output> Gradients(const Scope& scope, const std::vector<Output>& ys,
                              const std::vector<Output>& xs,
                              const std::vector<Output>& seeds) {
  if (!scope.status().ok()) return std::vector<Output>(xs.size());
  for (const Output& y : ys) {
    if (!y || !IsFloatingType(y.dtype())) {
      scope.Fail(InvalidArgument("Gradients: '" + y.name() + "' of type " +
                                 std::string(DTypeName(y.dtype())) +
                                 " has no gradient: only floating point values have"));
      return std::vector<Output>(xs.size());
    }
  }
  return Walk(scope, ys, xs).Run(seeds);
}

void RegisterGradient(std::string_view op, GradientFn fn) {
  Registry()[std::string(op)] = std::move(fn);
}

namespace internal {

const GradientFn* FindGradient(std::string_view op) {
  static const bool registered = [] {
    RegisterArrayGradients();
    RegisterMathGradients();
    RegisterReductionGradients();
    RegisterNnGradients();
    return true;
  }();
  (void)registered;
  const auto it = Registry().find(op);
  return it == Registry().end() ? nullptr : &it->second;
}

bool IsNotDifferentiable(std::string_view op) {
  static const auto* ops =
      new std::unordered_set<std::string_view>{"ArgMax",
                                               "ArgMin",
                                               "Equal",
                                               "NotEqual",
                                               "Greater",
                                               "GreaterEqual",
                                               "Less",
                                               "LessEqual",
                                               "LogicalAnd",
                                               "LogicalOr",
                                               "LogicalNot",
                                               "Shape",
                                               "ShapeN",
                                               "Size",
                                               "Rank",
                                               "Range",
                                               "OneHot",
                                               "Floor",
                                               "Ceil",
                                               "Round",
                                               "Rint",
                                               "Sign",
                                               "ZerosLike",
                                               "OnesLike",
                                               "StopGradient",
                                               "RandomUniform",
                                               "RandomStandardNormal",
                                               "TruncatedNormal",
                                               "BroadcastGradientArgs",
                                               "VariableV2",
                                               "IsVariableInitialized",
                                               "InvertPermutation",
                                               "FloorDiv"};
  return ops->count(op) > 0;
}

}  // namespace internal
}  // namespace berth::client
