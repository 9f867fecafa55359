// f32 convolutions on oneDNN, NHWC, split into pieces that the pool's threads take.
#pragma once

#include <vector>

#include "kernels-cpu/onednn.h"
#include "kernels-cpu/window.h"

namespace berth::cpu {

// A convolution of one shape, forward or one of its gradients. A piece is some images, or
// some output rows of one image. Immutable once made; Run is re-entrant.
class OneDnnConv {
 public:
  enum class Kind { kForward, kInputGrad, kFilterGrad };

  // False when oneDNN has no implementation for the geometry.
  bool Make(Kind kind, const ConvGeometry& geometry, int num_threads);

  // Bytes that Run needs.
  uint64_t scratch_size() const { return scratch_size_; }

  // kForward: a = input, b = filter, out = output. kInputGrad: a = gradient of the
  // output, b = filter, out = gradient of the input. kFilterGrad: a = input, b = gradient
  // of the output, out = gradient of the filter.
  Status Run(const float* a, const float* b, float* out, void* scratch,
             const ComputeContext& context) const;

 private:
  struct Piece {
    size_t primitive;
    int64_t a;  // element offsets
    int64_t b;
    int64_t out;
  };

  void AddPiece(Kind kind, const ConvGeometry& piece, int num_slots, Piece at);
  void Finish(const ConvGeometry& geometry);
  void AddReorder(const ConvGeometry& geometry);
  void RunFilterGrad(const float* a, const float* b, float* out, char* scratch,
                     const ComputeContext& context, std::atomic<bool>* failed) const;

  Kind kind_ = Kind::kForward;
  std::vector<ConvGeometry> shapes_;  // of primitives_, to find equal ones
  std::vector<Primitive> primitives_;
  std::vector<Piece> pieces_;
  dnnl::memory::desc filter_desc_;  // as the primitives want the filter
  bool filter_is_plain_ = false;    // and that is how the graph has it
  Primitive reorder_;               // plain to blocked; kFilterGrad: the way back
  uint64_t filter_bytes_ = 0;       // of the blocked filter, rounded up to 64
  uint64_t piece_scratch_ = 0;
  uint64_t scratch_size_ = 0;
};

}  // namespace berth::cpu
