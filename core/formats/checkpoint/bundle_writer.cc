#include "core/formats/checkpoint/bundle_writer.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>
#include <vector>

#include "berth/proto/checkpoint.pb.h"
#include "core/formats/checkpoint/table.h"
#include "core/formats/crc32c.h"
#include "core/formats/wire.h"

namespace berth::formats {
namespace {

constexpr int kFormatVersion = 1;

using Entries = std::map<std::string, BundleEntry>;

std::string Quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string EncodeHeader(int num_shards) {
  tf::BundleHeaderProto header;
  header.set_num_shards(num_shards);
  header.set_endianness(tf::BundleHeaderProto::LITTLE);
  header.mutable_version()->set_producer(kFormatVersion);
  return header.SerializeAsString();
}

std::string EncodeEntry(const BundleEntry& entry) {
  tf::BundleEntryProto proto;
  proto.set_dtype(static_cast<tf::DataType>(entry.dtype));
  tf::TensorShapeProto* shape = proto.mutable_shape();
  for (int i = 0; i < entry.shape.rank(); ++i) {
    shape->add_dim()->set_size(entry.shape.dim(i));
  }
  proto.set_shard_id(entry.shard);
  proto.set_offset(static_cast<int64_t>(entry.offset));
  proto.set_size(static_cast<int64_t>(entry.size));
  proto.set_crc32c(entry.masked_crc);
  for (const TensorSlice& slice : entry.slices) {
    tf::TensorSliceProto* encoded = proto.add_slices();
    for (const TensorSlice::Range& range : slice.ranges()) {
      tf::TensorSliceProto::Extent* extent = encoded->add_extent();
      if (range.length == TensorSlice::kFull) continue;
      extent->set_start(range.start);
      extent->set_length(range.length);
    }
  }
  return proto.SerializeAsString();
}

Result<std::string> EncodeIndex(const Entries& entries, int num_shards) {
  std::vector<TableEntry> table;
  table.reserve(entries.size() + 1);
  table.emplace_back("", EncodeHeader(num_shards));
  for (const auto& [key, entry] : entries) table.emplace_back(key, EncodeEntry(entry));
  return FormatTable(table);
}

// The layout is described at StringData in bundle_reader.cc.
struct EncodedStrings {
  std::string head;  // lengths and their checksum
  uint32_t crc = 0;  // of everything
};

EncodedStrings EncodeStrings(const Tensor& tensor) {
  EncodedStrings out;
  const int64_t count = tensor.num_elements();
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t size = tensor.strings()[i].size();
    AppendVarint(size, &out.head);
    const auto narrow = static_cast<uint32_t>(size);
    const char* bytes = size == narrow ? reinterpret_cast<const char*>(&narrow)
                                       : reinterpret_cast<const char*>(&size);
    out.crc =
        ExtendCrc32c(out.crc, {bytes, size == narrow ? sizeof narrow : sizeof size});
  }
  const uint32_t masked = MaskCrc(out.crc);
  const std::string_view checksum(reinterpret_cast<const char*>(&masked), sizeof masked);
  out.head += checksum;
  out.crc = ExtendCrc32c(out.crc, checksum);
  for (int64_t i = 0; i < count; ++i) {
    out.crc = ExtendCrc32c(out.crc, tensor.strings()[i]);
  }
  return out;
}

}  // namespace

Result<std::unique_ptr<BundleWriter>> BundleWriter::Create(const std::string& prefix) {
  if (prefix.empty() || prefix.back() == '/') {
    return InvalidArgument("a checkpoint needs a name, and " + Quoted(prefix) +
                           " has none");
  }
  BERTH_ASSIGN_OR_RETURN(auto data, FileWriter::Create(DataFileName(prefix, 0, 1)));
  return std::unique_ptr<BundleWriter>(new BundleWriter(prefix, std::move(data)));
}

Status BundleWriter::CheckTensor(const std::string& name, const Tensor& tensor) const {
  if (name.empty()) return InvalidArgument("a tensor of a checkpoint needs a name");
  if (name.front() == '\0') {
    return InvalidArgument("a tensor's name may not begin with a zero byte");
  }
  const bool numbers = DTypeSize(tensor.dtype()) > 0 && !IsRefType(tensor.dtype());
  if (!numbers && tensor.dtype() != BERTH_STRING) {
    return InvalidArgument("tensor " + Quoted(name) + " of type " +
                           std::string(DTypeName(tensor.dtype())) +
                           " has no values that a checkpoint can hold");
  }
  return OkStatus();
}

Result<BundleEntry> BundleWriter::Write(const Tensor& tensor) {
  BundleEntry entry;
  entry.dtype = tensor.dtype();
  entry.shape = tensor.shape();
  entry.offset = data_->size();
  if (tensor.dtype() == BERTH_STRING) {
    const EncodedStrings encoded = EncodeStrings(tensor);
    BERTH_RETURN_IF_ERROR(data_->Append(encoded.head));
    for (int64_t i = 0; i < tensor.num_elements(); ++i) {
      BERTH_RETURN_IF_ERROR(data_->Append(tensor.strings()[i]));
    }
    entry.masked_crc = MaskCrc(encoded.crc);
  } else {
    const std::string_view bytes(tensor.raw(), tensor.byte_size());
    BERTH_RETURN_IF_ERROR(data_->Append(bytes));
    entry.masked_crc = MaskCrc(Crc32c(bytes));
  }
  entry.size = data_->size() - entry.offset;
  return entry;
}

Status BundleWriter::Add(const std::string& name, const Tensor& tensor) {
  BERTH_RETURN_IF_ERROR(CheckTensor(name, tensor));
  if (entries_.count(name) > 0) {
    return InvalidArgument("tensor " + Quoted(name) + " is saved twice in checkpoint " +
                           Quoted(prefix_));
  }
  BERTH_ASSIGN_OR_RETURN(entries_[name], Write(tensor));
  return OkStatus();
}

