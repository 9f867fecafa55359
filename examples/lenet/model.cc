#include "examples/lenet/model.h"

#include <cmath>

namespace lenet {

using bc::Output;
using bc::Scope;
using bc::Variable;

namespace {

constexpr int64_t kFree = -1;

// Keeps the spread of values from layer to layer under ReLU (He and others, 2015).
bc::Initializer HeNormal(int64_t fan_in, int64_t seed) {
  return bc::TruncatedNormal(std::sqrt(2.0F / static_cast<float>(fan_in)), seed);
}

// A convolution of `size`×`size`, ReLU, and a pool that halves both sides.
Output ConvLayer(const Scope& s, Output x, int64_t size, int64_t filters, int64_t seed) {
  const int64_t channels = x.shape().dim(3);
  const Variable w = Variable::Create(s, "weights", {size, size, channels, filters},
                                      HeNormal(size * size * channels, seed));
  const Variable b = Variable::Create(s, "biases", {filters}, bc::Zeros());
  const Output y = bc::ops::Relu(s, bc::ops::BiasAdd(s, bc::ops::Conv2D(s, x, w), b));
  return bc::ops::MaxPool(s, y, 2, {.stride = 2, .padding = "SAME"});
}

Output DenseLayer(const Scope& s, Output x, int64_t units, int64_t seed) {
  const Variable w = Variable::Create(s, "weights", {x.shape().dim(1), units},
                                      HeNormal(x.shape().dim(1), seed));
  const Variable b = Variable::Create(s, "biases", {units}, bc::Zeros());
  return bc::ops::BiasAdd(s, bc::ops::MatMul(s, x, w), b);
}

}  // namespace

Model BuildModel(const Scope& s) {
  Model m;
  m.images = bc::ops::Placeholder(s, "images", BERTH_FLOAT, {kFree, 28, 28, 1});
  m.labels = bc::ops::Placeholder(s, "labels", BERTH_INT64, {kFree});

  Output h = ConvLayer(s.Name("conv1"), m.images, 5, 32, /*seed=*/1);
  h = ConvLayer(s.Name("conv2"), h, 5, 64, /*seed=*/2);
  h = bc::ops::Reshape(s, h, {kFree, 7 * 7 * 64});
  h = bc::ops::Relu(s, DenseLayer(s.Name("hidden"), h, 512, /*seed=*/3));
  m.logits = DenseLayer(s.Name("classes"), h, 10, /*seed=*/4);

  m.loss = bc::ops::Mean(s, bc::ops::SparseSoftmaxCrossEntropy(s, m.labels, m.logits));
  const Output right = bc::ops::Equal(s, bc::ops::ArgMax(s, m.logits, 1), m.labels);
  m.accuracy = bc::ops::Mean(s, bc::ops::Cast(s, right, BERTH_FLOAT));
  return m;
}

}  // namespace lenet
