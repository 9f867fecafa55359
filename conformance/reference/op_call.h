// One call of an op: its name, attributes and inputs, with no graph around it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/reference/host_tensor.h"

namespace berth::conformance {

struct TypeAttr {
  DType dtype = BERTH_INVALID_DTYPE;
};
// The kinds of attribute that ops with kernels have.
using AttrValue =
    std::variant<int64_t, float, bool, std::string, TypeAttr, std::vector<int64_t>>;

struct OpCall {
  std::string op;
  std::map<std::string, AttrValue> attrs;
  // In the OpDef's order, lists in line. A variable's place holds its value before.
  std::vector<HostTensor> inputs;
  // Of random ops: how many numbers earlier runs of the node have asked for.
  int64_t numbers_drawn = 0;

  // The attribute, or the fallback (the OpDef's default) where it is absent.
  int64_t Int(const char* name, int64_t fallback = 0) const;
  float Float(const char* name, float fallback = 0) const;
  bool Bool(const char* name, bool fallback = false) const;
  std::string String(const char* name, std::string_view fallback = {}) const;
  DType Type(const char* name, DType fallback = BERTH_INVALID_DTYPE) const;
  std::vector<int64_t> Ints(const char* name) const;

  const HostTensor& input(int i) const { return inputs[static_cast<size_t>(i)]; }
  int num_inputs() const { return static_cast<int>(inputs.size()); }
  // "MatMul(float[2,3], float[3,4]; transpose_a=false)" for messages.
  std::string ToString() const;
};

}  // namespace berth::conformance
