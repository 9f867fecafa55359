#include "core/plugin/plugin_ops.h"

#include <algorithm>
#include <climits>
#include <utility>

#include "berth/proto/op_def.pb.h"
#include "core/formats/attr_wire.h"
#include "core/ops/inference_context.h"
#include "core/plugin/dll_file.h"
#include "core/registry/abi_read.h"
#include "core/registry/node_abi.h"

namespace berth {
namespace {

ArgSchema ReadArg(const tf::OpDef::ArgDef& def) {
  ArgSchema arg;
  arg.name = def.name();
  arg.dtype = def.type();
  arg.type_attr = def.type_attr();
  arg.number_attr = def.number_attr();
  arg.type_list_attr = def.type_list_attr();
  arg.is_ref = def.is_ref();
  return arg;
}

Result<AttrSchema> ReadAttr(const tf::OpDef::AttrDef& def) {
  AttrSchema attr;
  attr.name = def.name();
  attr.type = def.type();
  if (def.has_default_value()) {
    Result<AttrValue> value =
        formats::DecodeAttrValue(def.default_value().SerializeAsString());
    if (!value.ok()) {
      return value.status().WithPrefix("the default of attribute '" + def.name() + "': ");
    }
    attr.default_value = *std::move(value);
  }
  if (def.has_minimum()) attr.minimum = def.minimum();
  const auto& allowed = def.allowed_values().list();
  for (int type : allowed.type()) attr.allowed_types.push_back(type);
  for (const std::string& text : allowed.s()) attr.allowed_strings.push_back(text);
  return attr;
}

// What every argument refers to must be there.
Status CheckArg(const OpSchema& schema, const ArgSchema& arg) {
  const auto has = [&](const std::string& attr, std::string_view type) {
    const AttrSchema* found = schema.FindAttr(attr);
    return found != nullptr && found->type == type;
  };
  const std::string where = "argument '" + arg.name + "' ";
  const int kinds = (arg.dtype != BERTH_INVALID_DTYPE ? 1 : 0) +
                    (!arg.type_attr.empty() ? 1 : 0) +
                    (!arg.type_list_attr.empty() ? 1 : 0);
  if (arg.name.empty()) return InvalidArgument("an argument has no name");
  if (kinds != 1) {
    return InvalidArgument(where + "needs one of type, type_attr, type_list_attr");
  }
  if (arg.dtype != BERTH_INVALID_DTYPE && !IsKnownDType(arg.dtype)) {
    return InvalidArgument(where + "has the unknown dtype " + std::to_string(arg.dtype));
  }
  if (!arg.type_attr.empty() && !has(arg.type_attr, "type")) {
    return InvalidArgument(where + "names '" + arg.type_attr +
                           "', which is no attribute of kind type");
  }
  if (!arg.number_attr.empty() && !has(arg.number_attr, "int")) {
    return InvalidArgument(where + "names '" + arg.number_attr +
                           "', which is no attribute of kind int");
  }
  if (!arg.type_list_attr.empty() && !has(arg.type_list_attr, "list(type)")) {
    return InvalidArgument(where + "names '" + arg.type_list_attr +
                           "', which is no attribute of kind list(type)");
  }
  return OkStatus();
}

// TensorFlow's rule for names with a vendor in front: "Vendor>Op".
bool IsVendorName(std::string_view name) {
  const size_t mark = name.find('>');
  return mark != std::string_view::npos && mark > 0 && mark + 1 < name.size();
}

// The shape function of every op whose plugin brings one. Runs at import and again with
// concrete shapes.
Status PluginShapes(InferenceContext& c) {
  const berth_op_def def = ReadAbi(c.schema().plugin_op);
  std::vector<Shape> inputs;
  std::vector<const Tensor*> constants;
  for (int i = 0; i < c.num_inputs(); ++i) {
    inputs.push_back(c.input(i));
    constants.push_back(c.input_value(i));
  }
  NodeAbiView::Args args;
  args.schema = &c.schema();
  args.attrs = &c.attrs();
  args.name = c.node_name();
  args.input_shapes = inputs;
  args.constants = constants;
  const NodeAbiView view(args);
  std::vector<berth_shape> outputs(static_cast<size_t>(c.num_outputs()));
  for (berth_shape& shape : outputs) shape.rank = -1;
  const std::string where = "the shape function of plugin '" + c.schema().plugin + "'";
  const Status status = CallPlugin(where, [&](berth_error* error) {
    return def.infer_shapes(&view.abi(), outputs.data(), error);
  });
  if (!status.ok()) return c.Error(std::string(status.message()));
  for (int i = 0; i < c.num_outputs(); ++i) {
    const berth_shape& shape = outputs[static_cast<size_t>(i)];
    if (shape.rank > BERTH_MAX_RANK) {
      return c.Error(where + " gave output " + std::to_string(i) + " the rank " +
                     std::to_string(shape.rank) + "; the most is " +
                     std::to_string(BERTH_MAX_RANK));
    }
    if (shape.rank >= 0) {
      c.set_output(i, Shape(shape.dims, static_cast<size_t>(shape.rank)));
    }
  }
  return OkStatus();
}

}  // namespace

Result<OpSchema> ReadOpDef(const berth_op_def& def, const std::string& plugin) {
  tf::OpDef proto;
  if (def.op_def == nullptr || def.op_def_size == 0 || def.op_def_size > INT_MAX ||
      !proto.ParseFromArray(def.op_def, static_cast<int>(def.op_def_size))) {
    return InvalidArgument("the bytes are no serialized OpDef");
  }
  OpSchema schema;
  schema.name = proto.name();
  schema.plugin = plugin;
  if (schema.name.empty()) return InvalidArgument("the OpDef has no name");
  for (const auto& arg : proto.input_arg()) schema.inputs.push_back(ReadArg(arg));
  for (const auto& arg : proto.output_arg()) schema.outputs.push_back(ReadArg(arg));
  for (const auto& def_attr : proto.attr()) {
    BERTH_ASSIGN_OR_RETURN(AttrSchema attr, ReadAttr(def_attr));
    schema.attrs.push_back(std::move(attr));
  }
  schema.is_stateful = proto.is_stateful();
  schema.is_commutative = proto.is_commutative();
  schema.is_aggregate = proto.is_aggregate();
  schema.allows_uninitialized_input = proto.allows_uninitialized_input();
  if (proto.has_deprecation()) {
    schema.deprecation = proto.deprecation().explanation();
    schema.deprecated_since = proto.deprecation().version();
  }
  for (const auto* args : {&schema.inputs, &schema.outputs}) {
    for (const ArgSchema& arg : *args) {
      BERTH_RETURN_IF_ERROR(
          CheckArg(schema, arg).WithPrefix("op '" + schema.name + "': "));
    }
  }
  return schema;
}

Status RegisterPluginOps(const berth_plugin& table, OpRegistry* ops,
                         std::vector<std::string>* registered) {
  registered->clear();
  Status status;
  for (uint32_t i = 0; i < table.num_ops && status.ok(); ++i) {
    const berth_op_def def = ReadAbi(table.ops[i]);
    Result<OpSchema> schema = ReadOpDef(def, table.name);
    if (!schema.ok()) {
      status =
          std::move(schema).status().WithPrefix("its op " + std::to_string(i) + ": ");
      break;
    }
    schema->plugin_op = table.ops[i];
    if (def.infer_shapes != nullptr) schema->shape_fn = &PluginShapes;
    const std::string name = schema->name;
    if (ops->Find(name) == nullptr && !IsVendorName(name)) {
      status = InvalidArgument("op '" + name +
                               "': an op that a plugin brings is called 'Vendor>Op'");
      break;
    }
    status = ops->Register(*std::move(schema));
    if (status.ok()) registered->push_back(name);
  }
  if (status.ok()) return status;
  UnregisterOps(*registered, table.name, ops);
  registered->clear();
  return status.WithPrefix("plugin '" + std::string(table.name) + "': ");
}

void UnregisterOps(const std::vector<std::string>& names, std::string_view plugin,
                   OpRegistry* ops) {
  for (const std::string& name : names) ops->Unregister(name, plugin);
}

}  // namespace berth
