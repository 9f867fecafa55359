// random.cc — RandomUniform, RandomUniformInt, RandomStandardNormal and TruncatedNormal
// on the CPU. Streams are TensorFlow's: the numbers of a run depend on the seeds and on
// how many numbers earlier runs of the node asked for, not on threads.
#include <mutex>
#include <random>

#include "kernels-cpu/common.h"
#include "kernels-cpu/families.h"
#include "kernels-cpu/philox.h"
#include "kernels-cpu/shape_arg.h"

namespace berth::cpu {
namespace {

// A run reserves this many groups of the stream for each number it draws, however many
// the rejections of a truncated distribution really use.
constexpr uint64_t kGroupsPerNumber = 256;
// A number of the truncated distribution lies within two standard deviations.
constexpr int kTruncateAt = 2;

// Draws `kSize` numbers of type T from one group of the stream.
struct UniformFloats {
  using T = float;
  static constexpr int kSize = 4;
  static std::array<T, kSize> Draw(const Philox::Group& g) {
    return {UniformFloat(g[0]), UniformFloat(g[1]), UniformFloat(g[2]),
            UniformFloat(g[3])};
  }
};
struct UniformDoubles {
  using T = double;
  static constexpr int kSize = 2;
  static std::array<T, kSize> Draw(const Philox::Group& g) {
    return {UniformDouble(g[0], g[1]), UniformDouble(g[2], g[3])};
  }
};
struct NormalFloats {
  using T = float;
  static constexpr int kSize = 4;
  static std::array<T, kSize> Draw(const Philox::Group& g) {
    const std::array<float, 2> a = BoxMuller(g[0], g[1]);
    const std::array<float, 2> b = BoxMuller(g[2], g[3]);
    return {a[0], a[1], b[0], b[1]};
  }
};
struct NormalDoubles {
  using T = double;
  static constexpr int kSize = 2;
  static std::array<T, kSize> Draw(const Philox::Group& g) {
    return BoxMuller(g[0], g[1], g[2], g[3]);
  }
};
// 10 mantissa bits in [1, 2), less 1.
struct UniformHalves {
  using T = Half;
  static constexpr int kSize = 4;
  static Half One(uint32_t x) {
    const Half in_1_2{static_cast<uint16_t>(0x3c00 | (x & 0x3ff))};
    return HalfFromFloat(ToFloat(in_1_2) - 1.0F);
  }
  static std::array<T, kSize> Draw(const Philox::Group& g) {
    return {One(g[0]), One(g[1]), One(g[2]), One(g[3])};
  }
};
// 7 mantissa bits in [1, 2), less 1.
struct UniformBfloats {
  using T = Bfloat16;
  static constexpr int kSize = 4;
  static Bfloat16 One(uint32_t x) {
    const Bfloat16 in_1_2{static_cast<uint16_t>(0x3f80 | (x & 0x7f))};
    return Bfloat16FromFloat(ToFloat(in_1_2) - 1.0F);
  }
  static std::array<T, kSize> Draw(const Philox::Group& g) {
    return {One(g[0]), One(g[1]), One(g[2]), One(g[3])};
  }
};
template <typename H, H (*kFrom)(float)>
struct NormalShort {
  using T = H;
  static constexpr int kSize = 4;
  static std::array<T, kSize> Draw(const Philox::Group& g) {
    const std::array<float, 4> f = NormalFloats::Draw(g);
    return {kFrom(f[0]), kFrom(f[1]), kFrom(f[2]), kFrom(f[3])};
  }
};

// Fills `out` with n numbers; the stream starts at `base`. Number i comes from group
// i / kSize.
template <typename D>
void FillUniformly(const Philox& base, typename D::T* out, int64_t n,
                   const ComputeContext& context) {
  const int64_t groups = (n + D::kSize - 1) / D::kSize;
  context.ParallelFor(groups, GrainForFlops(60), [&](int64_t begin, int64_t end) {
    Philox generator = base;
    generator.Skip(static_cast<uint64_t>(begin));
    for (int64_t group = begin; group < end; ++group) {
      const auto numbers = D::Draw(generator.Next());
      const int64_t first = group * D::kSize;
      const int64_t count = std::min<int64_t>(D::kSize, n - first);
      for (int64_t i = 0; i < count; ++i)
        out[first + i] = numbers[static_cast<size_t>(i)];
    }
  });
}

// The numbers of a stream one by one.
class Single {
 public:
  explicit Single(const Philox& generator) : generator_(generator) {}
  uint32_t Next() {
    if (used_ == 4) {
      group_ = generator_.Next();
      used_ = 0;
    }
    return group_[used_++];
  }

