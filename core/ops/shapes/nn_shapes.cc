// Bias, normalisation and losses.
#include "core/ops/shapes/nn_shapes.h"

#include <algorithm>
#include <string>

#include "core/ops/shapes/common.h"
#include "core/ops/shapes/window.h"

namespace berth {
namespace {

Status SameShapesRank4(InferenceContext& c) {
  Shape out = Shape::UnknownDims(4);
  for (int i = 0; i < c.num_inputs(); ++i) {
    BERTH_RETURN_IF_ERROR(c.WithRank(i, 4));
    BERTH_ASSIGN_OR_RETURN(out, c.Merge(out, c.input(i)));
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

// The layout for the data_format of a batch norm, which may have two or three axes of
// space.
ImageLayout NormLayout(const InferenceContext& c) {
  return ReadLayout(c, c.attrs().GetString("data_format").size() == 5 ? 3 : 2);
}

}  // namespace

Status BiasAddShape(InferenceContext& c) {
  const bool channels_first = c.attrs().GetString("data_format") == "NCHW";
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 2));
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 1));
  const Shape& in = c.input(0);
  if (!in.has_rank()) return OkStatus();
  const int channel = channels_first ? 1 : in.rank() - 1;
  BERTH_ASSIGN_OR_RETURN(const int64_t depth,
                         c.MergeDim(in.dim(channel), c.input_dim(1, 0)));
  Shape out = in;
  out.set_dim(channel, depth);
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status BiasAddGradShape(InferenceContext& c) {
  const bool channels_first = c.attrs().GetString("data_format") == "NCHW";
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 2));
  c.set_output(0, Shape({c.input_dim(0, channels_first ? 1 : -1)}));
  return OkStatus();
}

Status LrnGradShape(InferenceContext& c) { return SameShapesRank4(c); }

Status BatchNormGlobalShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 4));
  int64_t depth = c.input_dim(0, 3);
  for (int i = 1; i < c.num_inputs(); ++i) {
    BERTH_RETURN_IF_ERROR(c.WithRank(i, 1));
    BERTH_ASSIGN_OR_RETURN(depth, c.MergeDim(depth, c.input_dim(i, 0)));
  }
  Shape out = c.input(0).has_rank() ? c.input(0) : Shape::UnknownDims(4);
  out.set_dim(3, depth);
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status FusedBatchNormShape(InferenceContext& c) {
  const ImageLayout layout = NormLayout(c);
  BERTH_RETURN_IF_ERROR(c.WithRank(0, layout.rank));
  const bool training = c.attrs().GetBool("is_training", true);
  int64_t depth = c.input_dim(0, layout.channel);
  // While training, mean and variance may be empty.
  for (int i = 1; i < (training ? 3 : 5); ++i) {
    BERTH_RETURN_IF_ERROR(c.WithRank(i, 1));
    BERTH_ASSIGN_OR_RETURN(depth, c.MergeDim(depth, c.input_dim(i, 0)));
  }
  Shape out = c.input(0).has_rank() ? c.input(0) : Shape::UnknownDims(layout.rank);
  out.set_dim(layout.channel, depth);
  c.set_output(0, std::move(out));
  for (int i = 1; i < std::min(c.num_outputs(), 5); ++i) c.set_output(i, Shape({depth}));
  // reserve_space_3 is for kernels that need it; the graph cannot say how much. Without
  // such a need it is a scalar.
  if (c.num_outputs() > 5 && c.at_run_time()) c.set_output(5, Shape());
  return OkStatus();
}

Status FusedBatchNormGradShape(InferenceContext& c) {
  const ImageLayout layout = NormLayout(c);
  BERTH_RETURN_IF_ERROR(c.WithRank(0, layout.rank));
  BERTH_RETURN_IF_ERROR(c.WithRank(1, layout.rank));
  BERTH_ASSIGN_OR_RETURN(Shape out, c.Merge(c.input(0), c.input(1)));
  if (!out.has_rank()) out = Shape::UnknownDims(layout.rank);
  int64_t depth = out.dim(layout.channel);
  for (int i = 2; i < 5; ++i) {
    BERTH_RETURN_IF_ERROR(c.WithRank(i, 1));
    BERTH_ASSIGN_OR_RETURN(depth, c.MergeDim(depth, c.input_dim(i, 0)));
  }
  out.set_dim(layout.channel, depth);
  c.set_output(0, std::move(out));
  c.set_output(1, Shape({depth}));
  c.set_output(2, Shape({depth}));
  // The gradients of mean and variance are empty: nothing is written there.
  c.set_output(3, Shape({0}));
  c.set_output(4, Shape({0}));
  return OkStatus();
}

Status SoftmaxCrossEntropyShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(Shape both, BroadcastShapes(c, c.input(0), c.input(1)));
  if (!both.has_rank()) both = Shape::UnknownDims(2);
  if (both.rank() != 2) {
    return c.Error("Shape must be broadcasted with rank 2, but is rank " +
                   std::to_string(both.rank()));
  }
  c.set_output(0, Shape({both.dim(0)}));
  c.set_output(1, std::move(both));
  return OkStatus();
}

Status SparseSoftmaxCrossEntropyShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 2));
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 1));
  BERTH_ASSIGN_OR_RETURN(const int64_t batch,
                         c.MergeDim(c.input_dim(0, 0), c.input_dim(1, 0)));
  c.set_output(0, Shape({batch}));
  c.set_output(1, Shape({batch, c.input_dim(0, 1)}));
  return OkStatus();
}

}  // namespace berth
