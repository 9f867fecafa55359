#include "kernels-cpu/conv_onednn.h"

#include <cstring>

namespace berth::cpu {
namespace {

using Dims = dnnl::memory::dims;
using Desc = dnnl::memory::desc;
using Tag = dnnl::memory::format_tag;
constexpr auto kFloat = dnnl::memory::data_type::f32;
constexpr auto kDirect = dnnl::algorithm::convolution_direct;

// Pieces a thread, so that a thread that is held up leaves work to the others.
constexpr int64_t kPiecesPerThread = 4;

uint64_t RoundUp(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

// What oneDNN is told of a geometry.
struct Shape {
  explicit Shape(const ConvGeometry& g)
      : input({g.batch, g.in_channels, g.height.in, g.width.in}, kFloat, Tag::nhwc),
        output({g.batch, g.out_channels, g.height.out, g.width.out}, kFloat, Tag::nhwc),
        strides{g.height.stride, g.width.stride},
        dilations{g.height.dilation - 1, g.width.dilation - 1},
        before{g.height.pad_before, g.width.pad_before},
        after{After(g.height), After(g.width)} {
    if (g.groups == 1) {
      filter_dims = {g.out_channels, g.in_channels, g.height.kernel, g.width.kernel};
      plain = Tag::hwio;
    } else {
      filter_dims = {g.groups, g.group_out(), g.group_in(), g.height.kernel,
                     g.width.kernel};
      plain = Tag::hwigo;
    }
  }
  // Cells past the end that the last window reads; negative where it ends before.
  static int64_t After(const WindowAxis& a) {
    return (a.out - 1) * a.stride + a.extent() - a.in - a.pad_before;
  }
  Desc AnyFilter() const { return {filter_dims, kFloat, Tag::any}; }
  Desc PlainFilter() const { return {filter_dims, kFloat, plain}; }

  Desc input;
  Desc output;
  Dims strides;
  Dims dilations;
  Dims before;
  Dims after;
  Dims filter_dims;
  Tag plain;
};

dnnl::primitive_attr UserScratchpad() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

dnnl::convolution_forward::primitive_desc ForwardDesc(const Shape& s,
                                                      const Desc& filter) {
  const dnnl::convolution_forward::desc desc(dnnl::prop_kind::forward_inference, kDirect,
                                             s.input, filter, s.output, s.strides,
                                             s.dilations, s.before, s.after);
  return {desc, UserScratchpad(), Engine()};
}

dnnl::convolution_backward_data::primitive_desc InputGradDesc(const Shape& s,
                                                              const Desc& filter) {
  const dnnl::convolution_backward_data::desc desc(
      kDirect, s.input, filter, s.output, s.strides, s.dilations, s.before, s.after);
  return {desc, UserScratchpad(), Engine(), ForwardDesc(s, s.AnyFilter())};
}

dnnl::convolution_backward_weights::primitive_desc FilterGradDesc(const Shape& s,
                                                                  const Desc& filter) {
  const dnnl::convolution_backward_weights::desc desc(
      kDirect, s.input, filter, s.output, s.strides, s.dilations, s.before, s.after);
  return {desc, UserScratchpad(), Engine(), ForwardDesc(s, s.AnyFilter())};
}

// Output rows [begin, end) of a geometry as a geometry of its own; `first_in` is the
// first input row it reads.
ConvGeometry Rows(const ConvGeometry& g, int64_t begin, int64_t end, int64_t* first_in) {
  ConvGeometry part = g;
  WindowAxis& h = part.height;
  const int64_t start = begin * h.stride - h.pad_before;
  const int64_t stop = (end - 1) * h.stride - h.pad_before + h.extent();
  *first_in = std::clamp<int64_t>(start, 0, h.in);
  part.height.pad_before = std::max<int64_t>(0, -start);
  part.height.out = end - begin;
  part.height.in = std::max<int64_t>(0, std::min(stop, g.height.in) - *first_in);
  return part;
}

bool SameShape(const ConvGeometry& a, const ConvGeometry& b) {
  return a.batch == b.batch && a.height.in == b.height.in &&
         a.height.out == b.height.out && a.height.pad_before == b.height.pad_before;
}

}  // namespace

bool OneDnnConv::Make(Kind kind, const ConvGeometry& g, int num_threads) {
  const OneThread one_thread;
  kind_ = kind;
  const int64_t wanted = num_threads > 1 ? num_threads * kPiecesPerThread : 1;
  const int slots = num_threads;
  try {
    const int64_t rows_cut =
        kind == Kind::kForward && num_threads > 1 && g.batch < num_threads
            ? std::min(g.height.out, wanted / g.batch)
            : 1;
    // Partial sums of the filter's gradient are as large as the filter, so that there are
    // no more of them than threads need.
    const int64_t cut =
        kind == Kind::kFilterGrad ? std::min<int64_t>(wanted, num_threads) : wanted;
    const int64_t images = rows_cut > 1 ? 1 : (g.batch + cut - 1) / cut;
    for (int64_t n = 0; n < g.batch; n += images) {
      ConvGeometry part = g;
      part.batch = std::min(images, g.batch - n);
      const int64_t in = n * g.in_image();
      const int64_t out = n * g.out_image();
      if (kind == Kind::kInputGrad) {
        AddPiece(kind, part, slots, {0, out, 0, in});
        continue;
      }
      if (kind == Kind::kFilterGrad) {
        AddPiece(kind, part, slots, {0, in, out, 0});
        continue;
      }
      for (int64_t i = 0; i < rows_cut; ++i) {
        const int64_t begin = g.height.out * i / rows_cut;
        const int64_t end = g.height.out * (i + 1) / rows_cut;
        int64_t first = 0;
        const ConvGeometry rows = rows_cut > 1 ? Rows(part, begin, end, &first) : part;
        if (rows.height.in == 0) return false;
        AddPiece(kind, rows, slots,
                 {0, in + first * g.width.in * g.in_channels, 0,
                  out + begin * g.width.out * g.out_channels});
      }
    }
    AddReorder(g);
  } catch (const dnnl::error&) {
    return false;
  }
  Finish(g);
  return true;
}

void OneDnnConv::AddPiece(Kind kind, const ConvGeometry& piece, int num_slots, Piece at) {
  for (size_t i = 0; i < shapes_.size(); ++i) {
    if (SameShape(shapes_[i], piece)) {
      at.primitive = i;
      pieces_.push_back(at);
      return;
    }
  }
  const Shape shape(piece);
  // The first piece chooses the layout of the filter; the others follow it.
  const Desc filter = primitives_.empty() ? shape.AnyFilter() : filter_desc_;
  if (kind == Kind::kForward) {
    const auto desc = ForwardDesc(shape, filter);
    filter_desc_ = desc.weights_desc();
    primitives_.emplace_back(
        dnnl::convolution_forward(desc),
        std::vector<Primitive::Argument>{{DNNL_ARG_SRC, shape.input},
                                         {DNNL_ARG_WEIGHTS, filter_desc_},
                                         {DNNL_ARG_DST, shape.output}},
        desc.scratchpad_desc(), num_slots);
  } else if (kind == Kind::kInputGrad) {
    const auto desc = InputGradDesc(shape, filter);
    filter_desc_ = desc.weights_desc();
    primitives_.emplace_back(
        dnnl::convolution_backward_data(desc),
        std::vector<Primitive::Argument>{{DNNL_ARG_DIFF_DST, shape.output},
                                         {DNNL_ARG_WEIGHTS, filter_desc_},
                                         {DNNL_ARG_DIFF_SRC, shape.input}},
        desc.scratchpad_desc(), num_slots);
  } else {
    const auto desc = FilterGradDesc(shape, filter);
    filter_desc_ = desc.diff_weights_desc();
    primitives_.emplace_back(
        dnnl::convolution_backward_weights(desc),
        std::vector<Primitive::Argument>{{DNNL_ARG_SRC, shape.input},
                                         {DNNL_ARG_DIFF_DST, shape.output},
                                         {DNNL_ARG_DIFF_WEIGHTS, filter_desc_}},
        desc.scratchpad_desc(), num_slots);
  }
  shapes_.push_back(piece);
  at.primitive = primitives_.size() - 1;
  pieces_.push_back(at);
}

void OneDnnConv::AddReorder(const ConvGeometry& g) {
  const Desc plain = Shape(g).PlainFilter();
  filter_is_plain_ = plain == filter_desc_;
  if (filter_is_plain_) return;
  const Desc& from = kind_ == Kind::kFilterGrad ? filter_desc_ : plain;
  const Desc& to = kind_ == Kind::kFilterGrad ? plain : filter_desc_;
  const dnnl::reorder::primitive_desc desc(Engine(), from, Engine(), to);
  reorder_ = Primitive(dnnl::reorder(desc), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}},
                       desc.scratchpad_desc(), 2);
}

