// Cases of OneHot, sequences, arithmetic of shapes, and random numbers.
#include "conformance/cases/generators.h"

namespace berth::conformance {
namespace {

struct Hot {
  Dims dims;
  int64_t depth;
  int64_t axis;
};

void OneHotCases(CaseList& list) {
  const auto one_hot = [](Values& v, HostTensor indices, int64_t depth, int64_t axis) {
    OpCall call = v.Call({std::move(indices), Values::Ints(BERTH_INT32, {depth}, {}),
                          v.Constant({}, 1), v.Constant({}, 0)});
    call.attrs["axis"] = axis;
    return call;
  };
  const std::vector<Hot> all = {
      {{}, 3, -1},       {{7}, 3, -1},       {{7}, 3, 0},    {{7}, 3, 1},
      {{7}, 1, -1},      {{7}, 0, -1},       {{0}, 3, -1},   {{0}, 3, 0},
      {{3, 5}, 4, -1},   {{3, 5}, 4, 0},     {{3, 5}, 4, 1}, {{3, 5}, 4, 2},
      {{2, 3, 4}, 5, 1}, {{2, 3, 4}, 5, -1}, {{31}, 33, 0},  {{257}, 19, -1},
      {{1031}, 10, 0},   {{1, 1}, 7, 1},     {{5}, 1031, -1}};
  for (const Hot& hot : all) {
    list.Add(Label(hot.dims) + "-depth" + std::to_string(hot.depth) + "-axis" +
                 std::to_string(hot.axis),
             [hot, one_hot](Values& v) {
               // Some lie outside on either side.
               HostTensor indices = v.RandomIndices(hot.dims, hot.depth + 3);
               std::vector<Int> shifted;
               for (const Int i : Ints(indices)) shifted.push_back(i - 1);
               indices = FromInts(indices.dtype, indices.dims, shifted);
               return one_hot(v, std::move(indices), hot.depth, hot.axis);
             });
  }
  for (int i = 0; i < 4; ++i) {
    list.Add("special", [](Values& v) {
      return v.Call({v.RandomIndices({5}, 4), Values::Ints(BERTH_INT32, {4}, {}),
                     v.Special({}), v.Special({})});
    });
  }
  list.Add("uint8-indices", [one_hot](Values& v) {
    return one_hot(v, Values::Ints(BERTH_UINT8, {0, 2, 200}, {3}), 3, -1);
  });
  list.AddMisfit("negative-depth", [one_hot](Values& v) {
    return one_hot(v, v.RandomIndices({3}, 3), -1, -1);
  });
}

struct Sequence {
  double start;
  double limit;
  double delta;
};

void RangeCases(CaseList& list) {
  const std::vector<Sequence> all = {
      {0, 0, 1},     {0, 1, 1},     {0, 7, 1},         {0, 10, 3},    {0, 9, 3},
      {3, 18, 3},    {5, 0, -1},    {10, 0, -3},       {-5, 5, 2},    {5, -5, -2},
      {7, 7, -1},    {100, 105, 1}, {0, 1031, 1},      {1031, 0, -7}, {-3, -2, 1},
      {0, 65537, 2}, {2, 3, 5},     {-1000, 1000, 13}, {1, 2, 1},     {0, 4096, 1}};
  const auto range = [](Values& v, const Sequence& s) {
    return v.Call({v.Scalar(s.start), v.Scalar(s.limit), v.Scalar(s.delta)});
  };
  for (const Sequence& s : all) {
    list.Add("whole", [s, range](Values& v) { return range(v, s); });
  }
  if (list.is_float()) {
    for (const Sequence& s : {Sequence{0, 1, 0.1}, Sequence{0.5, 5, 0.25},
                              Sequence{1, 0, -0.125}, Sequence{-1.5, 2.25, 0.3}}) {
      list.Add("fraction", [s, range](Values& v) { return range(v, s); });
    }
  }
  list.AddMisfit("delta-zero", [range](Values& v) { return range(v, {0, 1, 0}); });
  list.AddMisfit("wrong-way", [range](Values& v) { return range(v, {0, 5, -1}); });
}

void LinSpaceCases(CaseList& list) {
  for (const Sequence& s :
       {Sequence{0, 1, 1}, Sequence{0, 1, 2}, Sequence{0, 1, 5}, Sequence{10, 12, 3},
        Sequence{-1, 1, 11}, Sequence{5, -5, 7}, Sequence{3, 3, 4},
        Sequence{0, 100, 1031}, Sequence{-0.1, 0.3, 33}, Sequence{1e-3, 1e3, 17}}) {
    for (int i = 0; i < 2; ++i) {
      list.Add("count" + std::to_string(static_cast<int>(s.delta)), [s](Values& v) {
        return v.Call({v.Scalar(s.start), v.Scalar(s.limit),
                       v.Index(static_cast<int64_t>(s.delta))});
      });
    }
  }
  list.AddMisfit("no-count", [](Values& v) {
    return v.Call({v.Scalar(0), v.Scalar(1), v.Index(0)});
  });
}

struct Pair {
  Dims a;
  Dims b;
};

void ShapeCases(CaseList& list) {
  const std::vector<Pair> all = {{{}, {}},
                                 {{}, {3}},
                                 {{3}, {}},
                                 {{3}, {3}},
                                 {{3}, {1}},
                                 {{1}, {3}},
                                 {{1}, {1}},
                                 {{0}, {1}},
                                 {{2, 3}, {3}},
                                 {{3}, {2, 3}},
                                 {{2, 1}, {1, 3}},
                                 {{2, 3}, {2, 3}},
                                 {{1, 1}, {1, 1}},
                                 {{2, 1, 4}, {3, 1}},
                                 {{5, 1, 1}, {5, 1, 7}},
                                 {{0, 3}, {1, 3}},
                                 {{2, 3, 4, 5}, {4, 1}},
                                 {{1, 1, 1}, {1}},
                                 {{1}, {1, 1, 1}},
                                 {{2, 3, 4}, {2, 1, 4}}};
  for (const Pair& pair : all) {
    list.Add(Label(pair.a) + "-and-" + Label(pair.b), [pair](Values& v) {
      return v.Call(
          {Values::Ints(v.dtype(), pair.a, {static_cast<int64_t>(pair.a.size())}),
           Values::Ints(v.dtype(), pair.b, {static_cast<int64_t>(pair.b.size())})});
    });
  }
  list.AddMisfit("shapes-differ", [](Values& v) {
    return v.Call(
        {Values::Ints(v.dtype(), {2, 3}, {2}), Values::Ints(v.dtype(), {4}, {1})});
  });
}

void PermutationCases(CaseList& list) {
  for (const int64_t n : {0,  1,  2,  3,  4,  5,   7,   8,    13,   16,
                          17, 31, 33, 64, 65, 100, 257, 1031, 4099, 65537}) {
    list.Add("length" + std::to_string(n), [n](Values& v) {
      Dims order;
      for (int64_t i = 0; i < n; ++i) order.push_back(i);
      for (int64_t i = n - 1; i > 0; --i) {
        std::swap(order[static_cast<size_t>(i)],
                  order[static_cast<size_t>(v.Below(i + 1))]);
      }
      return v.Call({Values::Ints(v.dtype(), order, {n})});
    });
  }
  list.AddFailing("twice", [](Values& v) {
    return v.Call({Values::Ints(v.dtype(), {0, 0}, {2})});
  });
  list.AddFailing("out-of-range", [](Values& v) {
    return v.Call({Values::Ints(v.dtype(), {0, 2}, {2})});
  });
}

struct Seeds {
  int64_t seed;
  int64_t seed2;
};

void RandomCases(CaseList& list) {
  const bool of_ints = list.op() == "RandomUniformInt";
  const auto draw = [of_ints](Values& v, const Dims& dims, const Seeds& seeds, double low,
                              double high) {
    std::vector<HostTensor> inputs = {v.Indices(dims)};
    if (of_ints) {
      inputs.push_back(v.Scalar(low));
      inputs.push_back(v.Scalar(high));
    }
    OpCall call = v.Call(std::move(inputs));
    call.attrs["seed"] = seeds.seed;
    call.attrs["seed2"] = seeds.seed2;
    return call;
  };
  for (const Dims& dims : CommonShapes()) {
    list.Add("shape-" + Label(dims), [=](Values& v) {
      return draw(v, dims, {87654321, 7}, -5, 17);
    });
  }
  for (const Seeds& seeds : {Seeds{1, 0}, Seeds{0, 1}, Seeds{-1, -1},
                             Seeds{1099511627779, 1125899906842633}}) {
    list.Add("seeds", [=](Values& v) { return draw(v, {37}, seeds, 0, 2); });
  }
  list.Add("later-run", [=](Values& v) {
    OpCall call = draw(v, {37}, {42, 7}, 0, 1000);
    // Of two earlier runs.
    call.numbers_drawn = 2 * 37;
    return call;
  });
  list.AddMisfit("negative-shape", [=](Values& v) {
    return draw(v, {-1}, {1, 2}, 0, 2);
  });
  if (of_ints) {
    list.AddFailing("empty-range", [=](Values& v) { return draw(v, {3}, {1, 2}, 2, 2); });
  }
}

}  // namespace

void RegisterSequenceCases(GeneratorTable& table) {
  table["OneHot"] = OneHotCases;
  table["Range"] = RangeCases;
  table["LinSpace"] = LinSpaceCases;
  table["BroadcastArgs"] = ShapeCases;
  table["BroadcastGradientArgs"] = ShapeCases;
  table["InvertPermutation"] = PermutationCases;
  for (const char* op :
       {"RandomUniform", "RandomUniformInt", "RandomStandardNormal", "TruncatedNormal"}) {
    table[op] = RandomCases;
  }
}

}  // namespace berth::conformance
