#include "conformance/suite/device/op_node.h"

#include <cstring>
#include <utility>

#include "core/base/tensor.h"
#include "core/ops/inference_context.h"

namespace berth::conformance {
namespace {

berth::AttrValue ToCore(const AttrValue& value) {
  using Core = berth::AttrValue;
  if (const auto* i = std::get_if<int64_t>(&value)) return Core::Int(*i);
  if (const auto* f = std::get_if<float>(&value)) return Core::Float(*f);
  if (const auto* b = std::get_if<bool>(&value)) return Core::Bool(*b);
  if (const auto* s = std::get_if<std::string>(&value)) return Core::String(*s);
  if (const auto* t = std::get_if<TypeAttr>(&value)) return Core::Type(t->dtype);
  return Core::OfList(berth::ListAttr{.i = std::get<std::vector<int64_t>>(value)});
}

Result<Tensor> ToTensor(const HostTensor& from) {
  Result<Tensor> tensor = Tensor::Allocate(from.dtype, Shape(from.dims));
  if (tensor.ok() && !from.bytes.empty()) {
    std::memcpy(tensor->raw(), from.bytes.data(), from.bytes.size());
  }
  return tensor;
}

// The shape function also wants the values of small integer inputs: sizes, axes,
// paddings.
bool MayBeShapeArgument(const HostTensor& tensor) {
  return (tensor.dtype == BERTH_INT32 || tensor.dtype == BERTH_INT64) &&
         tensor.num_elements() <= 256;
}

}  // namespace

Result<std::unique_ptr<OpNode>> OpNode::Make(const OpCall& call,
                                             const std::string& device) {
  std::unique_ptr<OpNode> node(new OpNode());
  node->schema_ = OpRegistry::Global()->Find(call.op);
  if (node->schema_ == nullptr) return InvalidArgument("no op is called " + call.op);
  for (const auto& [name, value] : call.attrs) node->attrs_.Set(name, ToCore(value));
  // What an op is told of its inputs' shape by attribute (AccumulateNV2).
  for (const AttrSchema& attr : node->schema_->attrs) {
    if (attr.type == "shape" && !attr.default_value.has_value() && !call.inputs.empty()) {
      node->attrs_.Set(attr.name, berth::AttrValue::OfShape(Shape(call.input(0).dims)));
    }
  }
  BERTH_RETURN_IF_ERROR(berth::CompleteAttrs(*node->schema_, &node->attrs_));

  std::vector<DType> input_dtypes;
  BERTH_RETURN_IF_ERROR(
      ResolveArgTypes(node->schema_->inputs, node->attrs_, &input_dtypes));
  BERTH_RETURN_IF_ERROR(
      ResolveArgTypes(node->schema_->outputs, node->attrs_, &node->output_dtypes_));
  for (DType& dtype : node->output_dtypes_) dtype = BaseType(dtype);
  if (input_dtypes.size() != call.inputs.size()) {
    return InvalidArgument(call.op + " takes " + std::to_string(input_dtypes.size()) +
                           " inputs, the case has " + std::to_string(call.inputs.size()));
  }
  for (const HostTensor& input : call.inputs)
    node->input_shapes_.emplace_back(input.dims);
  BERTH_RETURN_IF_ERROR(node->InferShapes(call));

  std::vector<Shape> sizeless;
  for (const Shape& shape : node->input_shapes_) {
    sizeless.push_back(Shape::UnknownDims(shape.rank()));
  }
  NodeAbiView::Args args;
  args.schema = node->schema_;
  args.attrs = &node->attrs_;
  args.name = "node";
  args.device = device;
  node->rankless_ = std::make_unique<NodeAbiView>(args);
  args.input_shapes = sizeless;
  node->sizeless_ = std::make_unique<NodeAbiView>(args);
  args.input_shapes = node->input_shapes_;
  args.output_shapes = node->output_shapes_;
  node->known_ = std::make_unique<NodeAbiView>(args);

  int reference = -1;
  for (uint32_t i = 0; i < node->abi().num_inputs && reference < 0; ++i) {
    if (node->abi().inputs[i]->is_ref != 0) reference = static_cast<int>(i);
  }
  for (uint32_t k = 0; k < node->abi().num_outputs; ++k) {
    node->aliases_.push_back(node->abi().outputs[k]->is_ref != 0 ? reference : -1);
  }
  return node;
}

Status OpNode::InferShapes(const OpCall& call) {
  output_shapes_.assign(output_dtypes_.size(), Shape::UnknownRank());
  if (schema_->shape_fn == nullptr) return OkStatus();
  std::vector<Tensor> values(call.inputs.size());
  std::vector<const Tensor*> known(call.inputs.size(), nullptr);
  // A resource input is a handle to the function; the case gives what is behind it.
  std::vector<HandleShape> handles(call.inputs.size());
  std::vector<const HandleShape*> known_handles(call.inputs.size(), nullptr);
  std::vector<DType> dtypes;
  BERTH_RETURN_IF_ERROR(ResolveArgTypes(schema_->inputs, attrs_, &dtypes));
  std::vector<Shape> shapes = input_shapes_;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    if (dtypes[i] == BERTH_RESOURCE) {
      handles[i] = {shapes[i], call.inputs[i].dtype};
      known_handles[i] = &handles[i];
      shapes[i] = Shape();
    } else if (MayBeShapeArgument(call.inputs[i])) {
      BERTH_ASSIGN_OR_RETURN(values[i], ToTensor(call.inputs[i]));
      known[i] = &values[i];
    }
  }
  InferenceContext::Args args;
  args.schema = schema_;
  args.attrs = &attrs_;
  args.node_name = "node";
  args.input_shapes = shapes;
  args.input_values = known;
  args.num_outputs = num_outputs();
  args.input_handles = known_handles;
  args.at_run_time = true;
  InferenceContext context(args);
  BERTH_RETURN_IF_ERROR(schema_->shape_fn(context));
  output_shapes_ = context.outputs();
  return OkStatus();
}

}  // namespace berth::conformance
