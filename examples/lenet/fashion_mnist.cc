#include "examples/lenet/fashion_mnist.h"

#include <zlib.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

namespace lenet {

using berth::DataLoss;
using berth::NotFound;
using berth::Result;
using berth::Tensor;

namespace {

struct GzClose {
  void operator()(gzFile file) const { gzclose(file); }
};

uint32_t BigEndian(const uint8_t* bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 |
         bytes[3];
}

// Reads an IDX file of bytes (magic 0x0000080R, R sizes, then the bytes) whose items have
// `item_size` bytes. The format is described with the MNIST database (LeCun et al.,
// 1998).
Result<std::vector<uint8_t>> ReadIdx(const std::string& path, int rank,
                                     size_t item_size) {
  std::unique_ptr<gzFile_s, GzClose> file(gzopen(path.c_str(), "rb"));
  if (file == nullptr) {
    return NotFound(
        "cannot open '" + path +
        "'; install Debian's package dataset-fashion-mnist, or name the folder "
        "with --data");
  }
  uint8_t header[16] = {};
  const int header_size = 4 + 4 * rank;
  if (gzread(file.get(), header, static_cast<unsigned>(header_size)) != header_size ||
      BigEndian(header) != 0x800U + static_cast<uint32_t>(rank)) {
    return DataLoss("'" + path + "' is no IDX file of bytes with " +
                    std::to_string(rank) + " dimensions");
  }
  // Grows with what is really there: a damaged count takes no memory.
  const uint64_t wanted = uint64_t{BigEndian(header + 4)} * item_size;
  std::vector<uint8_t> bytes;
  while (bytes.size() < wanted) {
    const size_t have = bytes.size();
    bytes.resize(std::min<uint64_t>(wanted, have + (1U << 20)));
    const int got = gzread(file.get(), bytes.data() + have,
                           static_cast<unsigned>(bytes.size() - have));
    if (got <= 0) {
      return DataLoss("'" + path + "' ends after " + std::to_string(have) + " of " +
                      std::to_string(wanted) + " bytes");
    }
    bytes.resize(have + static_cast<size_t>(got));
  }
  return bytes;
}

}  // namespace

Result<DataSet> DataSet::Load(const std::string& folder, const std::string& part) {
  const std::string prefix = folder + "/" + part;
  DataSet data;
  BERTH_ASSIGN_OR_RETURN(data.pixels_, ReadIdx(prefix + "-images-idx3-ubyte.gz", 3,
                                               kImageSize * kImageSize));
  BERTH_ASSIGN_OR_RETURN(data.labels_, ReadIdx(prefix + "-labels-idx1-ubyte.gz", 1, 1));
  if (data.pixels_.size() != data.labels_.size() * kImageSize * kImageSize) {
    return DataLoss("'" + prefix + "-*': the counts of images and labels differ");
  }
  for (const uint8_t label : data.labels_) {
    if (label >= kClasses) {
      return DataLoss("'" + prefix + "-labels-idx1-ubyte.gz': a label is " +
                      std::to_string(label) + ", more than 9");
    }
  }
  return data;
}

void DataSet::Gather(const std::vector<int64_t>& indices, Tensor* images,
                     Tensor* labels) const {
  constexpr int64_t kPixels = kImageSize * kImageSize;
  auto* image = images->mutable_data<float>();
  auto* label = labels->mutable_data<int64_t>();
  for (const int64_t index : indices) {
    const uint8_t* pixel = pixels_.data() + index * kPixels;
    for (int64_t i = 0; i < kPixels; ++i)
      *image++ = static_cast<float>(pixel[i]) / 255.0F;
    *label++ = labels_[static_cast<size_t>(index)];
  }
}

Batches::Batches(const DataSet& data, int64_t batch_size, uint64_t seed)
    : data_(data),
      batch_size_(batch_size),
      state_(seed),
      order_(static_cast<size_t>(data.size())),
      batch_(static_cast<size_t>(batch_size)) {
  std::iota(order_.begin(), order_.end(), 0);
  Shuffle();
}

// Fisher and Yates, with SplitMix64 (Steele, Lea, Flood 2014) so that every platform
// draws the same batches.
void Batches::Shuffle() {
  for (size_t i = order_.size(); i > 1; --i) {
    state_ += 0x9e3779b97f4a7c15U;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    std::swap(order_[i - 1], order_[(z ^ (z >> 31)) % i]);
  }
}

void Batches::Next(Tensor* images, Tensor* labels) {
  for (int64_t& index : batch_) {
    if (next_ == order_.size()) {
      Shuffle();
      next_ = 0;
    }
    index = order_[next_++];
  }
  data_.Gather(batch_, images, labels);
}

}  // namespace lenet
