// Cases of ops that change variables: assignments, optimizers, scatter.
#include "conformance/cases/generators.h"

namespace berth::conformance {
namespace {

void AssignCases(CaseList& list) {
  for (const Dims& dims : CommonShapes()) {
    list.Add("shape-" + Label(dims), [dims](Values& v) {
      return v.Call({v.Ordinary(dims), v.Ordinary(dims)});
    });
  }
  for (const Dims& dims : {Dims{61}, Dims{7, 11}, Dims{3, 1, 5}}) {
    list.Add("special-" + Label(dims), [dims](Values& v) {
      return v.Call({v.Special(dims), v.Special(dims)});
    });
    list.Add("extreme-" + Label(dims), [dims](Values& v) {
      return v.Call({v.Extreme(dims), v.Extreme(dims)});
    });
  }
  list.AddMisfit("shapes-differ", [](Values& v) {
    return v.Call({v.Ordinary({2, 3}), v.Ordinary({3, 2})});
  });
}

// What an optimizer's inputs are, by position: a variable of either sign, one that is a
// sum of squares, the gradient, or a scalar of this value.
struct Input {
  enum Kind { kVariable, kSquares, kGradient, kScalar } kind;
  double value = 0;
};
constexpr Input kVariable = {Input::kVariable};
constexpr Input kSquares = {Input::kSquares};
constexpr Input kGradient = {Input::kGradient};

std::vector<Input> InputsOfOptimizer(const std::string& op, int variant) {
  const double rate = variant == 0 ? 0.01 : (variant == 1 ? 0.5 : 0);
  const double decay = variant == 0 ? 0.9 : (variant == 1 ? 0.5 : 0);
  if (op.ends_with("GradientDescent"))
    return {kVariable, {Input::kScalar, rate}, kGradient};
  if (op.ends_with("Momentum")) {
    return {
        kVariable, kVariable, {Input::kScalar, rate}, kGradient, {Input::kScalar, decay}};
  }
  if (op.ends_with("Adagrad")) {
    return {kVariable, kSquares, {Input::kScalar, rate}, kGradient};
  }
  if (op.ends_with("RMSProp")) {
    return {kVariable,
            kSquares,
            kVariable,
            {Input::kScalar, rate},
            {Input::kScalar, decay},
            {Input::kScalar, decay},
            {Input::kScalar, 0.001},
            kGradient};
  }
  return {kVariable,
          kVariable,
          kSquares,
          {Input::kScalar, decay * decay},
          {Input::kScalar, 0.998},
          {Input::kScalar, rate},
          {Input::kScalar, decay},
          {Input::kScalar, 0.999},
          {Input::kScalar, 0.001},
          kGradient};
}

OpCall Update(Values& v, const Dims& dims, int variant, bool special) {
  std::vector<HostTensor> inputs;
  for (const Input& input : InputsOfOptimizer(v.op(), variant)) {
    switch (input.kind) {
      case Input::kVariable:
        inputs.push_back(v.Ordinary(dims));
        break;
      case Input::kSquares:
        inputs.push_back(v.Uniform(dims, 0.01, 3));
        break;
      case Input::kGradient:
        inputs.push_back(special ? v.Special(dims) : v.Uniform(dims, -1, 1));
        break;
      default:
        inputs.push_back(v.Scalar(input.value));
    }
  }
  return v.Call(std::move(inputs));
}

void OptimizerCases(CaseList& list) {
  for (const Dims& dims : CommonShapes()) {
    list.Add("shape-" + Label(dims),
             [dims](Values& v) { return Update(v, dims, 0, false); });
  }
  for (const int variant : {1, 2}) {
    list.Add(variant == 1 ? "fast" : "standing-still", [variant](Values& v) {
      return Update(v, {5, 7}, variant, false);
    });
  }
  list.Add("special-gradient", [](Values& v) { return Update(v, {67}, 0, true); });
  for (const char* flag : {"use_nesterov", "use_locking", "update_slots"}) {
    for (const bool on : {false, true}) {
      list.Add(std::string(flag) + (on ? "-on" : "-off"), [flag, on](Values& v) {
        OpCall call = Update(v, {5, 7}, 0, false);
        if (call.attrs.count(flag) != 0) call.attrs[flag] = on;
        return call;
      });
    }
  }
  list.AddMisfit("gradient-too-short", [](Values& v) {
    OpCall call = Update(v, {5}, 0, false);
    for (HostTensor& input : call.inputs) {
      if (&input != &call.inputs[0] && input.rank() == 1) {
        input = v.Uniform({4}, 0.1, 1);
      }
    }
    return call;
  });
}

struct Rows {
  Dims variable;
  Dims indices;
};

OpCall Scatter(Values& v, HostTensor variable, HostTensor indices, HostTensor updates) {
  return v.Call({std::move(variable), std::move(indices), std::move(updates)});
}

Dims UpdateDims(const Rows& rows) {
  Dims dims = rows.indices;
  dims.insert(dims.end(), rows.variable.begin() + 1, rows.variable.end());
  return dims;
}

void ScatterCases(CaseList& list) {
  const bool divides = list.op().ends_with("Div");
  const bool multiplies = list.op().ends_with("Mul");
  // Divisors are not zero, and products of many stay in range.
  const auto updates = [divides, multiplies](Values& v, const Dims& dims) {
    if (!divides && !multiplies) return v.Ordinary(dims);
    return v.is_float() ? v.Uniform(dims, 0.5, 2) : v.Uniform(dims, 1, 3);
  };
  const std::vector<Rows> all = {{{1}, {}},         {{7}, {}},        {{7}, {1}},
                                 {{7}, {5}},        {{7}, {2, 3}},    {{7}, {0}},
                                 {{3, 5}, {}},      {{3, 5}, {2}},    {{3, 5}, {7}},
                                 {{3, 5}, {2, 2}},  {{2, 3, 4}, {3}}, {{5, 0}, {3}},
                                 {{257, 19}, {31}}, {{31, 33}, {65}}, {{4, 257}, {9}},
                                 {{1, 7}, {5}},     {{1031}, {257}},  {{2, 1, 3}, {4}}};
  for (const Rows& rows : all) {
    list.Add(Label(rows.variable) + "-at-" + Label(rows.indices),
             [rows, updates](Values& v) {
               return Scatter(v, v.Ordinary(rows.variable),
                              v.RandomIndices(rows.indices, rows.variable[0]),
                              updates(v, UpdateDims(rows)));
             });
  }
  for (const Dims& dims : {Dims{7}, Dims{3, 5}}) {
    list.Add("scalar-update-" + Label(dims), [dims, updates](Values& v) {
      return Scatter(v, v.Ordinary(dims), v.Indices({2, 0, 2}), updates(v, {}));
    });
  }
  list.Add("one-row-many-times", [updates](Values& v) {
    return Scatter(v, v.Ordinary({3, 4}), v.Indices(Dims(17, 1)), updates(v, {17, 4}));
  });
  if (!divides || list.is_float()) {
    list.Add("special", [](Values& v) {
      return Scatter(v, v.Special({11, 7}), v.Indices({5, 2, 9, 0}), v.Special({4, 7}));
    });
  }
  for (const int64_t index : {3, -1}) {
    list.AddFailing("index-out-of-range", [index, updates](Values& v) {
      return Scatter(v, v.Ordinary({3, 2}), v.Indices({0, index}), updates(v, {2, 2}));
    });
  }
  list.AddMisfit("updates-too-short", [updates](Values& v) {
    return Scatter(v, v.Ordinary({3, 2}), v.Indices({0, 1}), updates(v, {1, 2}));
  });
}

}  // namespace

void RegisterUpdateCases(GeneratorTable& table) {
  for (const char* op :
       {"AssignAdd", "AssignAddVariableOp", "AssignSub", "AssignSubVariableOp"}) {
    table[op] = AssignCases;
  }
  for (const char* op :
       {"Adagrad", "Adam", "GradientDescent", "Momentum", "RMSProp", "KerasMomentum"}) {
    const std::string name = "Apply" + std::string(op);
    if (name != "ApplyKerasMomentum") table[name] = OptimizerCases;
    table["Resource" + name] = OptimizerCases;
  }
  for (const char* op : {"Add", "Div", "Max", "Min", "Mul", "Sub", "Update"}) {
    table["Scatter" + std::string(op)] = ScatterCases;
    table["ResourceScatter" + std::string(op)] = ScatterCases;
  }
}

}  // namespace berth::conformance
