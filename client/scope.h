// Scopes: where, under which name and with what constraints ops are added to a graph.
//
//   Scope root = Scope::Root();
//   Scope gpu = root.Device("/gpu:0").VariableDevice("/cpu:0");
//   Output y = ops::Relu(gpu.Name("hidden"), x);
//
// A Scope is a small value; copies share the graph. Building is not thread-safe: one
// thread builds a graph. The first error sticks: later ops are not added, and status(),
// as well as every Session::Run on the graph, reports it.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/dtype.h"
#include "core/base/shape.h"
#include "core/base/status.h"
#include "core/base/tensor.h"

namespace berth {
class Node;
class AttrValue;
struct NodeSpec;
}  // namespace berth

namespace berth::client {

class GraphBuilder;

// One output of an op: what other ops take as input and what a run fetches. A
// default-made Output is "none". Valid as long as its graph (any Scope of it) lives.
class Output {
 public:
  Output() = default;
  Output(GraphBuilder* builder, Node* node, int index)
      : builder_(builder), node_(node), index_(index) {}

  explicit operator bool() const { return node_ != nullptr; }
  Node* node() const { return node_; }
  int index() const { return index_; }
  // "scope/op:0".
  std::string name() const;
  // "scope/op".
  std::string op_name() const;
  // Base type, also of a reference.
  DType dtype() const;
  // What is known before a run; unknown sizes are -1.
  const Shape& shape() const;
  bool operator==(const Output&) const = default;

 private:
  GraphBuilder* builder_ = nullptr;
  Node* node_ = nullptr;
  int index_ = 0;
};

// An op without a value of interest: a training step, a group, an initialiser.
class Operation {
 public:
  Operation() = default;
  Operation(GraphBuilder* builder, Node* node) : builder_(builder), node_(node) {}
  explicit operator bool() const { return node_ != nullptr; }
  Node* node() const { return node_; }
  std::string name() const;
  int num_outputs() const;
  // Output `i`; none when the op could not be added.
  Output output(int i) const;

 private:
  GraphBuilder* builder_ = nullptr;
  Node* node_ = nullptr;
};

class Scope {
 public:
  // A new, empty graph.
  static Scope Root();

  // Ops get this device; nested scopes merge field by field, the inner one wins, and what
  // it leaves open the outer one fills. `Device("")` clears.
  Scope Device(std::string_view spec) const;
  // Variables (and their slots) get this device, whatever Device says.
  Scope VariableDevice(std::string_view spec) const;
  // Names get "name/" in front; a name that is taken gets _1, _2, …
  Scope Name(std::string_view name) const;
  // The same scope with an empty name prefix: names made here are whole names.
  Scope Absolute() const;
  // Ops run after these.
  Scope After(std::initializer_list<Operation> operations) const;
  // Ops are placed with `output`'s op (a colocation constraint).
  Scope ColocateWith(Output output) const;
  // For variables: the same scope on the variable device.
  Scope ForVariables() const;

  // OK, or the first thing that went wrong while building.
  const Status& status() const;
  void Fail(Status status) const;
  // The text of a GraphDef of everything built so far; binary, wire-compatible.
  Result<std::string> ToGraphDef() const;
  // The prefix of names made here, with its '/' ("" at the top).
  const std::string& prefix() const { return prefix_; }

  GraphBuilder* builder() const { return builder_.get(); }
  std::shared_ptr<GraphBuilder> shared_builder() const { return builder_; }

 private:
  friend class OpBuilder;
  explicit Scope(std::shared_ptr<GraphBuilder> builder) : builder_(std::move(builder)) {}
  std::string Merge(const std::string& outer, std::string_view inner) const;

  std::shared_ptr<GraphBuilder> builder_;
  std::string prefix_;
  std::string device_;
  std::string variable_device_;
  std::vector<Operation> after_;
  std::vector<std::string> colocation_;
};

// Adds one op of any kind: what ops:: functions are made of, and the way to ops that have
// no function yet.
//
//   Operation op = OpBuilder(scope, "Split").Input(axis).Input(x).Attr("num_split",
//   2).Build();
class OpBuilder {
 public:
  // `name` = the op's own name when empty.
  OpBuilder(const Scope& scope, std::string_view op, std::string_view name = {});
  ~OpBuilder();
  OpBuilder(const OpBuilder&) = delete;
  OpBuilder& operator=(const OpBuilder&) = delete;

  OpBuilder& Input(const Output& input);
  OpBuilder& Inputs(const std::vector<Output>& inputs);  // a list argument, or several
  OpBuilder& After(const Operation& operation);
  OpBuilder& Attr(std::string_view name, int64_t value);
  OpBuilder& Attr(std::string_view name, int value);
  OpBuilder& Attr(std::string_view name, bool value);
  OpBuilder& Attr(std::string_view name, float value);
  OpBuilder& Attr(std::string_view name, const char* value);
  OpBuilder& Attr(std::string_view name, const std::string& value);
  OpBuilder& Attr(std::string_view name, const Shape& value);
  OpBuilder& Attr(std::string_view name, const Tensor& value);
  OpBuilder& Attr(std::string_view name, const std::vector<int64_t>& value);
  OpBuilder& TypeAttr(std::string_view name, DType value);
  OpBuilder& TypeListAttr(std::string_view name, const std::vector<DType>& value);

  // Type attributes that inputs decide need not be set. An invalid operation on error.
  Operation Build();
  // Build().output(0).
  Output BuildOutput();

 private:
  OpBuilder& Set(std::string_view name, AttrValue value);

  Scope scope_;
  std::unique_ptr<NodeSpec> spec_;
  std::vector<Output> inputs_;
};

}  // namespace berth::client