Status BundleWriter::AddSlice(const std::string& name, const Shape& full_shape,
                              const TensorSlice& slice, const Tensor& tensor) {
  BERTH_RETURN_IF_ERROR(CheckTensor(name, tensor));
  const std::string who = "tensor " + Quoted(name) + ": ";
  const Result<TensorSlice> resolved = slice.ResolvedIn(full_shape);
  if (!resolved.ok()) return resolved.status().WithPrefix(who);
  if (!(resolved->ShapeOfSlice() == tensor.shape())) {
    return InvalidArgument(who + "its slice \"" + slice.ToString() + "\" of shape " +
                           full_shape.ToString() + " cannot have shape " +
                           tensor.shape().ToString());
  }
  const auto found = entries_.find(name);
  if (found != entries_.end()) {
    const BundleEntry& before = found->second;
    if (before.slices.empty() || before.dtype != tensor.dtype() ||
        !(before.shape == full_shape)) {
      return InvalidArgument(
          who + "saved before as " + std::string(DTypeName(before.dtype)) + " of shape " +
          before.shape.ToString() + ", now a slice of " +
          std::string(DTypeName(tensor.dtype())) + " of shape " + full_shape.ToString());
    }
  }
  const std::string key = SliceKey(name, slice);
  if (entries_.count(key) > 0) {
    return InvalidArgument(who + "its slice \"" + slice.ToString() + "\" is saved twice");
  }
  BERTH_ASSIGN_OR_RETURN(entries_[key], Write(tensor));
  BundleEntry& whole = entries_[name];
  whole.dtype = tensor.dtype();
  whole.shape = full_shape;
  whole.slices.push_back(slice);
  return OkStatus();
}

Status BundleWriter::Finish() {
  BERTH_ASSIGN_OR_RETURN(const std::string index, EncodeIndex(entries_, 1));
  BERTH_ASSIGN_OR_RETURN(const auto index_file,
                         FileWriter::Create(IndexFileName(prefix_)));
  BERTH_RETURN_IF_ERROR(index_file->Append(index));
  BERTH_RETURN_IF_ERROR(index_file->Finish());
  BERTH_RETURN_IF_ERROR(data_->Commit());
  return index_file->Commit();
}

namespace {

// What the merged index will say, and which files get which names.
struct MergePlan {
  Entries entries;
  std::vector<std::string> data_files;  // as they are called now
  int num_shards = 0;
};

// A partitioned tensor may be in several inputs, a whole one in one of them only.
Status MergeEntry(const std::string& name, const BundleEntry& entry, Entries* merged) {
  const auto [it, added] = merged->emplace(name, entry);
  if (added) return OkStatus();
  BundleEntry& before = it->second;
  if (before.slices.empty() || entry.slices.empty() || before.dtype != entry.dtype ||
      !(before.shape == entry.shape)) {
    return InvalidArgument("tensor " + Quoted(name) +
                           " is in two of the checkpoints that are to be merged");
  }
  before.slices.insert(before.slices.end(), entry.slices.begin(), entry.slices.end());
  return OkStatus();
}

Status AddToPlan(const BundleReader& input, MergePlan* plan) {
  const auto add = [&](const auto& entries) {
    for (const auto& [name, entry] : entries) {
      BundleEntry moved = entry;
      moved.shard += plan->num_shards;
      BERTH_RETURN_IF_ERROR(MergeEntry(name, moved, &plan->entries));
    }
    return OkStatus();
  };
  BERTH_RETURN_IF_ERROR(add(input.List()));
  BERTH_RETURN_IF_ERROR(add(input.slices()));
  for (int shard = 0; shard < input.num_shards(); ++shard) {
    std::string from = DataFileName(input.prefix(), shard, input.num_shards());
    if (!FileExists(from)) {
      return NotFound("the data file " + Quoted(from) + " of checkpoint " +
                      Quoted(input.prefix()) + " is missing");
    }
    plan->data_files.push_back(std::move(from));
    ++plan->num_shards;
  }
  return OkStatus();
}

}  // namespace

Status MergeBundles(std::span<const std::string> prefixes,
                    const std::string& merged_prefix, bool delete_old_folders) {
  MergePlan plan;
  for (const std::string& prefix : prefixes) {
    BERTH_ASSIGN_OR_RETURN(const auto input, BundleReader::Open(prefix));
    BERTH_RETURN_IF_ERROR(AddToPlan(*input, &plan));
  }
  BERTH_ASSIGN_OR_RETURN(const std::string index,
                         EncodeIndex(plan.entries, plan.num_shards));
  BERTH_ASSIGN_OR_RETURN(const auto file,
                         FileWriter::Create(IndexFileName(merged_prefix)));
  BERTH_RETURN_IF_ERROR(file->Append(index));
  BERTH_RETURN_IF_ERROR(file->Finish());
  for (int shard = 0; shard < plan.num_shards; ++shard) {
    const std::string& from = plan.data_files[static_cast<size_t>(shard)];
    const std::string to = DataFileName(merged_prefix, shard, plan.num_shards);
    if (std::rename(from.c_str(), to.c_str()) != 0) {
      return FileError("rename '" + from + "' to", to, errno);
    }
  }
  BERTH_RETURN_IF_ERROR(file->Commit());
  // The merged checkpoint stands; what cannot be removed now does no harm.
  for (const std::string& prefix : prefixes) {
    if (prefix == merged_prefix) continue;
    unlink(IndexFileName(prefix).c_str());
    if (delete_old_folders) rmdir(FolderOf(prefix).c_str());
  }
  return OkStatus();
}

}  // namespace berth::formats
