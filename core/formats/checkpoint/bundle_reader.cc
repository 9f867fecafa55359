#include "core/formats/checkpoint/bundle_reader.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "berth/proto/checkpoint.pb.h"
#include "core/formats/checkpoint/proto_values.h"
#include "core/formats/checkpoint/table.h"
#include "core/formats/checkpoint/v1_reader.h"
#include "core/formats/crc32c.h"
#include "core/formats/problems.h"
#include "core/formats/wire.h"

namespace berth::formats {
namespace {

constexpr int kFormatVersion = 1;
constexpr int kMaxShards = 100000;  // five digits in the file names

std::string Quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

// Where there is no PREFIX.index: people pass one of the checkpoint's files instead. ""
// for other names.
std::string WrongFileHint(const std::string& prefix) {
  const std::string base = BaseName(prefix);
  for (const std::string_view suffix : {".index", ".meta", ".data-"}) {
    const size_t at = prefix.rfind(suffix);
    if (at != std::string::npos && at > 0 && FileExists(prefix)) {
      return "; this is one file of a checkpoint: pass the prefix " +
             Quoted(prefix.substr(0, at));
    }
  }
  if (base == "checkpoint" && FileExists(prefix)) {
    return "; this is the state file, which names the latest checkpoint: pass the "
           "prefix that it gives";
  }
  return "";
}

Result<int> ParseHeader(const std::string& value) {
  tf::BundleHeaderProto header;
  if (!header.ParseFromString(value)) return DataLoss("the header is no message");
  if (header.endianness() != tf::BundleHeaderProto::LITTLE) {
    return Unimplemented("a big-endian machine wrote it");
  }
  if (header.version().min_consumer() > kFormatVersion) {
    return Unimplemented("it needs a reader of bundle version " +
                         std::to_string(header.version().min_consumer()) +
                         "; this one reads " + std::to_string(kFormatVersion));
  }
  if (header.num_shards() < 1 || header.num_shards() > kMaxShards) {
    return DataLoss("the header counts " + std::to_string(header.num_shards()) +
                    " data files");
  }
  return header.num_shards();
}

// Strings lie as varint lengths, a masked checksum of the lengths, and the bytes. The
// entry's checksum is over the lengths as 32-bit numbers (64-bit where that is too
// little), the length checksum, and the bytes.
class StringData {
 public:
  explicit StringData(std::string_view data)
      : at_(data.data()), end_(data.data() + data.size()) {}

  Status Read(Tensor* tensor, uint32_t* crc) {
    std::vector<uint64_t> sizes(static_cast<size_t>(tensor->num_elements()));
    *crc = 0;
    for (uint64_t& size : sizes) {
      if (at_ == end_ || !ReadVarint64(&at_, end_, &size)) {
        return DataLoss("string lengths that are cut");
      }
      const auto narrow = static_cast<uint32_t>(size);
      *crc = size == narrow ? ExtendCrc32c(*crc, Bytes(&narrow, sizeof narrow))
                            : ExtendCrc32c(*crc, Bytes(&size, sizeof size));
    }
    if (end_ - at_ < 4) return DataLoss("string lengths that are cut");
    const uint32_t masked = LoadFixed32(at_);
    if (UnmaskCrc(masked) != *crc) {
      return DataLoss("string lengths that do not match their checksum");
    }
    *crc = ExtendCrc32c(*crc, std::string_view(at_, 4));
    at_ += 4;
    for (int64_t i = 0; i < tensor->num_elements(); ++i) {
      const uint64_t size = sizes[static_cast<size_t>(i)];
      if (size > static_cast<uint64_t>(end_ - at_)) {
        return DataLoss("strings that are cut");
      }
      tensor->mutable_strings()[i].assign(at_, size);
      *crc = ExtendCrc32c(*crc, std::string_view(at_, size));
      at_ += size;
    }
    return at_ == end_ ? OkStatus() : DataLoss("bytes behind the last string");
  }

 private:
  static std::string_view Bytes(const void* data, size_t size) {
    return {static_cast<const char*>(data), size};
  }
  const char* at_;
  const char* end_;
};

Result<Tensor> ReadStrings(const FileReader& file, const BundleEntry& entry,
                           uint32_t* crc) {
  std::string bytes(entry.size, '\0');
  BERTH_RETURN_IF_ERROR(file.Read(entry.offset, entry.size, bytes.data()));
  BERTH_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(BERTH_STRING, entry.shape));
  BERTH_RETURN_IF_ERROR(StringData(bytes).Read(&tensor, crc));
  return tensor;
}

Result<Tensor> ReadNumbers(const FileReader& file, const BundleEntry& entry,
                           uint32_t* crc) {
  BERTH_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(entry.dtype, entry.shape));
  if (entry.size > 0) {
    BERTH_RETURN_IF_ERROR(file.Read(entry.offset, entry.size, tensor.raw()));
  }
  *crc = Crc32c(std::string_view(tensor.raw(), entry.size));
  return tensor;
}

