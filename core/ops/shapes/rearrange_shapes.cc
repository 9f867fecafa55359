// Padding, reversing, and blocks of space that become depth or batch.
#include <algorithm>
#include <string>

#include "core/ops/shapes/array_shapes.h"
#include "core/ops/shapes/common.h"

namespace berth {
namespace {

constexpr int64_t kUnknown = Shape::kUnknown;

// Input `i`, an [n, 2] integer tensor, as n pairs; nullopt when it is not known.
Result<std::optional<Elements>> ReadPairs(const InferenceContext& c, int i) {
  BERTH_RETURN_IF_ERROR(c.WithRank(i, 2));
  BERTH_RETURN_IF_ERROR(c.WithDim(c.input_dim(i, 1), 2));
  return c.input_value(i) == nullptr ? std::optional<Elements>() : c.ElementsFromInput(i);
}

struct DepthLayout {
  int channel = 3;
  int first_space = 1;
  int64_t vector_size = 1;  // NCHW_VECT_C keeps 4 channels in an axis of their own
};

Result<DepthLayout> ReadDepthLayout(const InferenceContext& c) {
  const std::string_view format = c.attrs().GetString("data_format", "NHWC");
  if (format == "NHWC") return DepthLayout{};
  if (format == "NCHW") return DepthLayout{.channel = 1, .first_space = 2};
  return DepthLayout{.channel = 1, .first_space = 2, .vector_size = 4};
}

}  // namespace

Status PadShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(const std::optional<Elements> paddings, ReadPairs(c, 1));
  const int64_t count = c.input_dim(1, 0);
  if (count != kUnknown) BERTH_RETURN_IF_ERROR(c.WithRank(0, static_cast<int>(count)));
  const Shape in = c.input(0).has_rank() || count == kUnknown
                       ? c.input(0)
                       : Shape::UnknownDims(static_cast<int>(count));
  if (!in.has_rank()) return OkStatus();
  Shape out = Shape::UnknownDims(in.rank());
  if (paddings) BERTH_RETURN_IF_ERROR(c.WithDim(count, in.rank()));
  for (int i = 0; paddings && i < in.rank(); ++i) {
    const int64_t before = (*paddings)[2 * i];
    const int64_t after = (*paddings)[2 * i + 1];
    if (before < 0 || after < 0) {
      return c.Error("Paddings must be non-negative, but axis " + std::to_string(i) +
                     " has " + std::to_string(before) + " and " + std::to_string(after));
    }
    BERTH_ASSIGN_OR_RETURN(const int64_t pads, AddDims(c, before, after));
    BERTH_ASSIGN_OR_RETURN(const int64_t dim, AddDims(c, in.dim(i), pads));
    out.set_dim(i, dim);
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status MirrorPadGradShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(const std::optional<Elements> paddings, ReadPairs(c, 1));
  const int64_t count = c.input_dim(1, 0);
  if (count == kUnknown) return OkStatus();
  const int rank = static_cast<int>(count);
  BERTH_RETURN_IF_ERROR(c.WithRank(0, rank));
  Shape out = Shape::UnknownDims(rank);
  for (int i = 0; paddings && c.input(0).has_rank() && i < rank; ++i) {
    const int64_t before = (*paddings)[2 * i];
    const int64_t after = (*paddings)[2 * i + 1];
    if (before < 0 || after < 0) {
      return c.Error("Paddings must be non-negative, but axis " + std::to_string(i) +
                     " has " + std::to_string(before) + " and " + std::to_string(after));
    }
    BERTH_ASSIGN_OR_RETURN(const int64_t pads, AddDims(c, before, after));
    BERTH_ASSIGN_OR_RETURN(const int64_t dim, SubtractDims(c, c.input(0).dim(i), pads));
    out.set_dim(i, dim);
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status DepthToSpaceShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(const DepthLayout layout, ReadDepthLayout(c));
  BERTH_RETURN_IF_ERROR(c.WithRank(0, layout.vector_size == 1 ? 4 : 5));
  if (!c.input(0).has_rank()) {
    c.set_output(0, Shape::UnknownDims(layout.vector_size == 1 ? 4 : 5));
    return OkStatus();
  }
  const int64_t block = c.attrs().GetInt("block_size");
  Shape out = c.input(0);
  for (int i = layout.first_space; i < layout.first_space + 2; ++i) {
    BERTH_ASSIGN_OR_RETURN(const int64_t dim, MultiplyDims(c, out.dim(i), block));
    out.set_dim(i, dim);
  }
  BERTH_ASSIGN_OR_RETURN(const int64_t area, MultiplyDims(c, block, block));
  BERTH_ASSIGN_OR_RETURN(const int64_t depth,
                         DivideDims(c, out.dim(layout.channel), area, true));
  out.set_dim(layout.channel, depth);
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status SpaceToDepthShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(const DepthLayout layout, ReadDepthLayout(c));
  BERTH_RETURN_IF_ERROR(c.WithRank(0, layout.vector_size == 1 ? 4 : 5));
  if (!c.input(0).has_rank()) {
    c.set_output(0, Shape::UnknownDims(layout.vector_size == 1 ? 4 : 5));
    return OkStatus();
  }
  const int64_t block = c.attrs().GetInt("block_size");
  Shape out = c.input(0);
  for (int i = layout.first_space; i < layout.first_space + 2; ++i) {
    BERTH_ASSIGN_OR_RETURN(const int64_t dim, DivideDims(c, out.dim(i), block, true));
    out.set_dim(i, dim);
  }
  BERTH_ASSIGN_OR_RETURN(const int64_t area, MultiplyDims(c, block, block));
  BERTH_ASSIGN_OR_RETURN(const int64_t depth,
                         MultiplyDims(c, out.dim(layout.channel), area));
  out.set_dim(layout.channel, depth);
  c.set_output(0, std::move(out));
  return OkStatus();
}

namespace {

// Shared by SpaceToBatchND and its inverse: `blocks` and `pairs` (pads or crops).
Status BlockShape(InferenceContext& c, bool to_batch) {
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 1));
  BERTH_ASSIGN_OR_RETURN(const std::optional<Elements> pairs, ReadPairs(c, 2));
  const std::optional<Elements> blocks = c.ElementsFromInput(1);
  BERTH_ASSIGN_OR_RETURN(const int64_t count,
                         c.MergeDim(c.input_dim(1, 0), c.input_dim(2, 0)));
  if (count == kUnknown) return OkStatus();
  const int num_blocks = static_cast<int>(count);
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, num_blocks + 1));
  if (!c.input(0).has_rank()) return OkStatus();
  const Shape& in = c.input(0);
  Shape out = in;
  int64_t batch = in.dim(0);
  for (int i = 0; i < num_blocks; ++i) {
    const int64_t block = blocks ? (*blocks)[i] : kUnknownElement;
    if (block == kUnknownElement) {
      batch = kUnknown;
      out.set_dim(i + 1, kUnknown);
      continue;
    }
    if (block < 1) {
      return c.Error("block_shape[" + std::to_string(i) + "] must be positive, but is " +
                     std::to_string(block));
    }
    if (to_batch) {
      BERTH_ASSIGN_OR_RETURN(batch, MultiplyDims(c, batch, block));
    } else {
      BERTH_ASSIGN_OR_RETURN(batch, DivideDims(c, batch, block, true));
    }
    if (!pairs) {
      out.set_dim(i + 1, kUnknown);
      continue;
    }
    const int64_t before = (*pairs)[2 * i];
    const int64_t after = (*pairs)[2 * i + 1];
    if (before < 0 || after < 0) {
      return c.Error(std::string(to_batch ? "paddings" : "crops") +
                     " cannot be negative, but those of axis " + std::to_string(i + 1) +
                     " are " + std::to_string(before) + " and " + std::to_string(after));
    }
    BERTH_ASSIGN_OR_RETURN(const int64_t extra, AddDims(c, before, after));
    int64_t dim = 0;
    if (to_batch) {
      BERTH_ASSIGN_OR_RETURN(const int64_t padded, AddDims(c, in.dim(i + 1), extra));
      BERTH_ASSIGN_OR_RETURN(dim, DivideDims(c, padded, block, true));
    } else {
      BERTH_ASSIGN_OR_RETURN(const int64_t grown, MultiplyDims(c, in.dim(i + 1), block));
      BERTH_ASSIGN_OR_RETURN(dim, SubtractDims(c, grown, extra));
    }
    out.set_dim(i + 1, dim);
  }
  out.set_dim(0, batch);
  c.set_output(0, std::move(out));
  return OkStatus();
}

}  // namespace

