// MaxPool, AvgPool and their gradients. Padding never wins and is never counted: an
// average is over the elements that are there.
#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"
#include "conformance/reference/window.h"

namespace berth::conformance {
namespace {

struct Pooling {
  ImageLayout layout;
  std::vector<WindowAxis> axes;
  int64_t depth = 1;  // channels that are pooled into one, side by side
  std::vector<int64_t> image;
  std::vector<int64_t> result;
};

Result<Pooling> MakePooling(const OpCall& call, const std::vector<int64_t>& image) {
  Pooling pool;
  pool.layout = LayoutOf(call);
  pool.image = image;
  const std::vector<int64_t> window = call.Ints("ksize");
  if (image.size() != 4 || window.size() != 4) {
    return InvalidArgument("image and ksize must have four entries");
  }
  // Over channels as well, but not over both at once, and only without overlap.
  pool.depth = window[pool.layout.channels];
  const bool fits = pool.depth == 1 ||
                    (pool.depth > 1 && image[pool.layout.channels] % pool.depth == 0 &&
                     window[pool.layout.height] == 1 && window[pool.layout.width] == 1 &&
                     call.Ints("strides") == window);
  if (window[0] != 1 || !fits) {
    return InvalidArgument(
        "no pooling over batch; over channels only by divisors of them");
  }
  OpCall flat = call;
  if (pool.depth > 1) flat.attrs["strides"] = std::vector<int64_t>{1, 1, 1, 1};
  BERTH_ASSIGN_OR_RETURN(pool.axes, WindowAxes(flat, image, window[pool.layout.height],
                                               window[pool.layout.width]));
  pool.result = image;
  pool.result[pool.layout.channels] /= pool.depth;
  pool.result[pool.layout.height] = pool.axes[0].output;
  pool.result[pool.layout.width] = pool.axes[1].output;
  return pool;
}

// Calls visit(element of the result, elements of its window that are no padding).
template <typename Visit>
void ForEachWindow(const Pooling& pool, const Visit& visit) {
  const WindowAxis& h = pool.axes[0];
  const WindowAxis& w = pool.axes[1];
  const std::vector<int64_t> places = {pool.image[0], h.output, w.output,
                                       pool.result[pool.layout.channels]};
  ForEachElement(places, [&](const std::vector<int64_t>& at, int64_t) {
    std::vector<size_t> cells;
    for (int64_t i = 0; i < h.window; ++i) {
      for (int64_t j = 0; j < w.window; ++j) {
        const int64_t row = h.At(at[1], i);
        const int64_t column = w.At(at[2], j);
        if (!h.Inside(row) || !w.Inside(column)) continue;
        for (int64_t k = 0; k < pool.depth; ++k) {
          cells.push_back(static_cast<size_t>(pool.layout.Element(
              pool.image, at[0], row, column, at[3] * pool.depth + k)));
        }
      }
    }
    visit(
        static_cast<size_t>(pool.layout.Element(pool.result, at[0], at[1], at[2], at[3])),
        cells);
  });
}

// The first of the largest; a NaN is larger than all, so that it is not lost.
template <typename T>
size_t LargestCell(const std::vector<T>& values, const std::vector<size_t>& cells) {
  size_t best = cells[0];
  for (const size_t cell : cells) {
    const bool has_nan = values[best] != values[best];
    if (!has_nan && (values[cell] > values[best] || values[cell] != values[cell])) {
      best = cell;
    }
  }
  return best;
}

Result<Outputs> EvaluateMaxPool(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 1));
  const HostTensor& x = call.input(0);
  BERTH_ASSIGN_OR_RETURN(const Pooling pool, MakePooling(call, x.dims));
  const auto n = static_cast<size_t>(NumElements(pool.result));
  const std::vector<Real> values = Reals(x);
  std::vector<Real> largest(n);
  ForEachWindow(pool, [&](size_t result, const std::vector<size_t>& cells) {
    if (!cells.empty()) largest[result] = values[LargestCell(values, cells)];
  });
  if (IsRealFloat(x.dtype)) {
    return Single(RealOutput(x.dtype, pool.result, std::move(largest)));
  }
  const std::vector<Int> whole(largest.begin(), largest.end());
  return Single(Exact(FromInts(x.dtype, pool.result, whole)));
}

