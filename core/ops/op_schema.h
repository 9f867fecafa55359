// Op schemas: what TensorFlow calls an OpDef, plus the shape function.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/status.h"
#include "core/graph/attr_value.h"

namespace berth {

class InferenceContext;

// One input or output (OpDef.ArgDef). Exactly one of dtype, type_attr, type_list_attr is
// set.
struct ArgSchema {
  std::string name;
  DType dtype = BERTH_INVALID_DTYPE;
  std::string type_attr;       // "T"
  std::string number_attr;     // "N": a list of N tensors of one type
  std::string type_list_attr;  // "Tin": a list of tensors of these types
  bool is_ref = false;
};

// One attribute (OpDef.AttrDef).
struct AttrSchema {
  std::string name;
  std::string type;  // "int", "list(type)", "func" …
  std::optional<AttrValue> default_value;
  std::vector<DType> allowed_types;          // empty = any
  std::vector<std::string> allowed_strings;  // empty = any
  std::optional<int64_t> minimum;            // of an int, or of a list's length
};

// Fills the context's output shapes; INVALID_ARGUMENT for shapes that do not fit.
using ShapeFn = Status (*)(InferenceContext& c);

struct OpSchema {
  std::string name;
  std::vector<ArgSchema> inputs;
  std::vector<ArgSchema> outputs;
  std::vector<AttrSchema> attrs;
  bool is_stateful = false;
  bool is_commutative = false;
  bool is_aggregate = false;
  bool allows_uninitialized_input = false;
  std::string deprecation;     // why, for a deprecated op
  int deprecated_since = 0;    // GraphDef version; 0 = not deprecated
  ShapeFn shape_fn = nullptr;  // nullptr = unknown shapes
  // The definition behind "Vendor>Op" (<berth/op.h>); who registers it sets shape_fn to a
  // function that calls its infer_shapes through InferenceContext::schema().
  const struct berth_op_def* plugin_op = nullptr;
  // Which plugin brought it; empty = built in.
  std::string plugin;

  const AttrSchema* FindAttr(std::string_view attr_name) const;
};

// Types of the flattened inputs or outputs for these attributes. INVALID_ARGUMENT naming
// the attribute that is missing or of the wrong kind.
Status ResolveArgTypes(const std::vector<ArgSchema>& args, const AttrMap& attrs,
                       std::vector<DType>* types);
// How many flattened tensors one argument stands for.
Result<int> ArgLength(const ArgSchema& arg, const AttrMap& attrs);
// The flattened position range [begin, end) of the argument called `name`; {-1,-1} when
// absent.
std::pair<int, int> ArgRange(const std::vector<ArgSchema>& args, const AttrMap& attrs,
                             std::string_view name);

// Fills defaults into `attrs`, then checks every value against the schema: kind, allowed
// values, minimum, unknown names (names that begin with '_' are free).
Status CompleteAttrs(const OpSchema& schema, AttrMap* attrs);

// All ops that exist. Lookup is thread-safe against registration; schemas stay where they
// are for the registry's life.
class OpRegistry {
 public:
  OpRegistry();
  ~OpRegistry();

  // The built-in ops. The process's plugins add to this one.
  static OpRegistry* Global();

  // nullptr when unknown.
  const OpSchema* Find(std::string_view name) const;
  // ALREADY_EXISTS when a different op of that name is there. An identical one waits: it
  // takes over when the plugin of the first one takes that back.
  Status Register(OpSchema schema);
  // Takes back what a plugin registered under this name (rollback, unload). Graphs that
  // use it keep it alive: the schema is only hidden.
  void Unregister(std::string_view name, std::string_view plugin);
  std::vector<const OpSchema*> List() const;
  // Names that look like `name`, for "did you mean".
  std::vector<std::string> Similar(std::string_view name) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth
