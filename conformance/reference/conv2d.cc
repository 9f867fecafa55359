// Conv2D and its gradients to the input and to the filter: NHWC and NCHW, strides,
// dilations, SAME, VALID and explicit padding, groups.
#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"
#include "conformance/reference/window.h"

namespace berth::conformance {
namespace {

struct Convolution {
  ImageLayout layout;
  std::vector<WindowAxis> axes;
  std::vector<int64_t> image;   // dims of the input
  std::vector<int64_t> filter;  // height, width, channels of a group, results
  std::vector<int64_t> result;  // dims of the output
  int64_t groups = 1;
};

Result<Convolution> MakeConvolution(const OpCall& call, const std::vector<int64_t>& image,
                                    const std::vector<int64_t>& filter) {
  if (image.size() != 4 || filter.size() != 4) {
    return InvalidArgument("image and filter must have four axes, got " +
                           DimsString(image) + " and " + DimsString(filter));
  }
  Convolution conv;
  conv.layout = LayoutOf(call);
  conv.image = image;
  conv.filter = filter;
  BERTH_ASSIGN_OR_RETURN(conv.axes, WindowAxes(call, image, filter[0], filter[1]));
  const int64_t channels = image[conv.layout.channels];
  if (filter[2] == 0 || channels % filter[2] != 0) {
    return InvalidArgument(std::to_string(channels) +
                           " channels are no multiple of the filter's " +
                           std::to_string(filter[2]));
  }
  conv.groups = channels / filter[2];
  if (conv.groups == 0 || filter[3] % conv.groups != 0) {
    return InvalidArgument(std::to_string(filter[3]) + " results do not divide into " +
                           std::to_string(conv.groups) + " groups");
  }
  conv.result = image;
  conv.result[conv.layout.height] = conv.axes[0].output;
  conv.result[conv.layout.width] = conv.axes[1].output;
  conv.result[conv.layout.channels] = filter[3];
  return conv;
}

// Calls visit(element of the image, of the filter, of the result) for every product that
// a convolution adds up; all three ops are sums of such products.
template <typename Visit>
void ForEachProduct(const Convolution& conv, const Visit& visit) {
  const int64_t group_results = conv.filter[3] / conv.groups;
  const WindowAxis& h = conv.axes[0];
  const WindowAxis& w = conv.axes[1];
  const std::vector<int64_t> steps = RowMajorStrides(conv.filter);
  // Outputs in order; a tap in the padding adds nothing.
  const std::vector<int64_t> places = {conv.result[0], h.output, w.output,
                                       conv.filter[3]};
  ForEachElement(places, [&](const std::vector<int64_t>& at, int64_t) {
    const int64_t result = conv.layout.Element(conv.result, at[0], at[1], at[2], at[3]);
    const int64_t first_channel = at[3] / group_results * conv.filter[2];
    for (int64_t i = 0; i < h.window; ++i) {
      const int64_t row = h.At(at[1], i);
      if (!h.Inside(row)) continue;
      for (int64_t j = 0; j < w.window; ++j) {
        const int64_t column = w.At(at[2], j);
        if (!w.Inside(column)) continue;
        const int64_t pixel =
            conv.layout.Element(conv.image, at[0], row, column, first_channel);
        const int64_t channel_step = conv.layout.channels == 1 ? h.input * w.input : 1;
        const int64_t tap = i * steps[0] + j * steps[1] + at[3];
        for (int64_t k = 0; k < conv.filter[2]; ++k) {
          visit(static_cast<size_t>(pixel + k * channel_step),
                static_cast<size_t>(tap + k * steps[2]), static_cast<size_t>(result));
        }
      }
    }
  });
}

enum class Target { kResult, kImage, kFilter };

// Adds up the products of the two operands into the third tensor.
template <typename T>
void Accumulate(const Convolution& conv, Target target, const std::vector<T>& a,
                const std::vector<T>& b, std::vector<T>* sums,
                std::vector<T>* magnitudes) {
  ForEachProduct(conv, [&](size_t image, size_t filter, size_t result) {
    T term = 0;
    size_t to = 0;
    if (target == Target::kResult) {
      term = Times(a[image], b[filter]);
      to = result;
    } else if (target == Target::kImage) {
      term = Times(a[filter], b[result]);
      to = image;
    } else {
      term = Times(a[image], b[result]);
      to = filter;
    }
    (*sums)[to] = Plus((*sums)[to], term);
    if (magnitudes != nullptr) {
      (*magnitudes)[to] = Plus((*magnitudes)[to], Size(term));
    }
  });
}

// The most products that one element of the target adds up.
int64_t LongestSum(const Convolution& conv, Target target) {
  const int64_t taps = conv.filter[0] * conv.filter[1];
  if (target == Target::kResult) return taps * conv.filter[2];
  if (target == Target::kImage) return taps * (conv.filter[3] / conv.groups);
  return conv.result[0] * conv.axes[0].output * conv.axes[1].output;
}

Result<Outputs> Sum(const Convolution& conv, Target target, const HostTensor& a,
                    const HostTensor& b) {
  const std::vector<int64_t>& dims = target == Target::kResult  ? conv.result
                                     : target == Target::kImage ? conv.image
                                                                : conv.filter;
  const auto n = static_cast<size_t>(NumElements(dims));
  if (!IsRealFloat(a.dtype)) {
    std::vector<Int> sums(n);
    Accumulate<Int>(conv, target, Ints(a), Ints(b), &sums, nullptr);
    return Single(Exact(FromInts(a.dtype, dims, sums)));
  }
  std::vector<Real> sums(n);
  std::vector<Real> magnitudes(n);
  Accumulate(conv, target, Reals(a), Reals(b), &sums, &magnitudes);
  return Single(SumOutput(a.dtype, dims, std::move(sums), std::move(magnitudes),
                          LongestSum(conv, target)));
}

Result<Outputs> EvaluateConv2D(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 2));
  BERTH_ASSIGN_OR_RETURN(const Convolution conv,
                         MakeConvolution(call, call.input(0).dims, call.input(1).dims));
  return Sum(conv, Target::kResult, call.input(0), call.input(1));
}

