// RandomUniform, RandomUniformInt, RandomStandardNormal and TruncatedNormal out of
// TensorFlow's stream: Philox 4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy
// as 1, 2, 3", 2011), keyed by `seed`, counted from `seed2`.
#include <array>
#include <cmath>

#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"

namespace berth::conformance {
namespace {

using Group = std::array<uint32_t, 4>;

// A run reserves this many groups of the stream for each number that it draws.
constexpr uint64_t kGroupsPerNumber = 256;
constexpr Real kPi = 3.14159265358979323846264338327950288L;

struct Stream {
  uint64_t key = 0;
  uint64_t counter_low = 0;
  uint64_t counter_high = 0;

  void Skip(uint64_t groups) {
    const uint64_t before = counter_low;
    counter_low += groups;
    if (counter_low < before) ++counter_high;
  }

  Group Next() {
    const auto low = [](uint64_t x) { return static_cast<uint32_t>(x); };
    const auto high = [](uint64_t x) { return static_cast<uint32_t>(x >> 32); };
    Group c = {low(counter_low), high(counter_low), low(counter_high),
               high(counter_high)};
    uint32_t key0 = low(key);
    uint32_t key1 = high(key);
    for (int round = 0; round < 10; ++round) {
      const uint64_t a = uint64_t{0xD2511F53} * c[0];
      const uint64_t b = uint64_t{0xCD9E8D57} * c[2];
      c = {high(b) ^ c[1] ^ key0, low(b), high(a) ^ c[3] ^ key1, low(a)};
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
    Skip(1);
    return c;
  }
};

Stream StreamOf(const OpCall& call) {
  Stream stream;
  stream.key = static_cast<uint64_t>(call.Int("seed"));
  stream.counter_high = static_cast<uint64_t>(call.Int("seed2"));
  stream.Skip(static_cast<uint64_t>(call.numbers_drawn) * kGroupsPerNumber);
  return stream;
}

// A number in [0, 1) of `bits` mantissa bits.
Real Fraction(uint64_t word, int bits) {
  return std::ldexp(static_cast<Real>(word & ((uint64_t{1} << bits) - 1)), -bits);
}
Real DoubleFraction(uint32_t high, uint32_t low) {
  return Fraction((static_cast<uint64_t>(high) << 32) | low, 52);
}

bool IsDouble(const OpCall& call) { return call.Type("dtype") == BERTH_DOUBLE; }

Result<std::vector<int64_t>> DrawnDims(const OpCall& call, int inputs) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, inputs));
  if (call.input(0).rank() != 1) return InvalidArgument("shape must be a vector");
  if (call.Int("seed") == 0 && call.Int("seed2") == 0) {
    return InvalidArgument("without a seed no numbers are expected");
  }
  std::vector<int64_t> dims = Indices(call.input(0));
  for (const int64_t dim : dims) {
    if (dim < 0) return InvalidArgument("shape must not be negative");
  }
  return dims;
}

Result<Outputs> EvaluateUniform(const OpCall& call) {
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> dims, DrawnDims(call, 1));
  const DType dtype = call.Type("dtype");
  const int bits = FormatOf(dtype).digits - 1;
  const auto n = static_cast<size_t>(NumElements(dims));
  Stream stream = StreamOf(call);
  std::vector<Real> values;
  while (values.size() < n) {
    const Group g = stream.Next();
    if (IsDouble(call)) {
      values.insert(values.end(),
                    {DoubleFraction(g[0], g[1]), DoubleFraction(g[2], g[3])});
    } else {
      for (const uint32_t word : g) values.push_back(Fraction(word, bits));
    }
  }
  values.resize(n);
  // Exact in the dtype: to the bit.
  return Single(Exact(FromReals(dtype, dims, values)));
}

// Inputs: shape, the lowest, the one above the highest.
Result<Outputs> EvaluateUniformInt(const OpCall& call) {
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> dims, DrawnDims(call, 3));
  const DType dtype = call.input(1).dtype;
  const Int low = Ints(call.input(1))[0];
  const Int high = Ints(call.input(2))[0];
  if (low >= high) return InvalidArgument("Need minval < maxval");
  const auto n = static_cast<size_t>(NumElements(dims));
  Stream stream = StreamOf(call);
  std::vector<Int> values;
  while (values.size() < n) {
    const Group g = stream.Next();
    for (size_t i = 0; i < 4; i += dtype == BERTH_INT64 ? 2 : 1) {
      Int word = g[i];
      if (dtype == BERTH_INT64) word += static_cast<Int>(g[i + 1]) << 32;
      values.push_back(low + word % (high - low));
    }
  }
  values.resize(n);
  return Single(Exact(FromInts(dtype, dims, values)));
}