void OneDnnConv::Finish(const ConvGeometry&) {
  filter_bytes_ = RoundUp(filter_desc_.get_size());
  for (const Primitive& p : primitives_) {
    piece_scratch_ = std::max<uint64_t>(piece_scratch_, RoundUp(p.scratch_size()));
  }
  // Reorders of plain layouts need no scratchpad of their own worth naming, but if one
  // does, it shares the first piece's place.
  piece_scratch_ = std::max<uint64_t>(piece_scratch_, RoundUp(reorder_.scratch_size()));
  const uint64_t filters = kind_ == Kind::kFilterGrad ? pieces_.size() : 1;
  scratch_size_ = filters * filter_bytes_ + pieces_.size() * piece_scratch_;
}

Status OneDnnConv::Run(const float* a, const float* b, float* out, void* scratch,
                       const ComputeContext& context) const {
  char* space = static_cast<char*>(scratch);
  std::atomic<bool> failed{false};
  if (kind_ == Kind::kFilterGrad) {
    RunFilterGrad(a, b, out, space, context, &failed);
  } else {
    void* filter = const_cast<float*>(b);
    char* pads = space + filter_bytes_;
    if (!filter_is_plain_) {
      void* const data[3] = {filter, space, pads};
      if (!reorder_.Run(data)) failed = true;
      filter = space;
    }
    context.ParallelFor(
        static_cast<int64_t>(pieces_.size()), 1, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const Piece& p = pieces_[static_cast<size_t>(i)];
            void* const data[4] = {const_cast<float*>(a) + p.a, filter, out + p.out,
                                   pads + static_cast<uint64_t>(i) * piece_scratch_};
            if (!primitives_[p.primitive].Run(data)) failed = true;
          }
        });
  }
  if (failed) return sdk::Internal("oneDNN failed to execute a convolution");
  return {};
}

