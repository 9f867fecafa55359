// Writing checkpoints of format V2, and joining those that several processes or devices
// wrote.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/base/status.h"
#include "core/base/tensor.h"
#include "core/formats/checkpoint/bundle_reader.h"
#include "core/formats/checkpoint/tensor_slice.h"
#include "core/formats/file.h"

namespace berth::formats {

// Writes one data file and the index of a new checkpoint. Until Finish() nothing of it is
// seen under its name: a checkpoint of that name stays readable, and stays for good when
// the writer is dropped. Not thread-safe.
class BundleWriter {
 public:
  // NOT_FOUND when the folder does not exist, PERMISSION_DENIED and so on from the
  // system.
  static Result<std::unique_ptr<BundleWriter>> Create(const std::string& prefix);

  // Writes the values. INVALID_ARGUMENT for an empty or repeated name and for dtypes
  // without values. REQUIRES: a host tensor, or one without elements.
  Status Add(const std::string& name, const Tensor& tensor);
  // One part of a partitioned tensor. INVALID_ARGUMENT also when dtype, full shape or
  // slice do not fit the tensor or what was added of it before.
  Status AddSlice(const std::string& name, const Shape& full_shape,
                  const TensorSlice& slice, const Tensor& tensor);

  // Flushes both files to the disk and then gives them their names, the index last.
  Status Finish();

 private:
  BundleWriter(std::string prefix, std::unique_ptr<FileWriter> data)
      : prefix_(std::move(prefix)), data_(std::move(data)) {}
  Status CheckTensor(const std::string& name, const Tensor& tensor) const;
  Result<BundleEntry> Write(const Tensor& tensor);

  std::string prefix_;
  std::unique_ptr<FileWriter> data_;
  std::map<std::string, BundleEntry> entries_;  // by key in the index
};

// Joins checkpoints into one called `merged_prefix`, by renaming their data files and
// writing one index; their own indexes are removed, and with `delete_old_folders` their
// folders, if they are empty then. A tensor may have its slices in several of them.
// INVALID_ARGUMENT naming a tensor that two of them have; nothing has been moved then.
Status MergeBundles(std::span<const std::string> prefixes,
                    const std::string& merged_prefix, bool delete_old_folders);

}  // namespace berth::formats
