// Cases of ops that move whole tensors: Transpose, ReverseV2, Pad, Tile, BroadcastTo,
// Fill, Gather.
#include "conformance/cases/generators.h"

namespace berth::conformance {
namespace {

struct Order {
  Dims dims;
  Dims order;
};

void TransposeCases(CaseList& list) {
  const std::vector<Order> all = {{{}, {}},
                                  {{7}, {0}},
                                  {{3, 5}, {1, 0}},
                                  {{3, 5}, {0, 1}},
                                  {{1, 5}, {1, 0}},
                                  {{0, 5}, {1, 0}},
                                  {{2, 3, 4}, {0, 2, 1}},
                                  {{2, 3, 4}, {1, 0, 2}},
                                  {{2, 3, 4}, {1, 2, 0}},
                                  {{2, 3, 4}, {2, 0, 1}},
                                  {{2, 3, 4}, {2, 1, 0}},
                                  {{2, 3, 4, 5}, {0, 3, 1, 2}},
                                  {{2, 3, 4, 5}, {0, 2, 3, 1}},
                                  {{2, 3, 4, 5}, {3, 2, 1, 0}},
                                  {{2, 3, 4, 5}, {1, 0, 3, 2}},
                                  {{2, 1, 3, 1, 2}, {4, 2, 0, 1, 3}},
                                  {{2, 2, 2, 2, 2, 2}, {5, 3, 1, 0, 2, 4}},
                                  {{31, 33}, {1, 0}},
                                  {{257, 19}, {1, 0}},
                                  {{3, 257, 64}, {0, 2, 1}},
                                  {{1, 28, 28, 3}, {0, 3, 1, 2}}};
  for (const Order& o : all) {
    list.Add(Label(o.dims) + "-by-" + Label(o.order), [o](Values& v) {
      return v.Call({v.Extreme(o.dims), v.Indices(o.order)});
    });
  }
  list.Add("special", [](Values& v) {
    return v.Call({v.Special({17, 13}), v.Indices({1, 0})});
  });
  list.AddMisfit("axis-twice", [](Values& v) {
    return v.Call({v.Ordinary({3, 5}), v.Indices({1, 1})});
  });
  list.AddMisfit("too-few-axes", [](Values& v) {
    return v.Call({v.Ordinary({3, 5}), v.Indices({0})});
  });
}

void ReverseCases(CaseList& list) {
  const std::vector<Order> all = {{{}, {}},
                                  {{7}, {0}},
                                  {{7}, {-1}},
                                  {{7}, {}},
                                  {{1}, {0}},
                                  {{3, 5}, {0}},
                                  {{3, 5}, {1}},
                                  {{3, 5}, {0, 1}},
                                  {{0, 5}, {0}},
                                  {{0, 5}, {1}},
                                  {{2, 3, 4}, {1}},
                                  {{2, 3, 4}, {0, 2}},
                                  {{2, 3, 4}, {-2}},
                                  {{2, 3, 4, 5}, {1, 3}},
                                  {{2, 3, 4, 5}, {0, 1, 2, 3}},
                                  {{1, 2, 1, 3, 1}, {1, 3}},
                                  {{31, 33}, {1}},
                                  {{257, 19}, {0}},
                                  {{65537}, {0}},
                                  {{28, 28, 3}, {1}}};
  for (const Order& o : all) {
    list.Add(Label(o.dims) + "-over-" + Label(o.order), [o](Values& v) {
      return v.Call({v.Extreme(o.dims), v.Indices(o.order)});
    });
  }
  list.Add("special", [](Values& v) {
    return v.Call({v.Special({17, 13}), v.Indices({0})});
  });
  list.AddMisfit("axis-twice", [](Values& v) {
    return v.Call({v.Ordinary({3, 5}), v.Indices({1, -1})});
  });
}

// Padding before and after each axis.
void PadCases(CaseList& list) {
  const bool has_value = list.op() == "PadV2";
  const std::vector<Order> all = {{{7}, {0, 0}},
                                  {{7}, {2, 3}},
                                  {{7}, {0, 1}},
                                  {{0}, {2, 1}},
                                  {{3, 5}, {0, 0, 1, 2}},
                                  {{3, 5}, {2, 1, 0, 0}},
                                  {{3, 5}, {1, 1, 1, 1}},
                                  {{0, 5}, {1, 0, 0, 1}},
                                  {{1, 1}, {3, 4, 2, 5}},
                                  {{2, 3, 4}, {0, 1, 2, 0, 1, 1}},
                                  {{2, 3, 4}, {0, 0, 0, 0, 0, 3}},
                                  {{2, 3, 4, 5}, {0, 0, 1, 2, 3, 1, 0, 0}},
                                  {{2, 3, 4, 5}, {1, 0, 0, 1, 1, 0, 0, 1}},
                                  {{1, 28, 28, 3}, {0, 0, 2, 2, 2, 2, 0, 0}},
                                  {{31, 33}, {1, 0, 0, 7}},
                                  {{257, 19}, {0, 3, 5, 0}},
                                  {{65537}, {1, 1}},
                                  {{1, 2, 1, 3, 1}, {0, 1, 0, 0, 1, 0, 0, 0, 2, 2}}};
  const auto pad = [has_value](Values& v, const HostTensor& x, const Dims& pads) {
    std::vector<HostTensor> inputs = {x, v.Indices(pads, {x.rank(), 2})};
    if (has_value) inputs.push_back(v.Special({}));
    return v.Call(std::move(inputs));
  };
  for (const Order& o : all) {
    list.Add(Label(o.dims) + "-by-" + Label(o.order),
             [o, pad](Values& v) { return pad(v, v.Extreme(o.dims), o.order); });
  }
  list.Add("scalar", [pad](Values& v) { return pad(v, v.Ordinary({}), {}); });
  list.Add("special", [pad](Values& v) {
    return pad(v, v.Special({5, 3}), {1, 0, 2, 1});
  });
  list.AddMisfit("negative", [pad](Values& v) {
    return pad(v, v.Ordinary({3}), {-1, 0});
  });
}

void TileCases(CaseList& list) {
  const std::vector<Order> all = {{{}, {}},
                                  {{7}, {1}},
                                  {{7}, {3}},
                                  {{7}, {0}},
                                  {{0}, {3}},
                                  {{3, 5}, {1, 2}},
                                  {{3, 5}, {2, 1}},
                                  {{3, 5}, {2, 3}},
                                  {{1, 5}, {4, 1}},
                                  {{3, 1}, {1, 4}},
                                  {{2, 3, 4}, {1, 2, 1}},
                                  {{2, 3, 4}, {2, 1, 3}},
                                  {{2, 3, 4, 5}, {1, 1, 2, 1}},
                                  {{2, 3, 4, 5}, {2, 1, 1, 2}},
                                  {{1, 1, 1}, {3, 4, 5}},
                                  {{31, 33}, {2, 2}},
                                  {{257, 19}, {1, 3}},
                                  {{1, 7}, {1031, 1}},
                                  {{2, 0}, {3, 2}},
                                  {{1, 2, 1, 3, 1}, {2, 1, 2, 1, 2}}};
  for (const Order& o : all) {
    list.Add(Label(o.dims) + "-by-" + Label(o.order), [o](Values& v) {
      return v.Call({v.Extreme(o.dims), v.Indices(o.order)});
    });
  }
  list.Add("special", [](Values& v) {
    return v.Call({v.Special({5, 3}), v.Indices({2, 2})});
  });
  list.AddMisfit("negative", [](Values& v) {
    return v.Call({v.Ordinary({3}), v.Indices({-1})});
  });
}

void BroadcastToCases(CaseList& list) {
  const std::vector<Order> all = {{{}, {}},
                                  {{}, {7}},
                                  {{}, {3, 5}},
                                  {{7}, {7}},
                                  {{1}, {7}},
                                  {{1}, {0}},
                                  {{0}, {3, 0}},
                                  {{5}, {3, 5}},
                                  {{3, 1}, {3, 5}},
                                  {{1, 5}, {3, 5}},
                                  {{1, 1}, {3, 5}},
                                  {{3, 5}, {2, 3, 5}},
                                  {{3, 1, 5}, {3, 4, 5}},
                                  {{1, 3, 1}, {2, 3, 4}},
                                  {{4, 1}, {2, 3, 4, 5}},
                                  {{2, 1, 4, 1}, {2, 3, 4, 5}},
                                  {{1}, {65537}},
                                  {{257, 1}, {257, 19}},
                                  {{19}, {257, 19}},
                                  {{1, 2, 1, 3, 1}, {2, 2, 2, 3, 2}}};
  for (const Order& o : all) {
    list.Add(Label(o.dims) + "-to-" + Label(o.order), [o](Values& v) {
      return v.Call({v.Extreme(o.dims), v.Indices(o.order)});
    });
  }
  list.Add("special", [](Values& v) {
    return v.Call({v.Special({5, 1}), v.Indices({5, 4})});
  });
  list.AddMisfit("does-not-fit", [](Values& v) {
    return v.Call({v.Ordinary({3}), v.Indices({4})});
  });
}

void FillCases(CaseList& list) {
  for (const Dims& dims : CommonShapes()) {
    list.Add("shape-" + Label(dims), [dims](Values& v) {
      return v.Call({v.Indices(dims), v.Extreme({})});
    });
  }
  for (int i = 0; i < 6; ++i) {
    list.Add("special", [](Values& v) {
      return v.Call({v.Indices({3, 2}), v.Special({})});
    });
  }
  list.AddMisfit("negative", [](Values& v) {
    return v.Call({v.Indices({2, -1}), v.Ordinary({})});
  });
}

struct Lookup {
  Dims params;
  Dims indices;
  int64_t axis = 0;
};

OpCall Gather(Values& v, HostTensor params, HostTensor indices, int64_t axis) {
  std::vector<HostTensor> inputs = {std::move(params), std::move(indices)};
  if (v.op() == "GatherV2") inputs.push_back(v.Index(axis));
  return v.Call(std::move(inputs));
}

void GatherCases(CaseList& list) {
  std::vector<Lookup> all = {
      {{1}, {}},         {{7}, {}},          {{7}, {1}},       {{7}, {5}},
      {{7}, {2, 3}},     {{7}, {0}},         {{3, 5}, {}},     {{3, 5}, {4}},
      {{3, 5}, {2, 2}},  {{3, 0}, {4}},      {{2, 3, 4}, {5}}, {{2, 3, 4, 5}, {3}},
      {{257, 19}, {31}}, {{1031, 3}, {257}}, {{1, 1}, {9}},    {{7, 1, 3}, {2, 1, 2}},
      {{31, 33}, {65}},  {{4099}, {4099}},   {{5, 64}, {17}},  {{11}, {1, 1, 1}}};
  if (list.op() == "GatherV2") {
    all.insert(all.end(), {{{3, 5}, {4}, 1},
                           {{2, 3, 4}, {5}, 1},
                           {{2, 3, 4}, {2, 2}, -1},
                           {{0, 5}, {3}, 1},
                           {{2, 3, 4, 5}, {3}, 2}});
  }
  for (const Lookup& l : all) {
    list.Add(
        Label(l.params) + "-at-" + Label(l.indices) + "-axis" + std::to_string(l.axis),
        [l](Values& v) {
          const auto rank = static_cast<int64_t>(l.params.size());
          const auto axis = static_cast<size_t>(l.axis < 0 ? l.axis + rank : l.axis);
          return Gather(v, v.Extreme(l.params),
                        v.RandomIndices(l.indices, l.params[axis]), l.axis);
        });
  }
  list.Add("special", [](Values& v) {
    return Gather(v, v.Special({5, 7}), v.Indices({4, 0, 0, 3}), 0);
  });
  for (const int64_t index : {3, -1}) {
    list.AddFailing("index-out-of-range", [index](Values& v) {
      return Gather(v, v.Ordinary({3, 2}), v.Indices({0, index, 1}), 0);
    });
  }
}

struct Stitch {
  std::vector<Dims> indices;  // the shapes of the parts
  Dims row;
};

// Each index once, in any order, over all parts together; or with repeats and holes.
OpCall StitchParts(Values& v, const Stitch& stitch, bool once) {
  int64_t total = 0;
  for (const Dims& dims : stitch.indices) total += NumElements(dims);
  Dims order;
  for (int64_t i = 0; i < total; ++i) order.push_back(once ? i : v.Below(2 * total));
  for (int64_t i = total - 1; i > 0 && once; --i) {
    std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(v.Below(i + 1))]);
  }
  std::vector<HostTensor> inputs;
  std::vector<HostTensor> data;
  auto next = order.begin();
  for (const Dims& dims : stitch.indices) {
    const Dims part(next, next + NumElements(dims));
    next += NumElements(dims);
    inputs.push_back(Values::Ints(BERTH_INT32, part, dims));
    Dims shape = dims;
    shape.insert(shape.end(), stitch.row.begin(), stitch.row.end());
    data.push_back(v.Extreme(shape));
  }
  inputs.insert(inputs.end(), data.begin(), data.end());
  return v.Call(std::move(inputs));
}

