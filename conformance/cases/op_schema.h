// Names and types of the arguments and attributes of the ops that have cases: what a
// caller must know beside an OpCall to put it as a node.
#pragma once

#include <string>
#include <vector>

#include "conformance/reference/op_call.h"

namespace berth::conformance {

// One op, as TensorFlow's OpDef has it. Arguments are "name:type", parted by blanks; a
// type is a dtype or a type attribute; "&T" is a variable by reference, "resource" one by
// handle, "N*T" a list. Attributes are "name" or "name=default".
struct OpSchema {
  const char* op;
  const char* type_attr;  // the attribute that a case's dtype stands for; "" without one
  const char* inputs;
  const char* outputs;
  const char* attrs;
  const char* dtypes;  // that the reference computes and an OpDef allows
};

// All of them, sorted by op.
const std::vector<OpSchema>& OpSchemas();
// nullptr for an op that has no cases.
const OpSchema* FindSchema(const std::string& op);
std::vector<DType> DTypesOf(const OpSchema& schema);

struct InputInfo {
  std::string name;          // the OpDef's argument; a list repeats it
  bool is_variable = false;  // a reference or a resource
};
// One for each input of the call. REQUIRES: FindSchema(call.op).
std::vector<InputInfo> InputsOf(const OpCall& call);

// Sets what follows from the schema where the call does not have it: defaults, the type
// attributes of its inputs, the length of its list.
void CompleteAttrs(const OpSchema& schema, OpCall* call);

}  // namespace berth::conformance
