// Cases of convolutions and pooling: sizes that do and do not divide by the stride,
// windows larger than the image, both layouts, all paddings.
#include <algorithm>

#include "conformance/cases/generators.h"
#include "conformance/reference/reference.h"

namespace berth::conformance {
namespace {

// One convolution or pooling. Dims are NHWC; NCHW cases turn them.
struct Window {
  std::string label = "default";
  int64_t batch = 1;
  int64_t height = 5;
  int64_t width = 6;
  int64_t channels = 3;
  int64_t window_height = 3;
  int64_t window_width = 3;
  int64_t results = 4;  // of a convolution
  int64_t stride = 1;
  int64_t stride_width = 0;  // 0: as stride
  int64_t dilation = 1;
  int64_t groups = 1;
  std::string padding = "SAME";
  Dims explicit_pads{};  // top, bottom, left, right
  bool channels_first = false;
  std::string kind = "ordinary";
};

Dims Ordered(const Window& w, int64_t n, int64_t height, int64_t width,
             int64_t channels) {
  return w.channels_first ? Dims{n, channels, height, width}
                          : Dims{n, height, width, channels};
}

void SetAttrs(const Window& w, OpCall* call) {
  const int64_t across = w.stride_width == 0 ? w.stride : w.stride_width;
  call->attrs["strides"] = Ordered(w, 1, w.stride, across, 1);
  call->attrs["padding"] = w.padding;
  call->attrs["data_format"] = std::string(w.channels_first ? "NCHW" : "NHWC");
  Dims pads;
  if (!w.explicit_pads.empty()) {
    const Dims& p = w.explicit_pads;
    pads = w.channels_first ? Dims{0, 0, 0, 0, p[0], p[1], p[2], p[3]}
                            : Dims{0, 0, p[0], p[1], p[2], p[3], 0, 0};
  }
  if (call->attrs.count("explicit_paddings") != 0)
    call->attrs["explicit_paddings"] = pads;
}

HostTensor Filled(Values& v, const Window& w, const Dims& dims) {
  if (w.kind == "special") return v.Special(dims);
  if (w.kind == "extreme") return v.Extreme(dims);
  if (w.kind == "ties") return v.Ties(dims);
  if (w.kind == "scaled") return v.Logarithmic(dims, -6, 6);
  if (w.kind == "tiny") return v.Tiny(dims);
  return v.Ordinary(dims);
}

HostTensor Image(Values& v, const Window& w) {
  return Filled(v, w, Ordered(w, w.batch, w.height, w.width, w.channels));
}

// The dims of what the forward op gives.
Dims ResultDims(const OpCall& forward) {
  const Result<Outputs> outputs = Evaluate(forward);
  return outputs.ok() ? outputs->outputs[0].tensor.dims : Dims{0, 0, 0, 0};
}

OpCall Convolve(Values& v, const Window& w) {
  const Dims filter = {w.window_height, w.window_width, w.channels / w.groups, w.results};
  OpCall call = v.Call({Image(v, w), Filled(v, w, filter)});
  SetAttrs(w, &call);
  call.attrs["dilations"] = Ordered(w, 1, w.dilation, w.dilation, 1);
  return call;
}

OpCall Gradient(Values& v, const Window& w, bool of_filter) {
  OpCall call = Convolve(v, w);
  const HostTensor image = call.inputs[0];
  const HostTensor filter = call.inputs[1];
  OpCall forward = call;
  forward.op = "Conv2D";
  const HostTensor gradient = Filled(v, w, ResultDims(forward));
  const auto sizes = [](const HostTensor& t) {
    return Values::Ints(BERTH_INT32, t.dims, {t.rank()});
  };
  call.inputs = of_filter ? std::vector<HostTensor>{image, sizes(filter), gradient}
                          : std::vector<HostTensor>{sizes(image), filter, gradient};
  return call;
}

std::vector<Window> Convolutions(bool is_float) {
  std::vector<Window> all = {
      {.label = "1x1", .window_height = 1, .window_width = 1},
      {.label = "1x1-stride2", .window_height = 1, .window_width = 1, .stride = 2},
      {.label = "3x3-same"},
      {.label = "3x3-valid", .padding = "VALID"},
      {.label = "3x3-same-stride2", .stride = 2},
      {.label = "3x3-same-stride2-even", .height = 8, .width = 8, .stride = 2},
      {.label = "3x3-valid-stride2",
       .height = 7,
       .width = 8,
       .stride = 2,
       .padding = "VALID"},
      {.label = "5x5-same-one-channel",
       .height = 28,
       .width = 28,
       .channels = 1,
       .window_height = 5,
       .window_width = 5,
       .results = 8},
      {.label = "7x7-stride2",
       .height = 15,
       .width = 14,
       .window_height = 7,
       .window_width = 7,
       .stride = 2},
      {.label = "1x7-same", .window_height = 1, .window_width = 7},
      {.label = "7x1-same", .window_height = 7, .window_width = 1},
      {.label = "3x2-strides-2-3",
       .height = 9,
       .width = 10,
       .window_width = 2,
       .stride = 2,
       .stride_width = 3},
      {.label = "stride-beyond-window",
       .height = 10,
       .width = 11,
       .window_height = 2,
       .window_width = 2,
       .stride = 3},
      {.label = "window-beyond-image",
       .height = 2,
       .width = 2,
       .window_height = 5,
       .window_width = 5},
      {.label = "whole-image", .window_height = 5, .window_width = 6, .padding = "VALID"},
      {.label = "dilation2-same", .height = 9, .width = 8, .dilation = 2},
      {.label = "dilation2-valid",
       .height = 9,
       .width = 8,
       .dilation = 2,
       .padding = "VALID"},
      {.label = "dilation3-stride2",
       .height = 11,
       .width = 12,
       .stride = 2,
       .dilation = 3},
      {.label = "explicit", .padding = "EXPLICIT", .explicit_pads = {1, 2, 0, 3}},
      {.label = "explicit-stride2",
       .stride = 2,
       .padding = "EXPLICIT",
       .explicit_pads = {2, 0, 1, 1}},
      {.label = "groups2", .channels = 4, .results = 6, .groups = 2},
      {.label = "groups-all", .channels = 5, .results = 10, .stride = 2, .groups = 5},
      {.label = "batch7", .batch = 7},
      {.label = "empty-batch", .batch = 0},
      {.label = "one-pixel", .height = 1, .width = 1},
      {.label = "channels33-17", .batch = 2, .channels = 33, .results = 17},
      {.label = "nchw-same", .channels_first = true},
      {.label = "nchw-stride2-valid",
       .height = 8,
       .width = 7,
       .stride = 2,
       .padding = "VALID",
       .channels_first = true},
      {.label = "nchw-dilation2", .height = 8, .dilation = 2, .channels_first = true},
      {.label = "special", .kind = "special"},
      {.label = "special-valid", .padding = "VALID", .kind = "special"},
      {.label = "extreme", .kind = "extreme"}};
  if (is_float) {
    all.push_back({.label = "scaled", .batch = 2, .kind = "scaled"});
    all.push_back({.label = "tiny", .kind = "tiny"});
  }
  return all;
}

void Conv2DCases(CaseList& list) {
  for (const Window& w : Convolutions(list.is_float())) {
    list.Add(w.label, [w](Values& v) { return Convolve(v, w); });
  }
  list.AddMisfit("channels-differ", [](Values& v) {
    OpCall call = Convolve(v, {});
    call.inputs[1] = v.Ordinary({3, 3, 2, 4});
    return call;
  });
  list.AddMisfit("window-too-large", [](Values& v) {
    return Convolve(v, {.height = 2,
                        .width = 2,
                        .window_height = 5,
                        .window_width = 5,
                        .padding = "VALID"});
  });
}

template <bool kOfFilter>
void ConvGradientCases(CaseList& list) {
  for (const Window& w : Convolutions(list.is_float())) {
    list.Add(w.label, [w](Values& v) { return Gradient(v, w, kOfFilter); });
  }
  list.AddMisfit("gradient-too-small", [](Values& v) {
    OpCall call = Gradient(v, {}, kOfFilter);
    call.inputs[2] = v.Ordinary({1, 4, 6, 4});
    return call;
  });
}

std::vector<Window> Poolings(bool is_float) {
  std::vector<Window> all = {
      {.label = "2x2-stride2",
       .height = 6,
       .window_height = 2,
       .window_width = 2,
       .stride = 2},
      {.label = "2x2-stride2-odd",
       .width = 7,
       .window_height = 2,
       .window_width = 2,
       .stride = 2},
      {.label = "2x2-stride2-odd-valid",
       .width = 7,
       .window_height = 2,
       .window_width = 2,
       .stride = 2,
       .padding = "VALID"},
      {.label = "3x3-stride2", .height = 8, .width = 9, .stride = 2},
      {.label = "3x3-stride2-valid",
       .height = 8,
       .width = 9,
       .stride = 2,
       .padding = "VALID"},
      {.label = "3x3-stride1"},
      {.label = "3x3-stride1-valid", .padding = "VALID"},
      {.label = "3x3-stride3", .height = 9, .width = 10, .stride = 3},
      {.label = "1x1", .window_height = 1, .window_width = 1},
      {.label = "1x1-stride2", .window_height = 1, .window_width = 1, .stride = 2},
      {.label = "2x3-strides-1-2", .window_height = 2, .stride = 1, .stride_width = 2},
      {.label = "5x1", .window_height = 5, .window_width = 1},
      {.label = "stride-beyond-window",
       .height = 10,
       .width = 11,
       .window_height = 2,
       .window_width = 2,
       .stride = 3},
      {.label = "whole-image", .window_height = 5, .window_width = 6, .padding = "VALID"},
      {.label = "window-beyond-image",
       .height = 2,
       .width = 2,
       .window_height = 5,
       .window_width = 5,
       .stride = 2},
      {.label = "7x7",
       .height = 15,
       .width = 15,
       .window_height = 7,
       .window_width = 7,
       .stride = 2},
      {.label = "batch5-channels17", .batch = 5, .channels = 17, .stride = 2},
      {.label = "one-channel", .channels = 1},
      {.label = "one-pixel", .height = 1, .width = 1},
      {.label = "empty-batch", .batch = 0},
      {.label = "large",
       .batch = 2,
       .height = 33,
       .width = 35,
       .channels = 8,
       .stride = 2},
      {.label = "nchw", .stride = 2, .channels_first = true},
      {.label = "nchw-valid", .stride = 2, .padding = "VALID", .channels_first = true},
      {.label = "ties", .kind = "ties"},
      {.label = "special", .kind = "special"},
      {.label = "extreme", .kind = "extreme"}};
  if (is_float) all.push_back({.label = "tiny", .kind = "tiny"});
  return all;
}

OpCall Pool(Values& v, const Window& w) {
  OpCall call = v.Call({Image(v, w)});
  SetAttrs(w, &call);
  call.attrs["ksize"] = Ordered(w, 1, w.window_height, w.window_width, 1);
  return call;
}

void PoolCases(CaseList& list) {
  for (const Window& w : Poolings(list.is_float())) {
    list.Add(w.label, [w](Values& v) { return Pool(v, w); });
  }
  list.AddMisfit("over-the-batch", [](Values& v) {
    OpCall call = Pool(v, {});
    call.attrs["ksize"] = Dims{2, 1, 1, 1};
    return call;
  });
}

void PoolGradientCases(CaseList& list) {
  const bool of_max = list.op() == "MaxPoolGrad";
  for (const Window& w : Poolings(list.is_float())) {
    list.Add(w.label, [w, of_max](Values& v) {
      OpCall call = Pool(v, w);
      OpCall forward = call;
      forward.op = of_max ? "MaxPool" : "AvgPool";
      const HostTensor image = call.inputs[0];
      const Result<Outputs> pooled = Evaluate(forward);
      if (!pooled.ok()) return call;
      const Output& result = pooled->outputs[0];
      const HostTensor gradient = Filled(v, w, result.tensor.dims);
      if (of_max) {
        const HostTensor largest =
            result.is_exact() ? result.tensor
                              : FromReals(v.dtype(), result.tensor.dims, result.values);
        call.inputs = {image, largest, gradient};
      } else {
        call.inputs = {Values::Ints(BERTH_INT32, image.dims, {4}), gradient};
      }
      return call;
    });
  }
  list.AddMisfit("gradient-too-small", [of_max](Values& v) {
    OpCall call = Pool(v, {});
    const HostTensor image = call.inputs[0];
    call.inputs =
        of_max ? std::vector<HostTensor>{image, v.Ordinary({1, 4, 6, 3}),
                                         v.Ordinary({1, 4, 6, 3})}
               : std::vector<HostTensor>{Values::Ints(BERTH_INT32, image.dims, {4}),
                                         v.Ordinary({1, 4, 6, 3})};
    return call;
  });
}

}  // namespace

void RegisterImageCases(GeneratorTable& table) {
  table["Conv2D"] = Conv2DCases;
  table["Conv2DBackpropInput"] = ConvGradientCases<false>;
  table["Conv2DBackpropFilter"] = ConvGradientCases<true>;
  table["MaxPool"] = PoolCases;
  table["AvgPool"] = PoolCases;
  table["MaxPoolGrad"] = PoolGradientCases;
  table["AvgPoolGrad"] = PoolGradientCases;
}

}  // namespace berth::conformance
