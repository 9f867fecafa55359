// Random numbers.
#include "core/ops/builtin_ops.h"
#include "core/ops/shapes/common.h"
#include "core/ops/shapes/random_shapes.h"

namespace berth {
namespace {

constexpr OpSpec kRandomOps[] = {
    {"RandomUniform", "shape: T -> output: dtype",
     "seed: int = 0; seed2: int = 0; dtype: floating; T: index", ShapeFromFirstInput,
     kStateful},
    {"RandomUniformInt", "shape: T, minval: Tout, maxval: Tout -> output: Tout",
     "seed: int = 0; seed2: int = 0; Tout: index; T: index", RandomIntShape, kStateful},
    {"RandomStandardNormal", "shape: T -> output: dtype",
     "seed: int = 0; seed2: int = 0; dtype: floating; T: index", ShapeFromFirstInput,
     kStateful},
    {"TruncatedNormal", "shape: T -> output: dtype",
     "seed: int = 0; seed2: int = 0; dtype: floating; T: index", ShapeFromFirstInput,
     kStateful},
    {"RandomShuffle", "value: T -> output: T", "seed: int = 0; seed2: int = 0; T: type",
     UnchangedShape, kStateful},
    {"RandomCrop", "image: T, size: int64 -> output: T",
     "T: {uint8, int8, int16, int32, int64, float, double}; seed: int = 0; seed2: int = "
     "0",
     RandomCropShape, kStateful, 8, "Random crop is now pure Python"},
    {"RandomGamma", "shape: S, alpha: T -> output: T",
     "seed: int = 0; seed2: int = 0; S: index; T: {half, float, double}",
     RandomPerElementShape, kStateful},
    {"RandomPoissonV2", "shape: S, rate: R -> output: dtype",
     "seed: int = 0; seed2: int = 0; S: index; R: {half, float, double, int32, int64} = "
     "double; dtype: {half, float, double, int32, int64} = int64",
     RandomPerElementShape, kStateful},
    {"Multinomial", "logits: T, num_samples: int32 -> output: output_dtype",
     "seed: int = 0; seed2: int = 0; T: real; output_dtype: index = int64",
     MultinomialShape, kStateful},
    {"StatelessRandomNormal", "shape: T, seed: Tseed -> output: dtype",
     "dtype: floating = float; T: index = int32; Tseed: index = int64",
     StatelessRandomShape},
    {"StatelessRandomUniform", "shape: T, seed: Tseed -> output: dtype",
     "dtype: floating = float; T: index = int32; Tseed: index = int64",
     StatelessRandomShape},
    {"StatelessTruncatedNormal", "shape: T, seed: Tseed -> output: dtype",
     "dtype: floating = float; T: index = int32; Tseed: index = int64",
     StatelessRandomShape},
};

}  // namespace

std::span<const OpSpec> RandomOps() { return kRandomOps; }

}  // namespace berth
