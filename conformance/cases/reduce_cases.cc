// Cases of reductions, of ArgMax and ArgMin, of L2Loss, of BiasAdd and its gradient.
#include "conformance/cases/generators.h"

namespace berth::conformance {
namespace {

struct Axes {
  Dims dims;
  Dims axes;
};

OpCall Reduce(const Values& v, HostTensor x, const Dims& axes, bool keep_dims) {
  OpCall call = v.Call({std::move(x), v.Indices(axes)});
  call.attrs["keep_dims"] = keep_dims;
  return call;
}

void ReduceCases(CaseList& list) {
  const std::vector<Axes> all = {{{}, {}},
                                 {{7}, {0}},
                                 {{7}, {-1}},
                                 {{7}, {}},
                                 {{3, 5}, {0}},
                                 {{3, 5}, {1}},
                                 {{3, 5}, {0, 1}},
                                 {{3, 5}, {-1, 0}},
                                 {{2, 3, 4}, {1}},
                                 {{2, 3, 4}, {0, 2}},
                                 {{2, 3, 4, 5}, {1, 3}},
                                 {{2, 3, 4, 5}, {1, 2}},
                                 {{1, 1, 1}, {1}},
                                 {{0, 3}, {0}},
                                 {{0, 3}, {1}},
                                 {{3, 0}, {1}},
                                 {{31, 33}, {0}},
                                 {{31, 33}, {1}},
                                 {{257, 19}, {0}},
                                 {{65537}, {0}},
                                 {{3, 4099}, {1}},
                                 {{4099, 3}, {0}}};
  bool keep = false;
  for (const Axes& axes : all) {
    keep = !keep;
    list.Add(Label(axes.dims) + (keep ? "-keep" : "") + "-over-" + Label(axes.axes),
             [axes, keep](Values& v) {
               return Reduce(v, v.Ordinary(axes.dims), axes.axes, keep);
             });
  }
  list.Add("special", [](Values& v) {
    return Reduce(v, v.Special({17, 5}), {1}, false);
  });
  list.Add("special-columns", [](Values& v) {
    return Reduce(v, v.Special({5, 17}), {0}, false);
  });
  list.Add("ties", [](Values& v) { return Reduce(v, v.Ties({7, 11}), {1}, false); });
  if (list.dtype() != BERTH_BOOL) {
    list.Add("extreme", [](Values& v) {
      return Reduce(v, v.Extreme({17, 5}), {1}, false);
    });
    list.Add("near-one", [](Values& v) {
      return Reduce(v, v.Uniform({13, 29}, 1, 2), {1}, false);
    });
  }
  if (list.is_float()) {
    list.Add("cancels", [](Values& v) {
      return Reduce(v, v.Logarithmic({7, 61}, -4, 8), {1}, false);
    });
    list.Add("tiny", [](Values& v) { return Reduce(v, v.Tiny({7, 13}), {1}, false); });
  }
  list.AddMisfit("axis-out-of-range", [](Values& v) {
    return Reduce(v, v.Ordinary({3, 5}), {2}, false);
  });
}

OpCall Arg(const Values& v, HostTensor x, int64_t axis, DType out) {
  OpCall call = v.Call({std::move(x), v.Index(axis)});
  call.attrs["output_type"] = TypeAttr{out};
  return call;
}

void ArgCases(CaseList& list) {
  const std::vector<Axes> all = {
      {{1}, {0}},       {{7}, {0}},       {{7}, {-1}},       {{3, 5}, {0}},
      {{3, 5}, {1}},    {{2, 3, 4}, {1}}, {{2, 3, 4}, {-1}}, {{2, 3, 4, 5}, {2}},
      {{0, 3}, {1}},    {{2, 1, 3}, {1}}, {{31, 33}, {0}},   {{31, 33}, {1}},
      {{257, 19}, {0}}, {{65537}, {0}},   {{3, 1025}, {1}}};
  bool wide = false;
  for (const Axes& axes : all) {
    wide = !wide;
    list.Add(Label(axes.dims) + "-over-" + Label(axes.axes), [axes, wide](Values& v) {
      return Arg(v, v.Ordinary(axes.dims), axes.axes[0],
                 wide ? BERTH_INT64 : BERTH_INT32);
    });
  }
  for (const int64_t axis : {0, 1}) {
    const std::string over = "-over-" + std::to_string(axis);
    list.Add("ties" + over, [axis](Values& v) {
      return Arg(v, v.Ties({33, 35}), axis, BERTH_INT64);
    });
    list.Add("zeros" + over, [axis](Values& v) {
      return Arg(v, v.Zeros({5, 2001}), axis, BERTH_INT64);
    });
    list.Add("special" + over, [axis](Values& v) {
      return Arg(v, v.Special({17, 23}), axis, BERTH_INT32);
    });
    list.Add("extreme" + over, [axis](Values& v) {
      return Arg(v, v.Extreme({17, 23}), axis, BERTH_INT64);
    });
  }
  list.AddMisfit("empty-axis", [](Values& v) {
    return Arg(v, v.Ordinary({3, 0}), 1, BERTH_INT64);
  });
  list.AddMisfit("axis-out-of-range", [](Values& v) {
    return Arg(v, v.Ordinary({3, 5}), 2, BERTH_INT64);
  });
}

void LossCases(CaseList& list) {
  for (const Dims& dims : CommonShapes()) {
    list.Add("shape-" + Label(dims),
             [dims](Values& v) { return v.Call({v.Ordinary(dims)}); });
  }
  list.Add("one-nan", [](Values& v) { return v.Call({v.Special({37})}); });
  list.Add("zeros", [](Values& v) { return v.Call({v.Zeros({37})}); });
  list.Add("tiny", [](Values& v) { return v.Call({v.Tiny({37})}); });
  list.Add("scaled", [](Values& v) { return v.Call({v.Logarithmic({37}, -6, 6)}); });
  list.Add("large", [](Values& v) { return v.Call({v.Uniform({37}, 10, 100)}); });
}

struct Bias {
  Dims dims;
  bool channels_first;
};

const std::vector<Bias>& Biases() {
  static const std::vector<Bias> biases = {
      {{1, 1}, false},          {{3, 5}, false},         {{0, 5}, false},
      {{3, 0}, false},          {{2, 3, 4}, false},      {{2, 3, 4, 5}, false},
      {{2, 3, 4, 5, 6}, false}, {{31, 33}, false},       {{257, 19}, false},
      {{1, 1, 1, 7}, false},    {{4099, 3}, false},      {{2, 3, 4}, true},
      {{2, 3, 4, 5}, true},     {{2, 3, 4, 5, 6}, true}, {{1, 7, 1, 1}, true},
      {{0, 3, 2, 2}, true},     {{5, 31, 7, 3}, true},   {{2, 257, 5, 4}, true}};
  return biases;
}

HostTensor Filled(Values& v, const Dims& dims, int kind) {
  if (kind == 0) return v.Ordinary(dims);
  return kind == 1 ? v.Special(dims) : v.Extreme(dims);
}

template <bool kGradient>
void BiasCases(CaseList& list) {
  int kind = 0;
  const auto add = [&](const Bias& bias, const std::string& label) {
    list.Add(label + Label(bias.dims) + (bias.channels_first ? "-nchw" : ""),
             [bias, kind](Values& v) {
               const int64_t channels =
                   bias.channels_first ? bias.dims[1] : bias.dims.back();
               std::vector<HostTensor> inputs = {Filled(v, bias.dims, kind)};
               if (!kGradient) inputs.push_back(Filled(v, {channels}, kind));
               OpCall call = v.Call(std::move(inputs));
               if (call.attrs.count("data_format") != 0) {
                 call.attrs["data_format"] =
                     std::string(bias.channels_first ? "NCHW" : "NHWC");
               }
               return call;
             });
  };
  for (const Bias& bias : Biases()) {
    if (list.op() != "BiasAddV1" || !bias.channels_first) add(bias, "");
  }
  for (kind = 1; kind <= 2; ++kind) {
    const std::string label = kind == 1 ? "special-" : "extreme-";
    add({{7, 5}, false}, label);
    add({{2, 3, 5}, false}, label);
    if (list.op() == "BiasAddV1") {
      for (const Dims& dims : {Dims{5, 7}, Dims{1, 9}, Dims{9, 1}})
        add({dims, false}, label);
    } else {
      add({{2, 5, 3}, true}, label);
    }
  }
}

}  // namespace

void RegisterReduceCases(GeneratorTable& table) {
  for (const char* op : {"All", "Any", "Max", "Mean", "Min", "Prod", "Sum"}) {
    table[op] = ReduceCases;
  }
  table["ArgMax"] = ArgCases;
  table["ArgMin"] = ArgCases;
  table["L2Loss"] = LossCases;
  table["BiasAdd"] = BiasCases<false>;
  table["BiasAddV1"] = BiasCases<false>;
  table["BiasAddGrad"] = BiasCases<true>;
}

}  // namespace berth::conformance