// How many windows an element can lie in at most.
int64_t MostWindows(const Pooling& pool) {
  int64_t product = 1;
  for (const WindowAxis& axis : pool.axes) {
    product *= (axis.window + axis.stride - 1) / axis.stride;
  }
  return product;
}

// Inputs: the image, the pooled image, the gradient. Each gradient goes to the first of
// the largest elements of its window.
Result<Outputs> EvaluateMaxPoolGrad(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 3));
  const HostTensor& x = call.input(0);
  BERTH_ASSIGN_OR_RETURN(const Pooling pool, MakePooling(call, x.dims));
  if (call.input(2).dims != pool.result || call.input(1).dims != pool.result) {
    return InvalidArgument("pooled image and gradient should have shape " +
                           DimsString(pool.result));
  }
  const std::vector<Real> values = Reals(x);
  const std::vector<Real> gradients = Reals(call.input(2));
  std::vector<Real> sums(values.size());
  std::vector<Real> magnitudes(values.size());
  ForEachWindow(pool, [&](size_t result, const std::vector<size_t>& cells) {
    if (cells.empty()) return;
    const size_t cell = LargestCell(values, cells);
    sums[cell] += gradients[result];
    magnitudes[cell] += Size(gradients[result]);
  });
  return Single(SumOutput(x.dtype, x.dims, std::move(sums), std::move(magnitudes),
                          MostWindows(pool)));
}

Result<Outputs> EvaluateAvgPool(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 1));
  const HostTensor& x = call.input(0);
  BERTH_ASSIGN_OR_RETURN(const Pooling pool, MakePooling(call, x.dims));
  const auto n = static_cast<size_t>(NumElements(pool.result));
  const std::vector<Real> values = Reals(x);
  std::vector<Real> means(n);
  std::vector<Real> magnitudes(n);
  std::vector<Real> peaks(n);
  ForEachWindow(pool, [&](size_t result, const std::vector<size_t>& cells) {
    const auto count = static_cast<Real>(cells.size());
    for (const size_t cell : cells) {
      means[result] += values[cell] / count;
      magnitudes[result] += Size(values[cell]) / count;
      peaks[result] += Size(values[cell]);
    }
  });
  Output output = SumOutput(x.dtype, pool.result, std::move(means), std::move(magnitudes),
                            pool.axes[0].window * pool.axes[1].window * pool.depth);
  output.peaks = std::move(peaks);
  return Single(std::move(output));
}

// Inputs: sizes of the image, the gradient.
Result<Outputs> EvaluateAvgPoolGrad(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 2));
  BERTH_ASSIGN_OR_RETURN(const Pooling pool, MakePooling(call, Indices(call.input(0))));
  const HostTensor& gradient = call.input(1);
  if (gradient.dims != pool.result) {
    return InvalidArgument("the gradient should have shape " + DimsString(pool.result) +
                           ", got " + gradient.ShapeString());
  }
  const std::vector<Real> gradients = Reals(gradient);
  std::vector<Real> sums(static_cast<size_t>(NumElements(pool.image)));
  std::vector<Real> magnitudes(sums.size());
  ForEachWindow(pool, [&](size_t result, const std::vector<size_t>& cells) {
    for (const size_t cell : cells) {
      const Real share = gradients[result] / static_cast<Real>(cells.size());
      sums[cell] += share;
      magnitudes[cell] += Size(share);
    }
  });
  return Single(SumOutput(gradient.dtype, pool.image, std::move(sums),
                          std::move(magnitudes), MostWindows(pool)));
}

}  // namespace

void RegisterPool(ReferenceTable& table) {
  table.Add("MaxPool", EvaluateMaxPool);
  table.Add("MaxPoolGrad", EvaluateMaxPoolGrad);
  table.Add("AvgPool", EvaluateAvgPool);
  table.Add("AvgPoolGrad", EvaluateAvgPoolGrad);
}

}  // namespace berth::conformance