void StitchCases(CaseList& list) {
  const std::vector<Stitch> all = {{{{}}, {}},
                                   {{{7}}, {}},
                                   {{{0}}, {3}},
                                   {{{3}, {4}}, {}},
                                   {{{3}, {0}, {2}}, {5}},
                                   {{{}, {2}, {2, 2}}, {2}},
                                   {{{5}, {5}}, {2, 3}},
                                   {{{2, 3}, {4}}, {0}},
                                   {{{31}, {33}}, {17}},
                                   {{{257}, {1}, {19}}, {4}}};
  for (const Stitch& stitch : all) {
    const std::string label =
        std::to_string(stitch.indices.size()) + "-parts-of-" + Label(stitch.row);
    list.Add(label, [stitch](Values& v) { return StitchParts(v, stitch, true); });
    list.Add(label + "-holes",
             [stitch](Values& v) { return StitchParts(v, stitch, false); });
  }
  list.AddFailing("negative-index", [](Values& v) {
    return v.Call({Values::Ints(BERTH_INT32, {0, -1}, {2}), v.Ordinary({2})});
  });
  list.AddMisfit("rows-differ", [](Values& v) {
    return v.Call({Values::Ints(BERTH_INT32, {0}, {1}),
                   Values::Ints(BERTH_INT32, {1}, {1}), v.Ordinary({1, 2}),
                   v.Ordinary({1, 3})});
  });
}

}  // namespace

void RegisterMoveCases(GeneratorTable& table) {
  table["Transpose"] = TransposeCases;
  table["ReverseV2"] = ReverseCases;
  table["Pad"] = PadCases;
  table["PadV2"] = PadCases;
  table["Tile"] = TileCases;
  table["BroadcastTo"] = BroadcastToCases;
  table["Fill"] = FillCases;
  table["Gather"] = GatherCases;
  table["GatherV2"] = GatherCases;
  table["ResourceGather"] = GatherCases;
  table["DynamicStitch"] = StitchCases;
}

}  // namespace berth::conformance
