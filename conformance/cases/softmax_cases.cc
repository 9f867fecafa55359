// Cases of softmax and of the cross entropies.
#include "conformance/cases/generators.h"

namespace berth::conformance {
namespace {

// Kinds of logits: wide ones underflow beside the largest.
constexpr const char* kKinds[] = {"ordinary", "wide", "equal", "far", "special", "tiny"};

HostTensor Logits(Values& v, const Dims& dims, const std::string& kind) {
  if (kind == "wide") return v.Uniform(dims, -100, 100);
  if (kind == "equal") return v.Constant(dims, 3);
  if (kind == "far") return v.Uniform(dims, 500, 504);
  if (kind == "special") return v.Special(dims);
  return kind == "tiny" ? v.Tiny(dims) : v.Ordinary(dims);
}

void SoftmaxCases(CaseList& list) {
  for (const Dims& dims : {Dims{1}, Dims{7}, Dims{1, 1}, Dims{3, 5}, Dims{5, 1},
                           Dims{0, 4}, Dims{3, 0}, Dims{2, 3, 4}, Dims{2, 3, 4, 5},
                           Dims{31, 33}, Dims{2, 1031}, Dims{257, 10}, Dims{4099, 3}}) {
    list.Add("shape-" + Label(dims),
             [dims](Values& v) { return v.Call({v.Ordinary(dims)}); });
  }
  for (const char* kind : kKinds) {
    for (const Dims& dims : {Dims{5, 11}, Dims{3, 37}}) {
      list.Add(std::string(kind) + "-" + Label(dims),
               [kind, dims](Values& v) { return v.Call({Logits(v, dims, kind)}); });
    }
  }
  list.AddMisfit("scalar", [](Values& v) { return v.Call({v.Ordinary({})}); });
}

// Labels that are a distribution in each row.
HostTensor Distribution(Values& v, const Dims& dims) {
  std::vector<Real> values = Reals(v.Uniform(BERTH_DOUBLE, dims, 0, 1));
  const auto columns = static_cast<size_t>(dims.back());
  for (size_t first = 0; first < values.size(); first += columns) {
    Real sum = 0;
    for (size_t i = 0; i < columns; ++i) sum += values[first + i];
    for (size_t i = 0; i < columns; ++i) values[first + i] /= sum;
  }
  return FromReals(v.dtype(), dims, values);
}

HostTensor OneHot(Values& v, const Dims& dims) {
  std::vector<Real> values(static_cast<size_t>(NumElements(dims)));
  for (int64_t r = 0; r < dims[0]; ++r) {
    values[static_cast<size_t>(r * dims[1] + v.Below(dims[1]))] = 1;
  }
  return FromReals(v.dtype(), dims, values);
}

void DenseCases(CaseList& list) {
  for (const Dims& dims : {Dims{1, 1}, Dims{3, 5}, Dims{7, 1}, Dims{0, 4}, Dims{31, 33},
                           Dims{257, 10}, Dims{2, 1031}}) {
    list.Add("shape-" + Label(dims), [dims](Values& v) {
      return v.Call({v.Ordinary(dims), Distribution(v, dims)});
    });
    list.Add("one-hot-" + Label(dims), [dims](Values& v) {
      return v.Call({v.Ordinary(dims), OneHot(v, dims)});
    });
  }
  for (const char* kind : kKinds) {
    list.Add(kind, [kind](Values& v) {
      return v.Call({Logits(v, {5, 11}, kind), Distribution(v, {5, 11})});
    });
  }
  list.Add("any-labels", [](Values& v) {
    return v.Call({v.Ordinary({5, 11}), v.Ordinary({5, 11})});
  });
  list.Add("one-row-of-labels", [](Values& v) {
    return v.Call({v.Ordinary({5, 11}), Distribution(v, {1, 11})});
  });
  list.Add("one-row-of-logits", [](Values& v) {
    return v.Call({v.Ordinary({1, 11}), Distribution(v, {5, 11})});
  });
  list.AddMisfit("shapes-differ", [](Values& v) {
    return v.Call({v.Ordinary({5, 11}), v.Ordinary({5, 10})});
  });
}

OpCall Sparse(Values& v, HostTensor logits) {
  const int64_t rows = logits.dim(0);
  const int64_t classes = logits.dim(1);
  return v.Call({std::move(logits), v.RandomIndices({rows}, classes)});
}

void SparseCases(CaseList& list) {
  for (const Dims& dims : {Dims{1, 1}, Dims{3, 5}, Dims{7, 1}, Dims{0, 4}, Dims{31, 33},
                           Dims{257, 10}, Dims{2, 1031}, Dims{64, 10}}) {
    // Labels of both index types.
    for (int i = 0; i < 2; ++i) {
      list.Add("shape-" + Label(dims),
               [dims](Values& v) { return Sparse(v, v.Ordinary(dims)); });
    }
  }
  for (const char* kind : kKinds) {
    list.Add(kind, [kind](Values& v) { return Sparse(v, Logits(v, {5, 11}, kind)); });
  }
  for (const int64_t label : {5, -1}) {
    list.AddFailing("label-out-of-range", [label](Values& v) {
      return v.Call({v.Ordinary({3, 5}), v.Indices({0, label, 4})});
    });
  }
}

}  // namespace

void RegisterSoftmaxCases(GeneratorTable& table) {
  table["Softmax"] = SoftmaxCases;
  table["LogSoftmax"] = SoftmaxCases;
  table["SoftmaxCrossEntropyWithLogits"] = DenseCases;
  table["SparseSoftmaxCrossEntropyWithLogits"] = SparseCases;
}

}  // namespace berth::conformance