void OneDnnConv::RunFilterGrad(const float* a, const float* b, float* out, char* space,
                               const ComputeContext& context,
                               std::atomic<bool>* failed) const {
  char* pads = space + pieces_.size() * filter_bytes_;
  const auto partial = [&](int64_t i) {
    return reinterpret_cast<float*>(space + static_cast<uint64_t>(i) * filter_bytes_);
  };
  const int64_t count = static_cast<int64_t>(pieces_.size());
  const bool direct = count == 1 && filter_is_plain_;
  context.ParallelFor(count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Piece& p = pieces_[static_cast<size_t>(i)];
      void* const data[4] = {const_cast<float*>(a) + p.a, const_cast<float*>(b) + p.b,
                             direct ? out : partial(i),
                             pads + static_cast<uint64_t>(i) * piece_scratch_};
      if (!primitives_[p.primitive].Run(data)) *failed = true;
    }
  });
  if (direct) return;
  float* sum = filter_is_plain_ ? out : partial(0);
  const int64_t size = static_cast<int64_t>(filter_desc_.get_size() / sizeof(float));
  context.ParallelFor(size, 16384, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float total = partial(0)[i];
      for (int64_t p = 1; p < count; ++p) total += partial(p)[i];
      sum[i] = total;
    }
  });
  if (filter_is_plain_) return;
  void* const data[3] = {sum, out, pads};
  if (!reorder_.Run(data)) *failed = true;
}

}  // namespace berth::cpu
