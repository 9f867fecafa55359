#include "core/graph/shape_refiner.h"

#include <absl/container/node_hash_map.h>

#include <algorithm>
#include <string>

#include "core/graph/value_propagation.h"
#include "core/ops/op_schema.h"

namespace berth {
namespace {

bool IsShapeDType(DType dtype) { return dtype == BERTH_INT32 || dtype == BERTH_INT64; }

Status RunShapeFunction(const Node& node, InferenceContext* c) {
  if (node.schema().shape_fn == nullptr) return OkStatus();
  return node.schema().shape_fn(*c);
}

// An integer scalar or vector as a tensor; nullopt when a value does not fit.
std::optional<Tensor> MakeTensor(DType dtype, const Shape& shape,
                                 const Elements& values) {
  Result<Tensor> tensor = Tensor::Allocate(dtype, shape);
  if (!tensor.ok()) return std::nullopt;
  for (size_t i = 0; i < values.size(); ++i) {
    if (dtype == BERTH_INT64) {
      tensor->mutable_data<int64_t>()[i] = values[i];
    } else {
      const auto narrow = static_cast<int32_t>(values[i]);
      if (narrow != values[i]) return std::nullopt;
      tensor->mutable_data<int32_t>()[i] = narrow;
    }
  }
  return *std::move(tensor);
}

}  // namespace

Status InferNodeShapes(const Node& node, const InferenceContext::Args& args,
                       std::vector<Shape>* outputs) {
  InferenceContext::Args all = args;
  all.schema = &node.schema();
  all.attrs = &node.attrs();
  all.node_name = node.name();
  all.num_outputs = node.num_outputs();
  all.at_run_time = true;
  InferenceContext c(all);
  BERTH_RETURN_IF_ERROR(RunShapeFunction(node, &c));
  *outputs = std::move(c.outputs());
  return OkStatus();
}

struct ShapeRefiner::Impl {
  explicit Impl(const Graph* g) : graph(g) {}

  const Graph* graph;
  std::vector<uint32_t> first = {0};  // index of a node's output 0
  std::vector<Shape> shapes;
  // By output index. Few outputs have an entry, and an entry stays where it is.
  absl::node_hash_map<uint32_t, Tensor> values;
  absl::node_hash_map<uint32_t, Elements> elements;
  absl::node_hash_map<uint32_t, HandleShape> handles;

  // Room for one node's inputs, kept from node to node.
  std::vector<Shape> input_shapes;
  std::vector<const Tensor*> input_values;
  std::vector<const Elements*> input_elements;
  std::vector<const HandleShape*> input_handles;

  int num_nodes() const { return static_cast<int>(first.size()) - 1; }
  uint32_t Index(const Node& node, int output) const {
    return first[node.id()] + static_cast<uint32_t>(output);
  }
  const Tensor* Value(const Node& node, int output) const;
  bool GatherInputs(const Node& node);
  Status Infer(const Node& node);
  void KeepElements(const InferenceContext& c, const Node& node, int output);
};

const Tensor* ShapeRefiner::Impl::Value(const Node& node, int output) const {
  if (node.op() == "Const") return node.attrs().GetTensor("value");
  const auto it = values.find(Index(node, output));
  return it == values.end() ? nullptr : &it->second;
}

// False when an input is not known yet: a back edge.
bool ShapeRefiner::Impl::GatherInputs(const Node& node) {
  const auto count = static_cast<size_t>(node.num_inputs());
  input_shapes.resize(count);
  input_values.assign(count, nullptr);
  input_elements.assign(count, nullptr);
  input_handles.assign(count, nullptr);
  for (size_t i = 0; i < count; ++i) {
    const OutputRef& ref = node.inputs()[i];
    if (ref.node == nullptr || ref.node->id() >= node.id()) return false;
    const uint32_t index = Index(*ref.node, ref.index);
    input_shapes[i] = shapes[index];
    const DType dtype = ref.node->output_type(ref.index);
    if (dtype == BERTH_RESOURCE) {
      const auto it = handles.find(index);
      if (it != handles.end()) input_handles[i] = &it->second;
      continue;
    }
    input_values[i] = Value(*ref.node, ref.index);
    if (input_values[i] == nullptr && IsShapeDType(dtype)) {
      const auto it = elements.find(index);
      if (it != elements.end()) input_elements[i] = &it->second;
    }
  }
  return true;
}

Status ShapeRefiner::Impl::Infer(const Node& node) {
  const uint32_t begin = first.back();
  const auto end = begin + static_cast<uint32_t>(node.num_outputs());
  if (!GatherInputs(node)) {
    shapes.resize(end, Shape::UnknownRank());
    first.push_back(end);
    return OkStatus();
  }
  InferenceContext c({.schema = &node.schema(),
                      .attrs = &node.attrs(),
                      .node_name = node.name(),
                      .input_shapes = input_shapes,
                      .input_values = input_values,
                      .num_outputs = node.num_outputs(),
                      .input_elements = input_elements,
                      .input_handles = input_handles});
  BERTH_RETURN_IF_ERROR(RunShapeFunction(node, &c));
  first.push_back(end);
  for (int i = 0; i < node.num_outputs(); ++i) {
    shapes.push_back(std::move(c.outputs()[i]));
    if (const HandleShape* handle = c.output_handle(i);
        handle != nullptr && handle->dtype != BERTH_INVALID_DTYPE) {
      handles.emplace(begin + static_cast<uint32_t>(i), *handle);
    }
  }
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (IsShapeDType(node.output_type(i)) && node.num_inputs() > 0) {
      KeepElements(c, node, i);
    }
  }
  return OkStatus();
}

