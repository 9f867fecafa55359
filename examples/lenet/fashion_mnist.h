// Fashion-MNIST from the four gzip-compressed IDX files of Debian's
// dataset-fashion-mnist.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/berth.h"

namespace lenet {

constexpr int kImageSize = 28;
constexpr int kClasses = 10;

// One part (training or test) in memory: 8-bit pixels and class numbers.
class DataSet {
 public:
  // `part` is "train" or "t10k". NOT_FOUND names the file and the package to install;
  // DATA_LOSS names the file and what is wrong with it.
  static berth::Result<DataSet> Load(const std::string& folder, const std::string& part);

  int64_t size() const { return static_cast<int64_t>(labels_.size()); }
  // Writes images [indices.size(),28,28,1], scaled to 0…1, and int64 labels into tensors
  // that have the right shape.
  void Gather(const std::vector<int64_t>& indices, berth::Tensor* images,
              berth::Tensor* labels) const;

 private:
  std::vector<uint8_t> pixels_;
  std::vector<uint8_t> labels_;
};

// Hands out batches: every image once an epoch, in an order that `seed` fixes.
class Batches {
 public:
  Batches(const DataSet& data, int64_t batch_size, uint64_t seed);
  void Next(berth::Tensor* images, berth::Tensor* labels);

 private:
  void Shuffle();

  const DataSet& data_;
  int64_t batch_size_;
  uint64_t state_;
  size_t next_ = 0;
  std::vector<int64_t> order_;
  std::vector<int64_t> batch_;
};

}  // namespace lenet