// A string takes a byte and more, a number what its type says.
Status CheckSize(const BundleEntry& entry) {
  const auto count = static_cast<uint64_t>(entry.shape.num_elements());
  uint64_t wanted = 0;
  const bool fits =
      entry.dtype == BERTH_STRING
          ? count <= entry.size
          : !__builtin_mul_overflow(count, DTypeSize(entry.dtype), &wanted) &&
                wanted == entry.size;
  if (fits) return OkStatus();
  return DataLoss("a tensor of type " + std::string(DTypeName(entry.dtype)) +
                  " and shape " + entry.shape.ToString() + " does not have " +
                  std::to_string(entry.size) + " bytes");
}

}  // namespace

std::string IndexFileName(const std::string& prefix) { return prefix + ".index"; }

std::string DataFileName(const std::string& prefix, int shard, int num_shards) {
  char suffix[48];
  std::snprintf(suffix, sizeof suffix, ".data-%05d-of-%05d", shard, num_shards);
  return prefix + suffix;
}

BundleReader::BundleReader(std::string prefix, int num_shards)
    : prefix_(std::move(prefix)),
      num_shards_(num_shards),
      shards_(static_cast<size_t>(num_shards)) {}

Result<std::unique_ptr<BundleReader>> BundleReader::Open(const std::string& prefix) {
  const std::string path = IndexFileName(prefix);
  Result<std::vector<TableEntry>> table = ReadTable(path);
  if (table.status().code() == Code::kNotFound) {
    const std::string hint = WrongFileHint(prefix);
    if (hint.empty()) return OpenV1(prefix);
    return NotFound("there is no checkpoint " + Quoted(prefix) + " (no file " +
                    Quoted(path) + ")" + hint);
  }
  if (!table.ok()) return table.status();
  if (table->empty() || !table->front().first.empty()) {
    return DataLoss(Quoted(path) + " is no index of a checkpoint: it has no header");
  }
  const Result<int> num_shards = ParseHeader(table->front().second);
  if (!num_shards.ok()) {
    return num_shards.status().WithPrefix("checkpoint " + Quoted(path) + ": ");
  }
  std::unique_ptr<BundleReader> reader(new BundleReader(prefix, *num_shards));
  for (size_t i = 1; i < table->size(); ++i) {
    const auto& [key, value] = (*table)[i];
    if (Status status = reader->AddEntry(key, value); !status.ok()) {
      return status.WithPrefix(Quoted(path) + ", tensor " + Quoted(key) + ": ");
    }
  }
  return reader;
}

Result<std::unique_ptr<BundleReader>> BundleReader::OpenV1(const std::string& prefix) {
  const std::vector<std::string> files = FindV1Files(prefix);
  if (files.empty()) {
    return NotFound("there is no checkpoint " + Quoted(prefix) + ": neither " +
                    Quoted(IndexFileName(prefix)) +
                    " nor, of the old format V1, a file of that name; a checkpoint is "
                    "named by its prefix, without .index or .data-…");
  }
  BERTH_ASSIGN_OR_RETURN(V1Contents contents, ReadV1Files(files));
  std::unique_ptr<BundleReader> reader(new BundleReader(prefix, 0));
  reader->entries_ = std::move(contents.entries);
  reader->slices_ = std::move(contents.slices);
  reader->records_ = std::move(contents.records);
  return reader;
}

Status BundleReader::AddEntry(const std::string& key, const std::string& value) {
  tf::BundleEntryProto proto;
  if (!proto.ParseFromString(value)) return DataLoss("the entry is no message");
  BundleEntry entry;
  entry.dtype = proto.dtype();
  BERTH_ASSIGN_OR_RETURN(entry.shape, ParseStoredShape(proto.shape()));
  if (proto.shard_id() < 0 || proto.shard_id() >= num_shards_ || proto.offset() < 0 ||
      proto.size() < 0) {
    return DataLoss("data file " + std::to_string(proto.shard_id()) + ", offset " +
                    std::to_string(proto.offset()) + ", size " +
                    std::to_string(proto.size()) + " cannot be");
  }
  entry.shard = proto.shard_id();
  entry.offset = static_cast<uint64_t>(proto.offset());
  entry.size = static_cast<uint64_t>(proto.size());
  entry.masked_crc = proto.crc32c();
  for (const tf::TensorSliceProto& slice : proto.slices()) {
    BERTH_ASSIGN_OR_RETURN(TensorSlice parsed, ParseStoredSlice(slice));
    entry.slices.push_back(std::move(parsed));
  }
  auto& where = key.front() == '\0' ? slices_ : entries_;
  where.emplace(key, std::move(entry));
  return OkStatus();
}

