#include "core/registry/node_abi.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

#include "core/ops/op_schema.h"

namespace berth {
namespace {

berth_string StringView(const std::string& text) { return {text.data(), text.size()}; }

// Attributes of the importer and the placer; no kernel depends on them.
bool IsHidden(std::string_view name) {
  return name == "_class" || name == "_output_shapes";
}

// The dtype of the variable behind a resource: what the op's attribute says.
DType VariableType(const AttrMap& attrs) {
  const DType dtype = attrs.GetType("dtype");
  return dtype != BERTH_INVALID_DTYPE ? dtype : attrs.GetType("T");
}

}  // namespace

berth_tensor TensorView(const Tensor& tensor) {
  berth_tensor view = {};
  view.host_data = tensor.raw();
  view.byte_size = tensor.byte_size();
  view.rank = tensor.shape().rank();
  view.dims = tensor.shape().dims();
  view.dtype = tensor.dtype();
  if (tensor.buffer() && tensor.buffer()->memory() != nullptr) {
    view.memory = tensor.buffer()->memory();
    view.offset = tensor.buffer()->offset() + tensor.offset();
  }
  return view;
}

HostPositions HostPositionsOf(const Node& node, const berth_kernel_def* def) {
  HostPositions positions;
  if (def == nullptr) return positions;
  const auto mark = [](std::vector<bool>* bits, std::pair<int, int> range, int size) {
    if (range.first < 0) return;
    bits->resize(size);
    for (int i = range.first; i < std::min(range.second, size); ++i) (*bits)[i] = true;
  };
  const OpSchema& schema = node.schema();
  for (uint32_t k = 0; k < def->num_host_args; ++k) {
    const char* name = def->host_args[k];
    mark(&positions.inputs, ArgRange(schema.inputs, node.attrs(), name),
         node.num_inputs());
    mark(&positions.outputs, ArgRange(schema.outputs, node.attrs(), name),
         node.num_outputs());
  }
  for (uint32_t k = 0; k < def->num_prepare_args; ++k) {
    mark(&positions.prepare_inputs,
         ArgRange(schema.inputs, node.attrs(), def->prepare_args[k]), node.num_inputs());
  }
  return positions;
}

struct NodeAbiView::Impl {
  berth_node node = {};
  std::string name;
  std::string device;
  const AttrMap& node_attrs;
  // Not vectors: what is pushed later leaves what is there in place.
  std::deque<berth_attr> attrs;
  std::vector<const berth_attr*> attr_pointers;
  std::deque<berth_value_info> values;
  std::vector<const berth_value_info*> inputs;
  std::vector<const berth_value_info*> outputs;
  std::deque<berth_tensor> tensors;
  std::deque<std::vector<berth_tensor>> tensor_lists;
  std::deque<std::vector<berth_string>> string_lists;
  std::deque<std::vector<int64_t>> int_lists;

  explicit Impl(const Args& args)
      : name(args.node != nullptr ? args.node->name() : args.name),
        device(args.device),
        node_attrs(args.node != nullptr ? args.node->attrs() : *args.attrs) {
    const OpSchema& schema = args.node != nullptr ? args.node->schema() : *args.schema;
    node.struct_size = sizeof(node);
    node.name = name.c_str();
    node.op = schema.name.c_str();
    node.device = device.c_str();
    for (const auto& [attr, value] : node_attrs) {
      if (!IsHidden(attr)) AddAttr(attr, value);
    }
    const HostPositions host =
        args.node != nullptr ? HostPositionsOf(*args.node, args.def) : HostPositions();
    AddValues(schema.inputs, args.input_shapes, host.inputs, &inputs);
    AddValues(schema.outputs, args.output_shapes, host.outputs, &outputs);
    for (size_t i = 0; i < std::min(inputs.size(), args.constants.size()); ++i) {
      if (args.constants[i] != nullptr) {
        values[i].constant = KeepTensor(*args.constants[i]);
      }
    }
    node.num_attrs = static_cast<uint32_t>(attr_pointers.size());
    node.attrs = attr_pointers.data();
    node.num_inputs = static_cast<uint32_t>(inputs.size());
    node.inputs = inputs.data();
    node.num_outputs = static_cast<uint32_t>(outputs.size());
    node.outputs = outputs.data();
  }

  const berth_tensor* KeepTensor(const Tensor& tensor) {
    berth_tensor view = TensorView(tensor);
    if (tensor.dtype() == BERTH_STRING && tensor.raw() != nullptr) {
      std::vector<berth_string>& strings = string_lists.emplace_back();
      for (int64_t i = 0; i < tensor.num_elements(); ++i) {
        strings.push_back(StringView(tensor.strings()[i]));
      }
      view.host_data = strings.data();
      view.byte_size = strings.size() * sizeof(berth_string);
    }
    return &tensors.emplace_back(view);
  }

  static berth_tensor ShapeView(const Shape& shape) {
    berth_tensor view = {};
    view.rank = shape.rank();
    view.dims = shape.has_rank() ? shape.dims() : nullptr;
    return view;
  }