 private:
  Philox generator_;
  Philox::Group group_{};
  size_t used_ = 4;
};

inline std::array<float, 2> NormalPair(Single& stream, float) {
  const uint32_t x0 = stream.Next();
  const uint32_t x1 = stream.Next();
  return BoxMuller(x0, x1);
}
inline std::array<double, 2> NormalPair(Single& stream, double) {
  const uint32_t x0 = stream.Next();
  const uint32_t x1 = stream.Next();
  const uint32_t x2 = stream.Next();
  const uint32_t x3 = stream.Next();
  return BoxMuller(x0, x1, x2, x3);
}

inline void Store(float x, float* out) { *out = x; }
inline void Store(double x, double* out) { *out = x; }
inline void Store(float x, Half* out) { *out = HalfFromFloat(x); }
inline void Store(float x, Bfloat16* out) { *out = Bfloat16FromFloat(x); }

// Numbers come in groups of four (two of doubles); each group has its own stretch of the
// stream, out of which pairs are drawn until enough lie within the limit.
template <typename T>
void FillTruncated(const Philox& base, T* out, int64_t n, const ComputeContext& context) {
  using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;
  constexpr int64_t kSize = std::is_same_v<T, double> ? 2 : 4;
  constexpr uint64_t kStride = kSize * kGroupsPerNumber / 4;
  const int64_t groups = (n + kSize - 1) / kSize;
  context.ParallelFor(groups, GrainForFlops(150), [&](int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
      Philox generator = base;
      generator.Skip(static_cast<uint64_t>(group) * kStride);
      Single stream(generator);
      const int64_t first = group * kSize;
      // A group is drawn whole, even where fewer are left to store.
      for (int64_t i = 0; i < kSize;) {
        for (const Real x : NormalPair(stream, Real{})) {
          if (std::fabs(x) >= kTruncateAt || i == kSize) continue;
          if (first + i < n) Store(x, out + first + i);
          ++i;
        }
      }
    }
  });
}

struct Stream {
  std::mutex mutex;
  Philox generator;  // guarded by mutex

  // The position at which a run that draws `numbers` numbers starts.
  Philox Reserve(int64_t numbers) {
    const std::lock_guard lock(mutex);
    const Philox start = generator;
    generator.Skip(static_cast<uint64_t>(numbers) * kGroupsPerNumber);
    return start;
  }
};

// Seeds as the node gives them; both zero means: take some from the system.
class Seeded {
 public:
  using State = Stream;
  explicit Seeded(const NodeView& node)
      : seed_(static_cast<uint64_t>(node.Int("seed"))),
        seed2_(static_cast<uint64_t>(node.Int("seed2"))),
        dtype_(node.output(0).dtype) {}

  std::unique_ptr<Stream> CreateState() const {
    auto stream = std::make_unique<Stream>();
    if (seed_ == 0 && seed2_ == 0) {
      std::random_device device;
      const auto draw = [&] {
        return (static_cast<uint64_t>(device()) << 32) | device();
      };
      stream->generator = Philox(draw(), draw());
    } else {
      stream->generator = Philox(seed_, seed2_);
    }
    return stream;
  }
  int32_t dtype() const { return dtype_; }

