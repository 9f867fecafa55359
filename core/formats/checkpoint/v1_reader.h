// Reading checkpoints of the old format V1: tables that hold the tensors themselves.
// docs/FORMATS.md describes them. Nothing writes them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/base/tensor.h"
#include "core/formats/checkpoint/bundle_reader.h"

namespace berth::formats {

// What the files of one checkpoint hold, in the terms of BundleReader.
struct V1Contents {
  std::map<std::string, BundleEntry, std::less<>> entries;  // whole tensors by name
  std::map<std::string, BundleEntry, std::less<>> slices;   // by SliceKey
  std::vector<std::string> records;  // what BundleEntry::record counts
};

// The files that a V1 checkpoint is named by: a file, or a pattern of several
// ("model-?????-of-00002"). Empty when there are none. Sorted.
std::vector<std::string> FindV1Files(const std::string& pattern);

// Reads all of the files; the tensors stay encoded. DATA_LOSS naming the file for damage,
// UNIMPLEMENTED for what a later version wrote.
Result<V1Contents> ReadV1Files(const std::vector<std::string>& paths);

// The tensor in a record. DATA_LOSS when it does not hold as many values as the shape
// says, before memory is taken for them.
Result<Tensor> DecodeV1Record(std::string_view record, DType dtype, const Shape& shape);

}  // namespace berth::formats
