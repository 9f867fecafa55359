// Reading checkpoints of format V2: an index PREFIX.index and data files
// PREFIX.data-00000-of-00001 and so on; and of the old format V1: one file or several
// with everything in them. docs/FORMATS.md describes both.
#pragma once

#include <absl/base/thread_annotations.h>
#include <absl/synchronization/mutex.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/base/tensor.h"
#include "core/formats/checkpoint/tensor_slice.h"
#include "core/formats/file.h"

namespace berth::formats {

// What the index says of a tensor, or of a slice of one.
struct BundleEntry {
  DType dtype = BERTH_INVALID_DTYPE;  // may be a number that berth does not know
  Shape shape;                        // of the whole tensor, or of the slice
  int shard = 0;                      // which data file
  uint64_t offset = 0;                // bytes, in the data file
  uint64_t size = 0;                  // bytes
  uint32_t masked_crc = 0;
  std::vector<TensorSlice> slices;  // of a partitioned tensor, whose data stand elsewhere
  int64_t record = -1;  // V1: which record has the values, in place of a file and offset
};

// A tensor that a caller wants, and what it must be.
struct TensorRequest {
  std::string name;
  std::string shape_and_slice;        // see ShapeAndSlice; "" = the whole tensor
  DType dtype = BERTH_INVALID_DTYPE;  // INVALID: any
  std::optional<Shape> shape;         // of what is read; nullopt: any
};

// Names of the files of a checkpoint.
std::string IndexFileName(const std::string& prefix);
std::string DataFileName(const std::string& prefix, int shard, int num_shards);

// Thread-safe once open.
class BundleReader {
 public:
  // Reads the index, or, where there is none and `prefix` is the name of a file or a
  // pattern of names, these as files of format V1. NOT_FOUND when there is nothing, with
  // a hint if `prefix` names one of the checkpoint's files instead; DATA_LOSS naming the
  // file for a damaged one; UNIMPLEMENTED for one that a big-endian machine or a later
  // format wrote.
  static Result<std::unique_ptr<BundleReader>> Open(const std::string& prefix);

  const std::string& prefix() const { return prefix_; }
  int num_shards() const { return num_shards_; }  // data files; 0 for V1
  // All tensors by name, sorted. Partitioned ones appear once, whole.
  const std::map<std::string, BundleEntry, std::less<>>& List() const { return entries_; }
  // The stored slices of partitioned tensors, by SliceKey.
  const std::map<std::string, BundleEntry, std::less<>>& slices() const {
    return slices_;
  }
  // nullptr when there is none.
  const BundleEntry* Find(std::string_view name) const;

  // The tensor, or the part of it that `slice` says, put together from the slices that
  // the checkpoint has. NOT_FOUND naming the tensor, or a missing data file; DATA_LOSS
  // naming file and bytes; INVALID_ARGUMENT for a slice that does not fit.
  Result<Tensor> Lookup(std::string_view name) const;
  Result<Tensor> Lookup(std::string_view name, const TensorSlice& slice) const;

  // All of them or none: what does not fit is reported in one error, which lists every
  // missing tensor and every dtype and shape that differs, before anything is read.
  // NOT_FOUND if any is missing, else INVALID_ARGUMENT.
  Result<std::vector<Tensor>> Restore(std::span<const TensorRequest> requests) const;

 private:
  BundleReader(std::string prefix, int num_shards);
  static Result<std::unique_ptr<BundleReader>> OpenV1(const std::string& prefix);

  // A stored part of a tensor: where it belongs, resolved, and where its bytes are.
  struct Piece {
    TensorSlice slice;
    const BundleEntry* data;
  };

  Status AddEntry(const std::string& key, const std::string& value);
  Result<const FileReader*> Shard(int shard) const;
  Result<std::vector<Piece>> Pieces(std::string_view name,
                                    const BundleEntry& entry) const;
  // What of the entry can be known without reading: dtype, sizes, the file's end.
  Status CheckEntry(std::string_view name, const BundleEntry& entry) const;
  Result<Tensor> ReadEntry(std::string_view name, const BundleEntry& entry) const;
  Status CheckRequest(const TensorRequest& request, std::string* problem) const;

  std::string prefix_;
  int num_shards_;
  std::map<std::string, BundleEntry, std::less<>> entries_;
  std::map<std::string, BundleEntry, std::less<>> slices_;
  std::vector<std::string> records_;  // V1
  mutable absl::Mutex mutex_;
  // Opened when needed.
  mutable std::vector<std::unique_ptr<FileReader>> shards_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace berth::formats