const BundleEntry* BundleReader::Find(std::string_view name) const {
  const auto it = entries_.find(name);
  return it == entries_.end() ? nullptr : &it->second;
}

Result<const FileReader*> BundleReader::Shard(int shard) const {
  const absl::MutexLock lock(&mutex_);
  std::unique_ptr<FileReader>& file = shards_[static_cast<size_t>(shard)];
  if (file == nullptr) {
    BERTH_ASSIGN_OR_RETURN(file,
                           FileReader::Open(DataFileName(prefix_, shard, num_shards_)));
  }
  return file.get();
}

Status BundleReader::CheckEntry(std::string_view name, const BundleEntry& entry) const {
  if (entry.dtype != BERTH_STRING &&
      (IsRefType(entry.dtype) || DTypeSize(entry.dtype) == 0)) {
    return Unimplemented("tensor " + Quoted(name) + " of checkpoint " + Quoted(prefix_) +
                         " has the dtype number " + std::to_string(entry.dtype) +
                         ", which has no values here");
  }
  if (entry.record >= 0) {
    // Each value takes a byte and more.
    const auto count = static_cast<uint64_t>(entry.shape.num_elements());
    if (count <= entry.size) return OkStatus();
    return DataLoss("tensor " + Quoted(name) + " of checkpoint " + Quoted(prefix_) +
                    " has shape " + entry.shape.ToString() + ", but a record of " +
                    std::to_string(entry.size) + " bytes");
  }
  BERTH_ASSIGN_OR_RETURN(const FileReader* const file, Shard(entry.shard));
  Status status = CheckSize(entry);
  if (status.ok()) status = file->CheckRange(entry.offset, entry.size);
  return status.WithPrefix("tensor " + Quoted(name) + " at byte " +
                           std::to_string(entry.offset) + " of " + Quoted(file->path()) +
                           ": ");
}

Result<Tensor> BundleReader::ReadEntry(std::string_view name,
                                       const BundleEntry& entry) const {
  BERTH_RETURN_IF_ERROR(CheckEntry(name, entry));
  if (entry.record >= 0) {
    Result<Tensor> tensor = DecodeV1Record(records_[static_cast<size_t>(entry.record)],
                                           entry.dtype, entry.shape);
    if (tensor.ok()) return tensor;
    return tensor.status().WithPrefix("tensor " + Quoted(name) + " of checkpoint " +
                                      Quoted(prefix_) + ": ");
  }
  BERTH_ASSIGN_OR_RETURN(const FileReader* const file, Shard(entry.shard));
  const auto where = [&] {
    return "tensor " + Quoted(name) + " at byte " + std::to_string(entry.offset) +
           " of " + Quoted(file->path()) + ": ";
  };
  uint32_t crc = 0;
  Result<Tensor> tensor = entry.dtype == BERTH_STRING ? ReadStrings(*file, entry, &crc)
                                                      : ReadNumbers(*file, entry, &crc);
  if (!tensor.ok()) return tensor.status().WithPrefix(where());
  if (MaskCrc(crc) != entry.masked_crc) {
    return DataLoss(where() + "the " + std::to_string(entry.size) +
                    " bytes do not match their checksum");
  }
  return tensor;
}

Result<Tensor> BundleReader::Lookup(std::string_view name) const {
  const BundleEntry* entry = Find(name);
  if (entry != nullptr && entry->slices.empty()) return ReadEntry(name, *entry);
  return Lookup(name, TensorSlice::Whole(entry == nullptr ? 0 : entry->shape.rank()));
}

Result<std::vector<BundleReader::Piece>> BundleReader::Pieces(
    std::string_view name, const BundleEntry& entry) const {
  std::vector<Piece> pieces;
  if (entry.slices.empty()) {
    BERTH_ASSIGN_OR_RETURN(
        TensorSlice whole,
        TensorSlice::Whole(entry.shape.rank()).ResolvedIn(entry.shape));
    pieces.push_back({std::move(whole), &entry});
  }
  for (const TensorSlice& stored : entry.slices) {
    Result<TensorSlice> slice = stored.ResolvedIn(entry.shape);
    if (!slice.ok()) return DataLoss(std::string(slice.status().message()));
    const auto it = slices_.find(SliceKey(name, stored));
    if (it == slices_.end() || it->second.dtype != entry.dtype ||
        !(it->second.shape == slice->ShapeOfSlice())) {
      return DataLoss("the index of checkpoint " + Quoted(prefix_) +
                      " lacks its slice \"" + stored.ToString() + "\"");
    }
    pieces.push_back({*std::move(slice), &it->second});
  }
  return pieces;
}

