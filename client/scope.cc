#include "client/scope.h"

#include <algorithm>
#include <utility>

#include "client/graph_builder.h"
#include "core/formats/graphdef.h"
#include "core/registry/device_name.h"

namespace berth::client {

std::string Output::name() const {
  return node_ ? node_->name() + ":" + std::to_string(index_) : "<none>";
}
std::string Output::op_name() const { return node_ ? node_->name() : "<none>"; }
DType Output::dtype() const {
  return node_ ? BaseType(node_->output_type(index_)) : BERTH_INVALID_DTYPE;
}
const Shape& Output::shape() const {
  static const Shape* unknown = new Shape(Shape::UnknownRank());
  return node_ ? builder_->shape(node_, index_) : *unknown;
}

std::string Operation::name() const { return node_ ? node_->name() : "<none>"; }
int Operation::num_outputs() const { return node_ ? node_->num_outputs() : 0; }
Output Operation::output(int i) const {
  return node_ && i < node_->num_outputs() ? Output(builder_, node_, i) : Output();
}

Scope Scope::Root() { return Scope(std::make_shared<GraphBuilder>()); }

std::string Scope::Merge(const std::string& outer, std::string_view inner) const {
  if (inner.empty()) return "";
  Result<DeviceSpec> outer_spec = DeviceSpec::Parse(outer);
  Result<DeviceSpec> inner_spec = DeviceSpec::Parse(inner);
  if (!outer_spec.ok() || !inner_spec.ok()) {
    Fail(outer_spec.ok() ? inner_spec.status() : outer_spec.status());
    return outer;
  }
  return outer_spec->MergedWith(*inner_spec).ToString();
}

Scope Scope::Device(std::string_view spec) const {
  Scope scope = *this;
  scope.device_ = Merge(device_, spec);
  return scope;
}

Scope Scope::VariableDevice(std::string_view spec) const {
  Scope scope = *this;
  scope.variable_device_ = Merge(variable_device_, spec);
  return scope;
}

Scope Scope::Name(std::string_view name) const {
  Scope scope = *this;
  scope.prefix_ = builder_->UniqueName(prefix_ + std::string(name)) + "/";
  return scope;
}

Scope Scope::Absolute() const {
  Scope scope = *this;
  scope.prefix_.clear();
  return scope;
}

Scope Scope::After(std::initializer_list<Operation> operations) const {
  Scope scope = *this;
  scope.after_.insert(scope.after_.end(), operations.begin(), operations.end());
  return scope;
}

Scope Scope::ColocateWith(Output output) const {
  Scope scope = *this;
  scope.colocation_.push_back("loc:@" + output.op_name());
  return scope;
}

Scope Scope::ForVariables() const {
  Scope scope = *this;
  if (!variable_device_.empty()) scope.device_ = Merge(device_, variable_device_);
  return scope;
}

const Status& Scope::status() const { return builder_->status(); }
void Scope::Fail(Status status) const { builder_->Fail(std::move(status)); }

Result<std::string> Scope::ToGraphDef() const {
  BERTH_RETURN_IF_ERROR(status());
  return ExportGraphDef(builder_->graph());
}

OpBuilder::OpBuilder(const Scope& scope, std::string_view op, std::string_view name)
    : scope_(scope), spec_(std::make_unique<NodeSpec>()) {
  spec_->op = std::string(op);
  spec_->name = std::string(name.empty() ? op : name);
}

OpBuilder::~OpBuilder() = default;

OpBuilder& OpBuilder::Input(const Output& input) {
  inputs_.push_back(input);
  return *this;
}

OpBuilder& OpBuilder::Inputs(const std::vector<Output>& inputs) {
  inputs_.insert(inputs_.end(), inputs.begin(), inputs.end());
  return *this;
}

OpBuilder& OpBuilder::After(const Operation& operation) {
  if (operation) spec_->control_inputs.push_back(operation.node());
  return *this;
}

OpBuilder& OpBuilder::Set(std::string_view name, AttrValue value) {
  spec_->attrs.Set(name, std::move(value));
  return *this;
}

OpBuilder& OpBuilder::Attr(std::string_view name, int64_t value) {
  return Set(name, AttrValue::Int(value));
}
OpBuilder& OpBuilder::Attr(std::string_view name, int value) {
  return Set(name, AttrValue::Int(value));
}
OpBuilder& OpBuilder::Attr(std::string_view name, bool value) {
  return Set(name, AttrValue::Bool(value));
}
OpBuilder& OpBuilder::Attr(std::string_view name, float value) {
  return Set(name, AttrValue::Float(value));
}
OpBuilder& OpBuilder::Attr(std::string_view name, const char* value) {
  return Set(name, AttrValue::String(value));
}
OpBuilder& OpBuilder::Attr(std::string_view name, const std::string& value) {
  return Set(name, AttrValue::String(value));
}
OpBuilder& OpBuilder::Attr(std::string_view name, const Shape& value) {
  return Set(name, AttrValue::OfShape(value));
}
OpBuilder& OpBuilder::Attr(std::string_view name, const Tensor& value) {
  return Set(name, AttrValue::OfTensor(value));
}
OpBuilder& OpBuilder::Attr(std::string_view name, const std::vector<int64_t>& value) {
  ListAttr list;
  list.i = value;
  return Set(name, AttrValue::OfList(std::move(list)));
}
OpBuilder& OpBuilder::TypeAttr(std::string_view name, DType value) {
  return Set(name, AttrValue::Type(value));
}
OpBuilder& OpBuilder::TypeListAttr(std::string_view name,
                                   const std::vector<DType>& value) {
  ListAttr list;
  list.type = value;
  return Set(name, AttrValue::OfList(std::move(list)));
}

namespace {

// Sets the type and number attributes that the inputs decide and nobody has set. What
// stays ambiguous is left to the graph's own checks, which name the attribute.
void DeduceAttrs(const OpSchema& schema, NodeSpec* spec) {
  size_t next = 0;
  const auto dtype_of = [spec](size_t i) {
    const OutputRef& input = spec->inputs[i];
    return BaseType(input.node->output_type(input.index));
  };
  const auto set = [spec](const std::string& name, AttrValue value) {
    if (!name.empty() && spec->attrs.Find(name) == nullptr) {
      spec->attrs.Set(name, std::move(value));
    }
  };
  for (size_t a = 0; a < schema.inputs.size() && next < spec->inputs.size(); ++a) {
    const ArgSchema& arg = schema.inputs[a];
    // A list argument takes what the arguments behind it leave.
    const size_t behind = schema.inputs.size() - a - 1;
    const size_t left = spec->inputs.size() - next;
    const bool is_list = !arg.number_attr.empty() || !arg.type_list_attr.empty();
    size_t count = is_list ? left - std::min(left, behind) : 1;
    if (!arg.number_attr.empty()) {
      count = static_cast<size_t>(
          spec->attrs.GetInt(arg.number_attr, static_cast<int64_t>(count)));
      set(arg.number_attr, AttrValue::Int(static_cast<int64_t>(count)));
    }
    if (!arg.type_list_attr.empty()) {
      ListAttr list;
      for (size_t i = 0; i < count; ++i) list.type.push_back(dtype_of(next + i));
      set(arg.type_list_attr, AttrValue::OfList(std::move(list)));
    } else if (count > 0) {
      set(arg.type_attr, AttrValue::Type(dtype_of(next)));
    }
    next += count;
  }
}

}  // namespace

Operation OpBuilder::Build() {
  GraphBuilder* builder = scope_.builder();
  if (!builder->status().ok()) return {};
  for (const Output& input : inputs_) {
    if (!input) {
      builder->Fail(InvalidArgument("op '" + spec_->op + "' (" + scope_.prefix() +
                                    spec_->name + "): an input is no output of any op"));
      return {};
    }
    spec_->inputs.push_back({input.node(), input.index()});
  }
  spec_->name = builder->UniqueName(scope_.prefix() + spec_->name);
  spec_->device = scope_.device_;
  for (const Operation& operation : scope_.after_) After(operation);
  if (!scope_.colocation_.empty()) {
    ListAttr list;
    list.s = scope_.colocation_;
    Set("_class", AttrValue::OfList(std::move(list)));
  }
  if (const OpSchema* schema = builder->graph().ops().Find(spec_->op)) {
    DeduceAttrs(*schema, spec_.get());
  }
  return {builder, builder->Add(std::move(*spec_))};
}

Output OpBuilder::BuildOutput() { return Build().output(0); }

}  // namespace berth::client
