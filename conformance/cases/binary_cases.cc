// Cases of element-wise ops of two operands that broadcast, of AddN, of Select.
#include "conformance/cases/generators.h"

namespace berth::conformance {
namespace {

struct Pair {
  Dims a;
  Dims b;
};

const std::vector<Pair>& CommonPairs() {
  static const std::vector<Pair> pairs = {{{}, {}},
                                          {{0}, {0}},
                                          {{0}, {1}},
                                          {{7}, {7}},
                                          {{7}, {}},
                                          {{}, {7}},
                                          {{7}, {1}},
                                          {{3, 5}, {3, 5}},
                                          {{3, 5}, {5}},
                                          {{5}, {3, 5}},
                                          {{3, 1}, {1, 5}},
                                          {{3, 5}, {3, 1}},
                                          {{2, 1, 4}, {3, 1}},
                                          {{0, 3}, {1, 3}},
                                          {{2, 3, 4, 5}, {4, 1}},
                                          {{1, 2, 1, 3, 1}, {2, 1, 4, 1, 5}},
                                          {{257, 19}, {19}},
                                          {{65537}, {65537}},
                                          {{31, 33}, {31, 1}}};
  return pairs;
}

std::string PairLabel(const Pair& pair) {
  return Label(pair.a) + "-and-" + Label(pair.b);
}

// Ordinary divisors are not zero and exponents not negative where integers do not allow
// it.
enum class Right { kAny, kNotZero, kExponent };

HostTensor Second(Values& v, const Dims& dims, Right right) {
  if (v.is_float() || right == Right::kAny) return v.Ordinary(dims);
  return right == Right::kExponent ? v.Uniform(dims, 0, 9) : v.Uniform(dims, 1, 13);
}

// Every special value meets every other.
OpCall Cross(Values& v) {
  HostTensor column = v.AllSpecial();
  HostTensor row = column;
  column.dims = {row.num_elements(), 1};
  return v.Call({column, row});
}

void AddPairs(CaseList& list, Right right) {
  for (const Pair& pair : CommonPairs()) {
    list.Add("shape-" + PairLabel(pair), [pair, right](Values& v) {
      return v.Call({v.Ordinary(pair.a), Second(v, pair.b, right)});
    });
  }
  list.AddMisfit("shapes-differ", [right](Values& v) {
    return v.Call({v.Ordinary({2, 3}), Second(v, {2, 4}, right)});
  });
}

void AddFloatValues(CaseList& list) {
  if (!list.is_float()) return;
  list.Add("tiny", [](Values& v) { return v.Call({v.Tiny({127}), v.Tiny({127})}); });
  list.Add("tiny-and-ordinary", [](Values& v) {
    return v.Call({v.Tiny({127}), v.Ordinary({127})});
  });
  list.Add("near", [](Values& v) {
    return v.Call({v.Uniform({509}, 0.99, 1.01), v.Uniform({509}, 0.99, 1.01)});
  });
  list.Add("scaled", [](Values& v) {
    return v.Call({v.Logarithmic({509}, -8, 8), v.Logarithmic({509}, -8, 8)});
  });
}

void BinaryCases(CaseList& list) {
  AddPairs(list, Right::kAny);
  list.Add("special-cross", [](Values& v) { return Cross(v); });
  list.Add("extreme", [](Values& v) {
    return v.Call({v.Extreme({509}), v.Extreme({509})});
  });
  list.Add("ties", [](Values& v) { return v.Call({v.Ties({61}), v.Ties({61})}); });
  AddFloatValues(list);
}

void LogicCases(CaseList& list) {
  AddPairs(list, Right::kAny);
  list.Add("special-cross", [](Values& v) { return Cross(v); });
}

// Equal and NotEqual may be told to answer where shapes do not fit.
void EqualityCases(CaseList& list) {
  BinaryCases(list);
  list.Add("shapes-differ-allowed", [](Values& v) {
    OpCall call = v.Call({v.Ordinary({2, 3}), v.Ordinary({4})});
    call.attrs["incompatible_shape_error"] = false;
    return call;
  });
}

void DivisionCases(CaseList& list) {
  AddPairs(list, Right::kNotZero);
  AddFloatValues(list);
  if (list.is_float()) {
    list.Add("special-cross", [](Values& v) { return Cross(v); });
    list.Add("extreme", [](Values& v) {
      return v.Call({v.Extreme({509}), v.Extreme({509})});
    });
    list.Add("whole-quotients", [](Values& v) {
      HostTensor a = v.Halves(41);
      a.dims = {41, 1};
      return v.Call({a, FromReals(v.dtype(), {6}, {-3, -0.5L, 0.25L, 1, 2.5L, 7})});
    });
    return;
  }
  list.Add("all-signs", [](Values& v) {
    HostTensor a = v.AllSpecial();
    a.dims = {a.num_elements(), 1};
    const bool is_unsigned = IsUnsigned(v.dtype());
    return v.Call({a, is_unsigned ? FromInts(v.dtype(), {4}, {1, 2, 3, 7})
                                  : FromInts(v.dtype(), {7}, {-7, -3, -2, -1, 1, 2, 5})});
  });
  list.Add("extreme", [](Values& v) {
    return v.Call({v.Extreme({509}), v.Uniform({509}, 1, 100)});
  });
  list.AddFailing("divide-by-zero", [](Values& v) {
    return v.Call({v.Ordinary({5}), v.Zeros({5})});
  });
  list.AddFailing("divide-by-one-zero", [](Values& v) {
    return v.Call({v.Ordinary({6}), FromInts(v.dtype(), {6}, {1, 2, 3, 4, 5, 0})});
  });
}

void PowerCases(CaseList& list) {
  AddPairs(list, Right::kExponent);
  if (list.is_float()) {
    list.Add("special-cross", [](Values& v) { return Cross(v); });
    list.Add("positive-base", [](Values& v) {
      return v.Call({v.Uniform({509}, 0.01, 20), v.Uniform({509}, -8, 8)});
    });
    list.Add("whole-exponents", [](Values& v) {
      return v.Call({v.Ordinary({41}), v.Halves(41)});
    });
    return;
  }
  list.Add("wraps", [](Values& v) {
    return v.Call({v.Special({64}), v.Uniform({64}, 0, 40)});
  });
  if (!IsUnsigned(list.dtype())) {
    list.AddFailing("negative-exponent", [](Values& v) {
      return v.Call({v.Ordinary({3}), v.Constant({3}, -1)});
    });
  }
}

void AddNCases(CaseList& list) {
  for (const Dims& dims : CommonShapes()) {
    const size_t count = 1 + dims.size() % 4;
    list.Add("shape-" + Label(dims) + "-of-" + std::to_string(count),
             [dims, count](Values& v) {
               std::vector<HostTensor> inputs;
               for (size_t i = 0; i < count; ++i) inputs.push_back(v.Ordinary(dims));
               return v.Call(inputs);
             });
  }
  for (const size_t count : {size_t{2}, size_t{3}, size_t{8}, size_t{9}, size_t{17}}) {
    list.Add("special-of-" + std::to_string(count), [count](Values& v) {
      std::vector<HostTensor> inputs;
      for (size_t i = 0; i < count; ++i) inputs.push_back(v.Special({5, 13}));
      return v.Call(inputs);
    });
    list.Add("extreme-of-" + std::to_string(count), [count](Values& v) {
      std::vector<HostTensor> inputs;
      for (size_t i = 0; i < count; ++i) inputs.push_back(v.Extreme({67}));
      return v.Call(inputs);
    });
  }
  list.AddMisfit("shapes-differ", [](Values& v) {
    return v.Call({v.Ordinary({2}), v.Ordinary({3})});
  });
}

void SelectCases(CaseList& list) {
  for (const Dims& dims : CommonShapes()) {
    list.Add("shape-" + Label(dims), [dims](Values& v) {
      return v.Call({v.Bools(dims), v.Ordinary(dims), v.Ordinary(dims)});
    });
  }
  list.Add("special", [](Values& v) {
    return v.Call({v.Bools({61}), v.Special({61}), v.Special({61})});
  });
  list.Add("scalar-condition", [](Values& v) {
    return v.Call({v.Bools({}), v.Ordinary({3, 5}), v.Ordinary({3, 5})});
  });
  list.AddMisfit("values-differ", [](Values& v) {
    return v.Call({v.Bools({2}), v.Ordinary({2}), v.Ordinary({3})});
  });
}

void SelectV1Cases(CaseList& list) {
  SelectCases(list);
  for (const Dims& dims : {Dims{3, 5}, Dims{7, 2, 3}, Dims{1, 4}, Dims{0, 4}}) {
    list.Add("rows-" + Label(dims), [dims](Values& v) {
      return v.Call({v.Bools({dims[0]}), v.Ordinary(dims), v.Ordinary(dims)});
    });
  }
}

void SelectV2Cases(CaseList& list) {
  SelectCases(list);
  for (const Pair& pair : {Pair{{5}, {3, 5}}, Pair{{3, 1}, {1, 5}}, Pair{{3, 5}, {}},
                           Pair{{4, 1, 2}, {3, 1}}}) {
    list.Add("broadcast-" + PairLabel(pair), [pair](Values& v) {
      return v.Call({v.Bools(pair.a), v.Ordinary(pair.b), v.Ordinary({})});
    });
  }
}

}  // namespace

void RegisterBinaryCases(GeneratorTable& table) {
  for (const char* op : {"Add", "AddV2", "Greater", "GreaterEqual", "Less", "LessEqual",
                         "Maximum", "Minimum", "Mul", "SquaredDifference", "Sub"}) {
    table[op] = BinaryCases;
  }
  for (const char* op : {"Equal", "NotEqual"}) table[op] = EqualityCases;
  for (const char* op : {"LogicalAnd", "LogicalOr"}) table[op] = LogicCases;
  for (const char* op : {"Div", "DivNoNan", "FloorDiv", "FloorMod", "Mod", "RealDiv",
                         "TruncateDiv", "TruncateMod"}) {
    table[op] = DivisionCases;
  }
  table["Pow"] = PowerCases;
  table["AddN"] = AddNCases;
  table["AccumulateNV2"] = AddNCases;
  table["Select"] = SelectV1Cases;
  table["SelectV2"] = SelectV2Cases;
}

}  // namespace berth::conformance