Result<Tensor> BundleReader::Lookup(std::string_view name,
                                    const TensorSlice& slice) const {
  const BundleEntry* entry = Find(name);
  if (entry == nullptr) {
    return NotFound("checkpoint " + Quoted(prefix_) + " has no tensor " + Quoted(name));
  }
  const std::string who = "tensor " + Quoted(name) + ": ";
  const Result<TensorSlice> wanted = slice.ResolvedIn(entry->shape);
  if (!wanted.ok()) return wanted.status().WithPrefix(who);
  const Result<std::vector<Piece>> pieces = Pieces(name, *entry);
  if (!pieces.ok()) return pieces.status().WithPrefix(who);
  // The index may claim anything: memory is taken when the files have the bytes.
  uint64_t stored = 0;
  for (const Piece& piece : *pieces) {
    BERTH_RETURN_IF_ERROR(CheckEntry(name, *piece.data));
    stored += static_cast<uint64_t>(piece.data->shape.num_elements());
  }
  const Shape shape = wanted->ShapeOfSlice();
  const auto count = static_cast<uint64_t>(shape.num_elements());
  uint64_t covered = 0;
  Tensor out;
  if (count <= stored) {
    BERTH_ASSIGN_OR_RETURN(out, Tensor::Allocate(entry->dtype, shape));
    for (const Piece& piece : *pieces) {
      if (!Overlap(piece.slice, *wanted)) continue;
      BERTH_ASSIGN_OR_RETURN(const Tensor part, ReadEntry(name, *piece.data));
      if (piece.slice == *wanted) return part;
      covered += static_cast<uint64_t>(CopyOverlap(part, piece.slice, *wanted, &out));
    }
  }
  if (covered != count) {
    return InvalidArgument(who + "the slices in checkpoint " + Quoted(prefix_) +
                           " cover " + std::to_string(covered) + " of the " +
                           std::to_string(count) + " elements wanted");
  }
  return out;
}

Status BundleReader::CheckRequest(const TensorRequest& request,
                                  std::string* problem) const {
  const BundleEntry* entry = Find(request.name);
  if (entry == nullptr) {
    *problem = Quoted(request.name) + " is not in it";
    return NotFound("");
  }
  BERTH_ASSIGN_OR_RETURN(const ShapeAndSlice part,
                         ShapeAndSlice::Parse(request.shape_and_slice));
  const Shape& read = part.whole ? entry->shape : part.slice.ShapeOfSlice();
  if (request.dtype != BERTH_INVALID_DTYPE && request.dtype != entry->dtype) {
    *problem = Quoted(request.name) + " has dtype " +
               std::string(DTypeName(entry->dtype)) + ", not " +
               std::string(DTypeName(request.dtype));
  }
  const bool whole_differs = !part.whole && !(part.shape == entry->shape);
  if (whole_differs || (request.shape && !(*request.shape == read))) {
    const Shape& wanted = whole_differs ? part.shape : *request.shape;
    *problem += (problem->empty() ? Quoted(request.name) + " has" : " and") +
                std::string(" shape ") +
                (whole_differs ? entry->shape : read).ToString() + ", not " +
                wanted.ToString();
  }
  return OkStatus();
}

Result<std::vector<Tensor>> BundleReader::Restore(
    std::span<const TensorRequest> requests) const {
  Problems problems;
  bool missing = false;
  for (const TensorRequest& request : requests) {
    std::string problem;
    const Status status = CheckRequest(request, &problem);
    if (!status.ok() && status.code() != Code::kNotFound) {
      return status.WithPrefix("tensor " + Quoted(request.name) + ": ");
    }
    missing = missing || !status.ok();
    if (!problem.empty()) problems.Add(std::move(problem));
  }
  if (!problems.empty()) {
    std::string text = problems.Summary("checkpoint " + Quoted(prefix_) +
                                        " does not fit what is to be restored");
    constexpr size_t kShown = 20;
    text += ". It has " + std::to_string(entries_.size()) + " tensors";
    size_t shown = 0;
    for (const auto& [name, entry] : entries_) {
      if (shown == kShown) break;
      text += (shown++ == 0 ? ": " : ", ") + Quoted(name);
    }
    if (entries_.size() > kShown) text += ", …";
    return missing ? NotFound(text) : InvalidArgument(text);
  }
  std::vector<Tensor> tensors;
  for (const TensorRequest& request : requests) {
    BERTH_ASSIGN_OR_RETURN(const ShapeAndSlice part,
                           ShapeAndSlice::Parse(request.shape_and_slice));
    Result<Tensor> tensor =
        part.whole ? Lookup(request.name) : Lookup(request.name, part.slice);
    if (!tensor.ok()) return tensor.status();
    tensors.push_back(*std::move(tensor));
  }
  return tensors;
}

}  // namespace berth::formats