  void AddAttr(const std::string& attr_name, const AttrValue& value) {
    berth_attr attr = {};
    attr.struct_size = sizeof(attr);
    attr.name = attr_name.c_str();
    if (const auto* s = value.get<std::string>()) {
      attr.kind = BERTH_ATTR_STRING;
      attr.s = StringView(*s);
    } else if (const auto* i = value.get<int64_t>()) {
      attr.kind = BERTH_ATTR_INT;
      attr.i = *i;
    } else if (const auto* f = value.get<float>()) {
      attr.kind = BERTH_ATTR_FLOAT;
      attr.f = *f;
    } else if (const auto* b = value.get<bool>()) {
      attr.kind = BERTH_ATTR_BOOL;
      attr.i = *b ? 1 : 0;
    } else if (const auto* type = value.get<TypeAttr>()) {
      attr.kind = BERTH_ATTR_TYPE;
      attr.i = type->dtype;
    } else if (const auto* shape = value.get<Shape>()) {
      attr.kind = BERTH_ATTR_SHAPE;
      attr.rank = shape->rank();
      attr.ints = shape->has_rank() ? shape->dims() : nullptr;
      attr.count = static_cast<uint32_t>(std::max(shape->rank(), 0));
    } else if (const auto* tensor = value.get<Tensor>()) {
      attr.kind = BERTH_ATTR_TENSOR;
      attr.tensor = KeepTensor(*tensor);
    } else if (const auto* func = value.get<FuncAttr>()) {
      attr.kind = BERTH_ATTR_FUNC;
      attr.s = StringView(func->name);
    } else if (const ListAttr* list = value.list()) {
      SetList(*list, &attr);
    } else {
      return;  // a placeholder of a function body says nothing yet
    }
    attr_pointers.push_back(&attrs.emplace_back(attr));
  }

  template <typename T>
  void SetInts(const std::vector<T>& from, berth_attr_kind kind, berth_attr* attr) {
    attr->kind = kind;
    attr->ints = int_lists.emplace_back(from.begin(), from.end()).data();
  }

  void SetList(const ListAttr& list, berth_attr* attr) {
    attr->count = static_cast<uint32_t>(list.size());
    if (!list.s.empty()) {
      attr->kind = BERTH_ATTR_LIST_STRING;
      std::vector<berth_string>& strings = string_lists.emplace_back();
      for (const std::string& s : list.s) strings.push_back(StringView(s));
      attr->strings = strings.data();
    } else if (!list.f.empty()) {
      attr->kind = BERTH_ATTR_LIST_FLOAT;
      attr->floats = list.f.data();
    } else if (!list.b.empty()) {
      SetInts(list.b, BERTH_ATTR_LIST_BOOL, attr);
    } else if (!list.type.empty()) {
      SetInts(list.type, BERTH_ATTR_LIST_TYPE, attr);
    } else if (!list.shape.empty()) {
      attr->kind = BERTH_ATTR_LIST_SHAPE;
      std::vector<berth_tensor>& shapes = tensor_lists.emplace_back();
      for (const Shape& shape : list.shape) shapes.push_back(ShapeView(shape));
      attr->tensors = shapes.data();
    } else {
      // Lists of tensors and functions do not cross; an empty list reads as no integers.
      attr->count = static_cast<uint32_t>(list.i.size());
      SetInts(list.i, BERTH_ATTR_LIST_INT, attr);
    }
  }

  void AddValues(const std::vector<ArgSchema>& schema, std::span<const Shape> shapes,
                 const std::vector<bool>& host,
                 std::vector<const berth_value_info*>* out) {
    std::vector<DType> types;
    // A node's attributes were checked when it was added: this cannot fail.
    if (!ResolveArgTypes(schema, node_attrs, &types).ok()) return;
    size_t position = 0;
    for (const ArgSchema& arg : schema) {
      const Result<int> length = ArgLength(arg, node_attrs);
      const size_t end = position + (length.ok() ? std::max(*length, 0) : 0);
      for (; position < std::min(end, types.size()); ++position) {
        berth_value_info& info = values.emplace_back();
        info.struct_size = sizeof(info);
        info.arg_name = arg.name.c_str();
        SetType(types[position], &info);
        info.is_host = position < host.size() && host[position] ? 1 : 0;
        info.rank = -1;
        if (position < shapes.size() && shapes[position].has_rank()) {
          info.rank = shapes[position].rank();
          info.dims = shapes[position].dims();
        }
        out->push_back(&info);
      }
    }
  }

  void SetType(DType dtype, berth_value_info* info) const {
    info->dtype = BaseType(dtype);
    info->is_ref = IsRefType(dtype) ? 1 : 0;
    if (info->dtype != BERTH_RESOURCE) return;
    const DType behind = VariableType(node_attrs);
    if (behind != BERTH_INVALID_DTYPE) info->dtype = behind;
    info->is_ref = 1;
  }
};

NodeAbiView::NodeAbiView(const Args& args) : impl_(std::make_unique<Impl>(args)) {}
NodeAbiView::~NodeAbiView() = default;
const berth_node& NodeAbiView::abi() const { return impl_->node; }

}  // namespace berth