Status ExpectGradient(const Convolution& conv, const HostTensor& gradient) {
  if (gradient.dims == conv.result) return OkStatus();
  return InvalidArgument("the gradient should have shape " + DimsString(conv.result) +
                         ", got " + gradient.ShapeString());
}

// Inputs: sizes of the image, filter, gradient.
Result<Outputs> EvaluateBackpropInput(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 3));
  std::vector<int64_t> image = Indices(call.input(0));
  const HostTensor& filter = call.input(1);
  const HostTensor& gradient = call.input(2);
  if (image.size() == 2 && gradient.rank() == 4 && filter.rank() == 4) {
    // Height and width alone: batch and channels are those of the others.
    image =
        LayoutOf(call).channels == 3
            ? std::vector<int64_t>{gradient.dim(0), image[0], image[1], filter.dim(2)}
            : std::vector<int64_t>{gradient.dim(0), filter.dim(2), image[0], image[1]};
  }
  BERTH_ASSIGN_OR_RETURN(const Convolution conv,
                         MakeConvolution(call, image, filter.dims));
  BERTH_RETURN_IF_ERROR(ExpectGradient(conv, gradient));
  return Sum(conv, Target::kImage, filter, gradient);
}

// Inputs: image, sizes of the filter, gradient.
Result<Outputs> EvaluateBackpropFilter(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 3));
  BERTH_ASSIGN_OR_RETURN(const Convolution conv, MakeConvolution(call, call.input(0).dims,
                                                                 Indices(call.input(1))));
  BERTH_RETURN_IF_ERROR(ExpectGradient(conv, call.input(2)));
  return Sum(conv, Target::kFilter, call.input(0), call.input(2));
}

}  // namespace

void RegisterConv2D(ReferenceTable& table) {
  table.Add("Conv2D", EvaluateConv2D);
  table.Add("Conv2DBackpropFilter", EvaluateBackpropFilter);
  table.Add("Conv2DBackpropInput", EvaluateBackpropInput);
}

}  // namespace berth::conformance
