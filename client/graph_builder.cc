#include "client/graph_builder.h"

#include <utility>

#include "core/ops/inference_context.h"

namespace berth::client {

GraphBuilder::GraphBuilder() : graph_(OpRegistry::Global()) {}

void GraphBuilder::Fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
}

Node* GraphBuilder::Add(NodeSpec spec) {
  if (!status_.ok()) return nullptr;
  const int before = graph_.num_nodes();
  Result<Node*> node = graph_.AddNode(std::move(spec));
  Status status = node.ok() ? InferShapes(*node) : node.status();
  if (!status.ok()) {
    graph_.TruncateTo(before);
    Fail(std::move(status));
    return nullptr;
  }
  return *node;
}

Status GraphBuilder::InferShapes(const Node* node) {
  std::vector<Shape> input_shapes;
  std::vector<const Tensor*> input_values;
  for (const OutputRef& input : node->inputs()) {
    input_shapes.push_back(shape(input.node, input.index));
    input_values.push_back(constant(input.node, input.index));
  }
  InferenceContext context({&node->schema(), &node->attrs(), node->name(), input_shapes,
                            input_values, node->num_outputs()});
  if (node->schema().shape_fn != nullptr) {
    BERTH_RETURN_IF_ERROR(node->schema().shape_fn(context));
  }
  shapes_.push_back(std::move(context.outputs()));
  return {};
}

std::string GraphBuilder::UniqueName(const std::string& wanted) {
  const auto [entry, fresh] = used_names_.try_emplace(wanted, 0);
  if (fresh) return wanted;
  std::string name;
  do {
    name = wanted + "_" + std::to_string(++entry->second);
  } while (used_names_.count(name) > 0);
  used_names_.emplace(name, 0);
  return name;
}

const Shape& GraphBuilder::shape(const Node* node, int output) const {
  return shapes_[static_cast<size_t>(node->id())][static_cast<size_t>(output)];
}

const Tensor* GraphBuilder::constant(const Node* node, int output) const {
  if (output != 0 || node->op() != "Const") return nullptr;
  return node->attrs().GetTensor("value");
}

}  // namespace berth::client