 private:
  uint64_t seed_;
  uint64_t seed2_;
  int32_t dtype_;
};

// Gives the run's output its place in the stream.
inline Philox Start(const ComputeContext& context, int64_t n) {
  return context.state<Stream>()->Reserve(n);
}

template <typename F, typename D, typename H, typename B>
class FilledByGroups : public Seeded {
 public:
  using Seeded::Seeded;
  static Result<std::unique_ptr<FilledByGroups>> Create(const NodeView& node,
                                                        berth_device*) {
    return Make<FilledByGroups>(node);
  }
  Status Prepare(PrepareContext& context) const {
    return ShapeArg(context.input(0), &context.output(0));
  }
  Status Compute(ComputeContext& context) const {
    const int64_t n = NumElements(context.output(0));
    if (n == 0) return {};
    const Philox start = Start(context, n);
    switch (dtype()) {
      case kF32:
        FillUniformly<F>(start, context.Out<float>(0), n, context);
        break;
      case kF64:
        FillUniformly<D>(start, context.Out<double>(0), n, context);
        break;
      case kHalf:
        FillUniformly<H>(start, context.Out<Half>(0), n, context);
        break;
      default:
        FillUniformly<B>(start, context.Out<Bfloat16>(0), n, context);
    }
    return {};
  }
};
using UniformKernel =
    FilledByGroups<UniformFloats, UniformDoubles, UniformHalves, UniformBfloats>;
using NormalKernel =
    FilledByGroups<NormalFloats, NormalDoubles, NormalShort<Half, HalfFromFloat>,
                   NormalShort<Bfloat16, Bfloat16FromFloat>>;

class TruncatedKernel : public Seeded {
 public:
  using Seeded::Seeded;
  static Result<std::unique_ptr<TruncatedKernel>> Create(const NodeView& node,
                                                         berth_device*) {
    return Make<TruncatedKernel>(node);
  }
  Status Prepare(PrepareContext& context) const {
    return ShapeArg(context.input(0), &context.output(0));
  }
  Status Compute(ComputeContext& context) const {
    const int64_t n = NumElements(context.output(0));
    if (n == 0) return {};
    const Philox start = Start(context, n);
    switch (dtype()) {
      case kF32:
        FillTruncated(start, context.Out<float>(0), n, context);
        break;
      case kF64:
        FillTruncated(start, context.Out<double>(0), n, context);
        break;
      case kHalf:
        FillTruncated(start, context.Out<Half>(0), n, context);
        break;
      default:
        FillTruncated(start, context.Out<Bfloat16>(0), n, context);
    }
    return {};
  }
};

class UniformIntKernel : public Seeded {
 public:
  using Seeded::Seeded;
  static Result<std::unique_ptr<UniformIntKernel>> Create(const NodeView& node,
                                                          berth_device*) {
    return Make<UniformIntKernel>(node);
  }
  Status Prepare(PrepareContext& context) const {
    return ShapeArg(context.input(0), &context.output(0));
  }
  Status Compute(ComputeContext& context) const {
    return dtype() == kI32 ? Run<int32_t>(context) : Run<int64_t>(context);
  }

 private:
  template <typename T>
  static Status Run(ComputeContext& context) {
    using Bits = std::make_unsigned_t<T>;
    constexpr int64_t kSize = 16 / sizeof(T);
    const int64_t n = NumElements(context.output(0));
    if (n == 0) return {};
    const T low = *context.In<T>(1);
    const T high = *context.In<T>(2);
    if (low >= high) {
      return InvalidArgument("Need minval < maxval, got " + std::to_string(low) +
                             " >= " + std::to_string(high));
    }
    const Bits range = static_cast<Bits>(high) - static_cast<Bits>(low);
    const Philox start = Start(context, n);
    T* out = context.Out<T>(0);
    context.ParallelFor(
        (n + kSize - 1) / kSize, GrainForFlops(80), [&](int64_t begin, int64_t end) {
          Philox generator = start;
          generator.Skip(static_cast<uint64_t>(begin));
          for (int64_t group = begin; group < end; ++group) {
            const Philox::Group bits = generator.Next();
            std::array<Bits, kSize> numbers;
            std::memcpy(numbers.data(), bits.data(), sizeof(bits));
            const int64_t first = group * kSize;
            const int64_t count = std::min<int64_t>(kSize, n - first);
            for (int64_t i = 0; i < count; ++i) {
              const Bits drawn = numbers[static_cast<size_t>(i)] % range;
              out[first + i] = static_cast<T>(static_cast<Bits>(low) + drawn);
            }
          }
        });
    return {};
  }
};

}  // namespace

void RegisterRandom(KernelTable& table) {
  const auto row = [&](const char* op) {
    return std::move(
        table.Op(op).Type("dtype", {kF32, kF64, kHalf, kBf16}).PrepareArg("shape"));
  };
  row("RandomUniform").Use<UniformKernel>();
  row("RandomStandardNormal").Use<NormalKernel>();
  row("TruncatedNormal").Use<TruncatedKernel>();
  table.Op("RandomUniformInt")
      .Type("Tout", {kI32, kI64})
      .PrepareArg("shape")
      .HostArg("minval")
      .HostArg("maxval")
      .Use<UniformIntKernel>();
}

}  // namespace berth::cpu