void ShapeRefiner::Impl::KeepElements(const InferenceContext& c, const Node& node,
                                      int output) {
  const uint32_t index = Index(node, output);
  Shape& shape = shapes[index];
  if (shape.rank() > 1) return;
  std::optional<Elements> known = PropagateElements(c, output);
  if (!known) return;
  const auto size = static_cast<int64_t>(known->size());
  if (shape.rank() == 0 ? size != 1 : !shape.IsCompatibleWith(Shape({size}))) return;
  if (shape.rank() == 1) shape.set_dim(0, size);
  if (!shape.has_rank()) return;
  if (std::find(known->begin(), known->end(), kUnknownElement) == known->end()) {
    if (auto tensor = MakeTensor(node.output_type(output), shape, *known)) {
      values.emplace(index, *std::move(tensor));
    }
  } else {
    elements.emplace(index, *std::move(known));
  }
}

ShapeRefiner::ShapeRefiner(const Graph* graph) : impl_(std::make_unique<Impl>(graph)) {}
ShapeRefiner::~ShapeRefiner() = default;

Status ShapeRefiner::Update() {
  const Graph& graph = *impl_->graph;
  while (impl_->num_nodes() < graph.num_nodes()) {
    BERTH_RETURN_IF_ERROR(impl_->Infer(*graph.node(impl_->num_nodes())));
  }
  return OkStatus();
}

void ShapeRefiner::TruncateTo(int num_nodes) {
  if (num_nodes >= impl_->num_nodes()) return;
  impl_->first.resize(static_cast<size_t>(num_nodes) + 1);
  const uint32_t end = impl_->first.back();
  impl_->shapes.resize(end);
  const auto behind = [end](const auto& entry) { return entry.first >= end; };
  absl::erase_if(impl_->values, behind);
  absl::erase_if(impl_->elements, behind);
  absl::erase_if(impl_->handles, behind);
}

int ShapeRefiner::num_nodes() const { return impl_->num_nodes(); }

const Shape& ShapeRefiner::shape(const Node& node, int output) const {
  return impl_->shapes[impl_->Index(node, output)];
}

std::span<const Shape> ShapeRefiner::shapes(const Node& node) const {
  return {impl_->shapes.data() + impl_->first[node.id()],
          static_cast<size_t>(node.num_outputs())};
}

const Tensor* ShapeRefiner::value(const Node& node, int output) const {
  return impl_->Value(node, output);
}

const HandleShape* ShapeRefiner::handle(const Node& node, int output) const {
  const auto it = impl_->handles.find(impl_->Index(node, output));
  return it == impl_->handles.end() ? nullptr : &it->second;
}

}  // namespace berth
