// Cases of Slice, StridedSlice and its gradient.
#include "conformance/cases/generators.h"
#include "conformance/reference/reference.h"

namespace berth::conformance {
namespace {

struct Part {
  Dims dims;
  Dims begin;
  Dims size;
};

void SliceCases(CaseList& list) {
  const std::vector<Part> all = {{{}, {}, {}},
                                 {{7}, {0}, {7}},
                                 {{7}, {2}, {3}},
                                 {{7}, {2}, {-1}},
                                 {{7}, {7}, {0}},
                                 {{7}, {7}, {-1}},
                                 {{0}, {0}, {0}},
                                 {{3, 5}, {1, 2}, {2, 2}},
                                 {{3, 5}, {0, 1}, {3, -1}},
                                 {{3, 5}, {1, 0}, {1, 5}},
                                 {{3, 5}, {2, 4}, {1, 1}},
                                 {{3, 5}, {1, 1}, {0, 2}},
                                 {{2, 3, 4}, {0, 1, 2}, {2, 2, 2}},
                                 {{2, 3, 4}, {1, 0, 0}, {-1, -1, -1}},
                                 {{2, 3, 4, 5}, {1, 1, 1, 1}, {1, 2, 3, 4}},
                                 {{2, 3, 4, 5}, {0, 0, 2, 0}, {2, 3, 2, 5}},
                                 {{31, 33}, {7, 5}, {11, 13}},
                                 {{257, 19}, {100, 0}, {101, 19}},
                                 {{65537}, {1}, {65535}},
                                 {{1, 2, 1, 3, 1}, {0, 1, 0, 1, 0}, {1, 1, 1, 2, 1}}};
  for (const Part& p : all) {
    list.Add(Label(p.dims) + "-at-" + Label(p.begin) + "-of-" + Label(p.size),
             [p](Values& v) {
               return v.Call({v.Extreme(p.dims), v.Indices(p.begin), v.Indices(p.size)});
             });
  }
  list.Add("special", [](Values& v) {
    return v.Call({v.Special({5, 7}), v.Indices({1, 1}), v.Indices({3, 5})});
  });
  list.AddMisfit("beyond-the-end", [](Values& v) {
    return v.Call({v.Ordinary({5}), v.Indices({2}), v.Indices({4})});
  });
  list.AddMisfit("negative-begin", [](Values& v) {
    return v.Call({v.Ordinary({5}), v.Indices({-1}), v.Indices({2})});
  });
}

struct Strided {
  std::string label;
  Dims dims;
  Dims begin;
  Dims end;
  Dims strides;
  int64_t begin_mask = 0;
  int64_t end_mask = 0;
  int64_t ellipsis_mask = 0;
  int64_t new_axis_mask = 0;
  int64_t shrink_axis_mask = 0;
};

std::vector<Strided> Strides() {
  return {
      {"all", {7}, {0}, {7}, {1}},
      {"middle", {7}, {2}, {5}, {1}},
      {"every-second", {7}, {0}, {7}, {2}},
      {"every-third-from-1", {7}, {1}, {7}, {3}},
      {"reversed", {7}, {-1}, {0}, {-1}, 0, 1},
      {"reversed-by-2", {7}, {6}, {0}, {-2}},
      {"reversed-by-3", {7}, {6}, {1}, {-3}, 1},
      {"negative-ends", {7}, {-5}, {-1}, {1}},
      {"clamped", {7}, {-100}, {100}, {1}},
      {"beyond", {7}, {10}, {20}, {1}},
      {"empty", {7}, {3}, {3}, {1}},
      {"wrong-way", {7}, {5}, {2}, {1}},
      {"of-nothing", {0}, {0}, {5}, {1}},
      {"masked", {7}, {3}, {4}, {1}, 1, 1},
      {"rows", {3, 5}, {1}, {3}, {1}},
      {"columns", {3, 5}, {0, 1}, {0, 4}, {1, 2}, 1, 1},
      {"both", {3, 5}, {0, 4}, {3, 0}, {2, -2}},
      {"one-row", {3, 5}, {1}, {2}, {1}, 0, 0, 0, 0, 1},
      {"last-row", {3, 5}, {-1}, {0}, {1}, 0, 0, 0, 0, 1},
      {"one-element", {3, 5}, {1, 2}, {2, 3}, {1, 1}, 0, 0, 0, 0, 3},
      {"new-axis-first", {3, 5}, {0, 1}, {0, 3}, {1, 1}, 0, 0, 0, 1, 0},
      {"new-axis-last", {3, 5}, {0, 0, 0}, {3, 5, 0}, {1, 1, 1}, 0, 0, 0, 4, 0},
      {"ellipsis-first", {2, 3, 4}, {0, 1}, {0, 3}, {1, 1}, 0, 0, 1, 0, 0},
      {"ellipsis-middle", {2, 3, 4, 5}, {1, 0, 2}, {2, 0, 4}, {1, 1, 1}, 0, 0, 2, 0, 0},
      {"ellipsis-of-nothing", {3, 5}, {1, 0, 2}, {3, 0, 4}, {1, 1, 1}, 0, 0, 2, 0, 0},
      {"mixed", {2, 3, 4, 5}, {0, 0, 1, 4}, {0, 0, 2, 0}, {1, 1, 1, -2}, 0, 0, 2, 1, 4},
      {"image", {2, 28, 28, 3}, {0, 2, 26, 0}, {2, 26, 2, 3}, {1, 3, -3, 1}},
      {"large", {257, 19}, {256, 0}, {0, 19}, {-5, 2}}};
}

OpCall Take(Values& v, const Strided& s, std::vector<HostTensor> before,
            std::vector<HostTensor> after) {
  for (const Dims& argument : {s.begin, s.end, s.strides}) {
    before.push_back(v.Indices(argument));
  }
  before.insert(before.end(), after.begin(), after.end());
  OpCall call = v.Call(std::move(before));
  call.attrs["begin_mask"] = s.begin_mask;
  call.attrs["end_mask"] = s.end_mask;
  call.attrs["ellipsis_mask"] = s.ellipsis_mask;
  call.attrs["new_axis_mask"] = s.new_axis_mask;
  call.attrs["shrink_axis_mask"] = s.shrink_axis_mask;
  return call;
}

void StridedSliceCases(CaseList& list) {
  for (const Strided& s : Strides()) {
    list.Add(s.label, [s](Values& v) { return Take(v, s, {v.Extreme(s.dims)}, {}); });
  }
  list.Add("special", [](Values& v) {
    return Take(v, {"", {}, {1, 4}, {4, 0}, {1, -1}}, {v.Special({5, 7})}, {});
  });
  list.AddMisfit("stride-zero", [](Values& v) {
    return Take(v, {"", {}, {0}, {3}, {0}}, {v.Ordinary({5})}, {});
  });
  list.AddMisfit("shrink-out-of-range", [](Values& v) {
    return Take(v, {"", {}, {9}, {10}, {1}, 0, 0, 0, 0, 1}, {v.Ordinary({5})}, {});
  });
  list.AddMisfit("too-many-axes", [](Values& v) {
    return Take(v, {"", {}, {0, 0}, {1, 1}, {1, 1}}, {v.Ordinary({5})}, {});
  });
}

void StridedSliceGradCases(CaseList& list) {
  for (const Strided& s : Strides()) {
    list.Add(s.label, [s](Values& v) {
      OpCall forward = Take(v, s, {v.Zeros(s.dims)}, {});
      forward.op = "StridedSlice";
      const Result<Outputs> sliced = Evaluate(forward);
      const Dims dims = sliced.ok() ? sliced->outputs[0].tensor.dims : Dims{0};
      return Take(v, s, {v.Indices(s.dims)}, {v.Extreme(dims)});
    });
  }
  list.AddMisfit("gradient-too-small", [](Values& v) {
    return Take(v, {"", {}, {0}, {3}, {1}}, {v.Indices({5})}, {v.Ordinary({2})});
  });
}

}  // namespace

void RegisterSliceCases(GeneratorTable& table) {
  table["Slice"] = SliceCases;
  table["StridedSlice"] = StridedSliceCases;
  table["StridedSliceGrad"] = StridedSliceGradCases;
}

}  // namespace berth::conformance
