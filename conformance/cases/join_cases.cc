// Cases of ops that join and cut tensors along an axis.
#include "conformance/cases/generators.h"

namespace berth::conformance {
namespace {

struct Join {
  Dims dims;   // of the first
  Dims sizes;  // of all along the axis
  int64_t axis;
};

std::string Name(const Join& j) {
  return Label(j.dims) + "-sizes-" + Label(j.sizes) + "-axis" + std::to_string(j.axis);
}

std::vector<Join> Joins() {
  return {{{7}, {7}, 0},
          {{2}, {2, 3}, 0},
          {{2}, {2, 0, 3}, 0},
          {{2}, {1, 1, 1, 1, 1}, 0},
          {{0}, {0, 0}, 0},
          {{3, 5}, {3, 2}, 0},
          {{3, 5}, {5, 1}, 1},
          {{3, 5}, {5, 1, 4}, -1},
          {{3, 0}, {0, 2}, 1},
          {{0, 5}, {5, 2}, 1},
          {{2, 3, 4}, {2, 1}, 0},
          {{2, 3, 4}, {3, 2, 5}, 1},
          {{2, 3, 4}, {4, 4}, 2},
          {{2, 3, 4}, {4, 1}, -1},
          {{2, 3, 4, 5}, {4, 2}, 2},
          {{1, 8, 8, 3}, {3, 5, 8}, 3},
          {{31, 33}, {33, 2}, 1},
          {{257, 19}, {257, 1}, 0},
          {{4, 4099}, {4099, 1, 7}, 1},
          {{1, 1, 1}, {1, 1, 1}, 1},
          {{2, 3, 4, 5}, {2, 2}, -4}};
}

std::vector<HostTensor> Parts(Values& v, const Join& j) {
  std::vector<HostTensor> parts;
  const auto rank = static_cast<int64_t>(j.dims.size());
  for (const int64_t size : j.sizes) {
    Dims dims = j.dims;
    dims[static_cast<size_t>(j.axis < 0 ? j.axis + rank : j.axis)] = size;
    parts.push_back(v.Extreme(dims));
  }
  return parts;
}

// The axis comes first in Concat and last in ConcatV2.
OpCall Concatenate(Values& v, std::vector<HostTensor> parts, int64_t axis) {
  if (v.op() == "Concat") {
    parts.insert(parts.begin(), Values::Ints(BERTH_INT32, {axis}, {}));
  } else {
    parts.push_back(v.Index(axis));
  }
  return v.Call(std::move(parts));
}

void ConcatCases(CaseList& list) {
  for (const Join& j : Joins()) {
    // TensorFlow's Concat and ConcatV2 take two and more.
    if (j.sizes.size() < 2) continue;
    list.Add(Name(j), [j](Values& v) { return Concatenate(v, Parts(v, j), j.axis); });
  }
  for (const int64_t axis : {0, 1, -1}) {
    list.Add("special-axis" + std::to_string(axis), [axis](Values& v) {
      return Concatenate(v, {v.Special({3, 7}), v.Special({3, 7})}, axis);
    });
  }
  list.AddMisfit("sizes-differ", [](Values& v) {
    return Concatenate(v, {v.Ordinary({3, 5}), v.Ordinary({2, 4})}, 0);
  });
  list.AddMisfit("axis-out-of-range", [](Values& v) {
    return Concatenate(v, {v.Ordinary({3}), v.Ordinary({2})}, 1);
  });
}

void ConcatOffsetCases(CaseList& list) {
  for (const Join& j : Joins()) {
    if (j.sizes.size() < 2) continue;
    list.Add(Name(j), [j](Values& v) {
      const auto rank = static_cast<int64_t>(j.dims.size());
      std::vector<HostTensor> inputs = {Values::Ints(BERTH_INT32, {j.axis}, {})};
      for (const int64_t size : j.sizes) {
        Dims dims = j.dims;
        dims[static_cast<size_t>(j.axis < 0 ? j.axis + rank : j.axis)] = size;
        inputs.push_back(Values::Ints(v.dtype(), dims, {rank}));
      }
      return v.Call(std::move(inputs));
    });
  }
  list.AddMisfit("sizes-differ", [](Values& v) {
    return v.Call({Values::Ints(BERTH_INT32, {0}, {}),
                   Values::Ints(v.dtype(), {3, 5}, {2}),
                   Values::Ints(v.dtype(), {2, 4}, {2})});
  });
}

void PackCases(CaseList& list) {
  const auto pack = [](Values& v, std::vector<HostTensor> parts, int64_t axis) {
    OpCall call = v.Call(std::move(parts));
    call.attrs["axis"] = axis;
    return call;
  };
  for (const Dims& dims : {Dims{}, Dims{7}, Dims{0}, Dims{3, 5}, Dims{2, 3, 4},
                           Dims{31, 33}, Dims{2, 3, 4, 5}}) {
    for (int64_t axis = -1; axis <= static_cast<int64_t>(dims.size()); ++axis) {
      const int64_t count = 1 + (axis + 5) % 4;
      list.Add(
          Label(dims) + "-of-" + std::to_string(count) + "-axis" + std::to_string(axis),
          [=](Values& v) {
            std::vector<HostTensor> parts;
            for (int64_t i = 0; i < count; ++i) parts.push_back(v.Extreme(dims));
            return pack(v, std::move(parts), axis);
          });
    }
  }
  list.Add("special", [pack](Values& v) {
    return pack(v, {v.Special({3, 7}), v.Special({3, 7})}, 1);
  });
  list.AddMisfit("shapes-differ", [pack](Values& v) {
    return pack(v, {v.Ordinary({3}), v.Ordinary({2})}, 0);
  });
}

void UnpackCases(CaseList& list) {
  const auto unpack = [](Values& v, HostTensor x, int64_t axis, int64_t num) {
    OpCall call = v.Call({std::move(x)});
    call.attrs["axis"] = axis;
    call.attrs["num"] = num;
    return call;
  };
  for (const Dims& dims : {Dims{1}, Dims{7}, Dims{3, 5}, Dims{2, 3, 4}, Dims{2, 3, 4, 5},
                           Dims{31, 33}, Dims{4, 257}, Dims{3, 0}, Dims{1, 1, 1}}) {
    const auto rank = static_cast<int64_t>(dims.size());
    for (int64_t axis = -1; axis < rank; ++axis) {
      const int64_t num = dims[static_cast<size_t>(axis < 0 ? axis + rank : axis)];
      if (num == 0) continue;
      list.Add(Label(dims) + "-axis" + std::to_string(axis),
               [=](Values& v) { return unpack(v, v.Extreme(dims), axis, num); });
    }
  }
  list.Add("special", [unpack](Values& v) { return unpack(v, v.Special({3, 7}), 0, 3); });
  list.AddMisfit("wrong-number", [unpack](Values& v) {
    return unpack(v, v.Ordinary({3, 2}), 0, 2);
  });
}

OpCall Split(Values& v, HostTensor x, int64_t axis, int64_t count) {
  OpCall call = v.Call({Values::Ints(BERTH_INT32, {axis}, {}), std::move(x)});
  call.attrs["num_split"] = count;
  return call;
}

void SplitCases(CaseList& list) {
  const std::vector<Join> all = {
      {{6}, {1}, 0},          {{6}, {2}, 0},          {{6}, {6}, -1},
      {{0}, {2}, 0},          {{4, 6}, {2}, 0},       {{4, 6}, {4}, 0},
      {{4, 6}, {3}, 1},       {{4, 6}, {1}, 1},       {{4, 6}, {6}, 1},
      {{0, 6}, {2}, 1},       {{2, 6, 4}, {3}, 1},    {{2, 6, 4}, {2}, 2},
      {{2, 6, 4}, {2}, 0},    {{2, 6, 4}, {4}, -1},   {{2, 3, 4, 6}, {3}, 3},
      {{2, 3, 4, 6}, {2}, 2}, {{1, 8, 8, 6}, {2}, 3}, {{62, 33}, {31}, 0},
      {{257, 20}, {5}, 1},    {{65536}, {4}, 0}};
  for (const Join& j : all) {
    list.Add(Name(j),
             [j](Values& v) { return Split(v, v.Extreme(j.dims), j.axis, j.sizes[0]); });
  }
  list.Add("special", [](Values& v) { return Split(v, v.Special({4, 6}), 1, 2); });
  list.AddMisfit("does-not-divide",
                 [](Values& v) { return Split(v, v.Ordinary({5}), 0, 2); });
  list.AddMisfit("axis-out-of-range",
                 [](Values& v) { return Split(v, v.Ordinary({4}), 1, 2); });
}

OpCall SplitV(Values& v, HostTensor x, const Dims& sizes, int64_t axis) {
  OpCall call =
      v.Call({std::move(x), v.Indices(sizes), Values::Ints(BERTH_INT32, {axis}, {})});
  call.attrs["num_split"] = static_cast<int64_t>(sizes.size());
  return call;
}

void SplitVCases(CaseList& list) {
  for (const Join& j : Joins()) {
    list.Add(Name(j), [j](Values& v) {
      Dims dims = j.dims;
      const auto rank = static_cast<int64_t>(dims.size());
      int64_t& size = dims[static_cast<size_t>(j.axis < 0 ? j.axis + rank : j.axis)];
      size = 0;
      for (const int64_t part : j.sizes) size += part;
      return SplitV(v, v.Extreme(dims), j.sizes, j.axis);
    });
  }
  for (const Dims& sizes : {Dims{-1}, Dims{2, -1}, Dims{-1, 2}, Dims{3, -1, 4}}) {
    list.Add("rest", [sizes](Values& v) {
      return SplitV(v, v.Special({3, 7}), sizes, 1);
    });
  }
  list.AddMisfit("does-not-add-up", [](Values& v) {
    return SplitV(v, v.Ordinary({5}), {2, 2}, 0);
  });
}

}  // namespace

void RegisterJoinCases(GeneratorTable& table) {
  table["Concat"] = ConcatCases;
  table["ConcatV2"] = ConcatCases;
  table["ConcatOffset"] = ConcatOffsetCases;
  table["Pack"] = PackCases;
  table["Unpack"] = UnpackCases;
  table["Split"] = SplitCases;
  table["SplitV"] = SplitVCases;
}

}  // namespace berth::conformance
