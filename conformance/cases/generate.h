// The cases of an op: shapes, attributes and values that are worth trying, made from
// nothing but the op, the dtype and a seed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conformance/cases/values.h"

namespace berth::conformance {

// One case. Making the call is left to when it is needed: a list of all cases is small.
struct OpCase {
  // "op/Conv2D/float/012-same-stride2": the same for every seed, and it reruns the case.
  std::string name;
  std::function<OpCall()> make;
  // The op must refuse it (INVALID_ARGUMENT).
  bool must_fail = false;
  // What is wrong shows in the shapes, or in the arguments that give them: a host finds
  // it before it asks a kernel.
  bool by_shapes = false;
};

// Collects the cases of one op and dtype.
class CaseList {
 public:
  using Maker = std::function<OpCall(Values&)>;

  CaseList(std::string op, DType dtype, uint64_t seed);

  const std::string& op() const { return op_; }
  DType dtype() const { return dtype_; }
  bool is_float() const { return IsRealFloat(dtype_); }
  bool is_integer() const { return IsInteger(dtype_); }

  // Index arguments are int32 and int64 in turn.
  void Add(const std::string& label, Maker maker) { Append(label, std::move(maker)); }
  // The values of an input are wrong.
  void AddFailing(const std::string& label, Maker maker) {
    Append("err-" + label, std::move(maker)).must_fail = true;
  }
  // The shapes do not fit, or an argument that gives them.
  void AddMisfit(const std::string& label, Maker maker) {
    OpCase& added = Append("err-" + label, std::move(maker));
    added.must_fail = added.by_shapes = true;
  }
  std::vector<OpCase> Take() { return std::move(cases_); }

 private:
  OpCase& Append(const std::string& label, Maker maker);

  std::string op_;
  DType dtype_;
  uint64_t seed_;
  std::vector<OpCase> cases_;
};

// All cases of an op for one dtype of its type attribute (bool for ops without one);
// empty where the op has no such dtype or no cases. In the same order for every seed.
std::vector<OpCase> GenerateCases(const std::string& op, DType dtype, uint64_t seed);

// "3x5" for names; "scalar".
std::string Label(const Dims& dims);
// Shapes that every element-wise op is tried on: scalar, empty, one, odd, prime, of many
// axes, and one that is cut into pieces by any device.
const std::vector<Dims>& CommonShapes();

}  // namespace berth::conformance
