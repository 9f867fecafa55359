// Cases of matrix products.
#include "conformance/cases/generators.h"

namespace berth::conformance {
namespace {

struct Product {
  int64_t rows;
  int64_t inner;
  int64_t columns;
};

std::string Name(const Product& p) { return Label({p.rows, p.inner, p.columns}); }

HostTensor Filled(Values& v, const Dims& dims, const std::string& kind) {
  if (kind == "special") return v.Special(dims);
  if (kind == "extreme") return v.Extreme(dims);
  if (kind == "scaled") return v.Logarithmic(dims, -6, 6);
  if (kind == "tiny") return v.Tiny(dims);
  if (kind == "one-sign") return v.Uniform(dims, 0, 2);
  if (kind == "zeros") return v.Zeros(dims);
  return v.Ordinary(dims);
}

// The operands of a product whose attributes say which are transposed.
OpCall Multiply(Values& v, const Product& p, int transposes, const std::string& kind) {
  const bool a = (transposes & 1) != 0;
  const bool b = (transposes & 2) != 0;
  OpCall call =
      v.Call({Filled(v, a ? Dims{p.inner, p.rows} : Dims{p.rows, p.inner}, kind),
              Filled(v, b ? Dims{p.columns, p.inner} : Dims{p.inner, p.columns}, kind)});
  call.attrs["transpose_a"] = a;
  call.attrs["transpose_b"] = b;
  return call;
}

constexpr const char* kTransposes[] = {"", "-ta", "-tb", "-ta-tb"};

void MatMulCases(CaseList& list) {
  const std::vector<Product> all = {
      {1, 1, 1},    {2, 3, 4}, {1, 17, 1},   {17, 1, 17},  {1, 5, 33},
      {33, 5, 1},   {5, 7, 3}, {16, 16, 16}, {17, 31, 13}, {64, 65, 63},
      {3, 1031, 2}, {2, 0, 3}, {0, 3, 2},    {3, 2, 0}};
  int transposes = 0;
  for (const Product& p : all) {
    for (const int t : {transposes, 3 - transposes}) {
      list.Add(Name(p) + kTransposes[t],
               [p, t](Values& v) { return Multiply(v, p, t, "ordinary"); });
    }
    transposes = (transposes + 1) % 4;
  }
  std::vector<std::string> kinds = {"special", "extreme", "zeros", "one-sign"};
  if (list.is_float()) kinds.insert(kinds.end(), {"scaled", "tiny"});
  for (const std::string& kind : kinds) {
    list.Add(kind, [kind](Values& v) { return Multiply(v, {5, 37, 7}, 0, kind); });
  }
  list.AddMisfit("inner-sizes-differ", [](Values& v) {
    return v.Call({v.Ordinary({2, 3}), v.Ordinary({4, 2})});
  });
  list.AddMisfit("no-matrix", [](Values& v) {
    return v.Call({v.Ordinary({3}), v.Ordinary({3, 2})});
  });
}

struct Batches {
  Dims a;
  Dims b;
};

OpCall MultiplyBatches(Values& v, const Batches& batches, int adjoints,
                       const std::string& kind) {
  const bool a = (adjoints & 1) != 0;
  const bool b = (adjoints & 2) != 0;
  Dims x = batches.a;
  Dims y = batches.b;
  x.insert(x.end(), {a ? 5 : 3, a ? 3 : 5});
  y.insert(y.end(), {b ? 4 : 5, b ? 5 : 4});
  OpCall call = v.Call({Filled(v, x, kind), Filled(v, y, kind)});
  call.attrs["adj_x"] = a;
  call.attrs["adj_y"] = b;
  return call;
}

void BatchMatMulCases(CaseList& list) {
  std::vector<Batches> all = {{{}, {}},         {{1}, {1}}, {{2}, {2}},
                              {{2, 3}, {2, 3}}, {{0}, {0}}, {{7, 1}, {7, 1}}};
  if (list.op() == "BatchMatMulV2") {
    all.insert(all.end(),
               {{{2}, {1}}, {{1}, {3}}, {{}, {3}}, {{2, 1}, {1, 3}}, {{0}, {1}}});
  }
  for (const Batches& batches : all) {
    for (int adjoints = 0; adjoints < 4; ++adjoints) {
      list.Add(Label(batches.a) + "-by-" + Label(batches.b) + kTransposes[adjoints],
               [batches, adjoints](Values& v) {
                 return MultiplyBatches(v, batches, adjoints, "ordinary");
               });
    }
  }
  list.Add("special", [](Values& v) {
    return MultiplyBatches(v, {{4}, {4}}, 0, "special");
  });
  list.Add("extreme", [](Values& v) {
    return MultiplyBatches(v, {{4}, {4}}, 2, "extreme");
  });
  list.AddMisfit("inner-sizes-differ", [](Values& v) {
    return v.Call({v.Ordinary({2, 2, 3}), v.Ordinary({2, 4, 2})});
  });
  list.AddMisfit("batches-differ", [](Values& v) {
    return v.Call({v.Ordinary({2, 2, 3}), v.Ordinary({3, 3, 2})});
  });
}

}  // namespace

void RegisterMatrixCases(GeneratorTable& table) {
  table["MatMul"] = MatMulCases;
  table["BatchMatMul"] = BatchMatMulCases;
  table["BatchMatMulV2"] = BatchMatMulCases;
}

}  // namespace berth::conformance