// Two normal numbers by the method of Box and Muller. Their error has three sources: the
// angle is rounded, the logarithm and the sine are the device's.
struct Pair {
  std::array<Real, 2> values;
  std::array<Real, 2> magnitudes;
};

Pair BoxMuller(Real u1, Real u2) {
  // The logarithm of zero is avoided; the limit is a float.
  const Real radius = std::sqrt(-2 * std::log(std::max(u1, Real{1.0e-7F})));
  const Real angle = 2 * kPi * u2;
  // A rounding of the angle moves the sine by at most angle times the roundoff.
  const Real drift = radius * (1 + angle);
  return {{std::sin(angle) * radius, std::cos(angle) * radius}, {drift, drift}};
}

// Words of the stream one by one, across groups.
class Words {
 public:
  explicit Words(const Stream& stream) : stream_(stream) {}
  uint32_t Next() {
    if (used_ == 4) {
      group_ = stream_.Next();
      used_ = 0;
    }
    return group_[used_++];
  }
  Pair NextPair(bool is_double) {
    const auto fraction = [&] {
      const uint32_t first = Next();
      return is_double ? DoubleFraction(first, Next()) : Fraction(first, 23);
    };
    const Real u1 = fraction();
    return BoxMuller(u1, fraction());
  }

 private:
  Stream stream_;
  Group group_{};
  size_t used_ = 4;
};

// The first n of what was drawn.
Result<Outputs> Normals(const OpCall& call, const std::vector<int64_t>& dims,
                        std::vector<Real> values, std::vector<Real> magnitudes) {
  const auto n = static_cast<size_t>(NumElements(dims));
  values.resize(n);
  magnitudes.resize(n);
  return Single(
      SumOutput(call.Type("dtype"), dims, std::move(values), std::move(magnitudes), 6));
}

Result<Outputs> EvaluateNormal(const OpCall& call) {
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> dims, DrawnDims(call, 1));
  const auto n = static_cast<size_t>(NumElements(dims));
  Words words(StreamOf(call));
  std::vector<Real> values;
  std::vector<Real> magnitudes;
  while (values.size() < n) {
    const Pair pair = words.NextPair(IsDouble(call));
    values.insert(values.end(), pair.values.begin(), pair.values.end());
    magnitudes.insert(magnitudes.end(), pair.magnitudes.begin(), pair.magnitudes.end());
  }
  return Normals(call, dims, std::move(values), std::move(magnitudes));
}

// Numbers come in fours (doubles in twos); each group has its own stretch of the stream,
// out of which pairs are drawn until enough lie within two standard deviations.
Result<Outputs> EvaluateTruncated(const OpCall& call) {
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> dims, DrawnDims(call, 1));
  const auto n = static_cast<size_t>(NumElements(dims));
  const size_t group = IsDouble(call) ? 2 : 4;
  std::vector<Real> values;
  std::vector<Real> magnitudes;
  for (uint64_t g = 0; values.size() < n; ++g) {
    Stream stream = StreamOf(call);
    stream.Skip(g * group * kGroupsPerNumber / 4);
    Words words(stream);
    const size_t end = values.size() + group;
    while (values.size() < end) {
      const Pair pair = words.NextPair(IsDouble(call));
      for (size_t i = 0; i < 2 && values.size() < end; ++i) {
        if (std::fabs(pair.values[i]) >= 2) continue;
        values.push_back(pair.values[i]);
        magnitudes.push_back(pair.magnitudes[i]);
      }
    }
  }
  return Normals(call, dims, std::move(values), std::move(magnitudes));
}

}  // namespace

void RegisterRandom(ReferenceTable& table) {
  table.Add("RandomUniform", EvaluateUniform);
  table.Add("RandomUniformInt", EvaluateUniformInt);
  table.Add("RandomStandardNormal", EvaluateNormal);
  table.Add("TruncatedNormal", EvaluateTruncated);
}

}  // namespace berth::conformance