Status SpaceToBatchNDShape(InferenceContext& c) { return BlockShape(c, true); }
Status BatchToSpaceNDShape(InferenceContext& c) { return BlockShape(c, false); }

Status ReverseShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 1));
  BERTH_RETURN_IF_ERROR(c.WithRankAtMost(0, 8));
  const int64_t count = c.input_dim(1, 0);
  if (c.input(0).has_rank()) BERTH_RETURN_IF_ERROR(c.WithDim(count, c.input(0).rank()));
  c.set_output(0, c.input(0).has_rank() || count == kUnknown
                      ? c.input(0)
                      : Shape::UnknownDims(static_cast<int>(count)));
  return OkStatus();
}

Status ReverseV2Shape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 1));
  const Shape& in = c.input(0);
  const std::optional<Elements> axes = c.ElementsFromInput(1);
  if (in.has_rank() && axes) {
    std::vector<bool> seen(static_cast<size_t>(in.rank()));
    for (const int64_t written : *axes) {
      if (written == kUnknownElement) continue;
      BERTH_ASSIGN_OR_RETURN(const int axis, NormalizeAxis(c, written, in.rank()));
      if (seen[axis]) {
        return c.Error("axis " + std::to_string(axis) + " specified more than once");
      }
      seen[axis] = true;
    }
  }
  return UnchangedShape(c);
}

Status ReverseSequenceShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 1));
  const Shape& in = c.input(0);
  if (!in.has_rank()) return OkStatus();
  const int64_t seq = c.attrs().GetInt("seq_dim");
  const int64_t batch = c.attrs().GetInt("batch_dim");
  if (seq < 0 || batch < 0 || seq >= in.rank() || batch >= in.rank() || seq == batch) {
    return c.Error("seq_dim " + std::to_string(seq) + " and batch_dim " +
                   std::to_string(batch) + " must be two different axes of the input");
  }
  BERTH_ASSIGN_OR_RETURN(const int64_t dim,
                         c.MergeDim(in.dim(static_cast<int>(batch)), c.input_dim(1, 0)));
  Shape out = in;
  out.set_dim(static_cast<int>(batch), dim);
  c.set_output(0, std::move(out));
  return OkStatus();
}

}  // namespace berth
