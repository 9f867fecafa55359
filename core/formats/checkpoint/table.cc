#include "core/formats/checkpoint/table.h"

#include <leveldb/env.h>
#include <leveldb/iterator.h>
#include <leveldb/options.h>
#include <leveldb/table.h>
#include <leveldb/table_builder.h>

#include <cstdint>
#include <cstring>
#include <memory>

#include "core/formats/crc32c.h"
#include "core/formats/file.h"
#include "core/formats/wire.h"

namespace berth::formats {
namespace {

// The layout is LevelDB's doc/table_format.md. A footer ends the file: two block handles,
// padding and a magic number. A block is followed by a byte that says how it is
// compressed and a masked checksum.
constexpr uint64_t kFooterBytes = 48;
constexpr uint64_t kMagicBytes = 8;
constexpr uint64_t kMagic = 0xdb4775248b80fb57u;
constexpr uint64_t kTrailerBytes = 5;
constexpr char kUncompressed = 0;
constexpr size_t kBlockBytes = 256 << 10;  // as TensorFlow builds its tables

std::string_view View(const leveldb::Slice& slice) {
  return {slice.data(), slice.size()};
}

// A table in memory, for LevelDB to read.
class MemoryFile : public leveldb::RandomAccessFile {
 public:
  explicit MemoryFile(std::string_view bytes) : bytes_(bytes) {}
  leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice* result,
                       char* /*scratch*/) const override {
    if (offset > bytes_.size() || n > bytes_.size() - offset) {
      return leveldb::Status::Corruption("a block outside the file");
    }
    *result = leveldb::Slice(bytes_.data() + offset, n);
    return leveldb::Status::OK();
  }

 private:
  std::string_view bytes_;
};

// Where LevelDB writes a table to.
class MemorySink : public leveldb::WritableFile {
 public:
  leveldb::Status Append(const leveldb::Slice& data) override {
    bytes_.append(data.data(), data.size());
    return leveldb::Status::OK();
  }
  leveldb::Status Close() override { return leveldb::Status::OK(); }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override { return leveldb::Status::OK(); }
  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// LevelDB believes the sizes that it reads, and takes memory for them. So every handle is
// checked first.
class HandleCheck {
 public:
  explicit HandleCheck(std::string_view table) : table_(table) {}

  Status Run() {
    if (table_.size() < kFooterBytes) return DataLoss("too short to be a table");
    const uint64_t footer_begin = table_.size() - kFooterBytes;
    const char* at = table_.data() + footer_begin;
    const char* end = table_.data() + table_.size() - kMagicBytes;
    if (LoadFixed64(end) != kMagic) {
      return DataLoss("not a table: the magic number at byte " +
                      std::to_string(table_.size() - kMagicBytes) + " is wrong");
    }
    std::string_view metaindex;
    std::string_view index;
    BERTH_RETURN_IF_ERROR(Block(&at, end, &metaindex));
    BERTH_RETURN_IF_ERROR(Block(&at, end, &index));
    return Index(index);
  }

 private:
  // Reads a handle and finds its block, which must be whole.
  Status Block(const char** at, const char* end, std::string_view* block) {
    uint64_t offset = 0;
    uint64_t size = 0;
    if (!ReadVarint64(at, end, &offset) || !ReadVarint64(at, end, &size)) {
      return DataLoss("a cut block handle");
    }
    const uint64_t limit = table_.size() - kFooterBytes;
    if (offset > limit || size > limit - offset ||
        limit - offset - size < kTrailerBytes) {
      return DataLoss("a block of " + std::to_string(size) + " bytes at byte " +
                      std::to_string(offset) + " would lie outside the file");
    }
    *block = table_.substr(offset, size);
    const char* trailer = block->data() + size;
    if (*trailer != kUncompressed) {
      return DataLoss("the block at byte " + std::to_string(offset) +
                      " is compressed; checkpoints are not");
    }
    const uint32_t actual = Crc32c(table_.substr(offset, size + 1));
    if (UnmaskCrc(LoadFixed32(trailer + 1)) != actual) {
      return DataLoss("the block at byte " + std::to_string(offset) +
                      " does not match its checksum");
    }
    return OkStatus();
  }

  // The entries of the index are handles of data blocks.
  Status Index(std::string_view block) {
    if (block.size() < 4) return DataLoss("an index without entries");
    const uint64_t restarts = LoadFixed32(block.data() + block.size() - 4);
    if (restarts > (block.size() - 4) / 4) return DataLoss("an index that is too short");
    const char* at = block.data();
    const char* end = at + block.size() - 4 - 4 * restarts;
    while (at < end) {
      uint64_t shared = 0;
      uint64_t unshared = 0;
      uint64_t value = 0;
      if (!ReadVarint64(&at, end, &shared) || !ReadVarint64(&at, end, &unshared) ||
          !ReadVarint64(&at, end, &value)) {
        return DataLoss("a cut entry of the index");
      }
      const auto left = static_cast<uint64_t>(end - at);
      if (unshared > left || value > left - unshared) {
        return DataLoss("an entry of the index that is too long");
      }
      const char* handle = at + unshared;
      at = handle + value;
      std::string_view data;
      BERTH_RETURN_IF_ERROR(Block(&handle, at, &data));
    }
    return OkStatus();
  }

  std::string_view table_;
};

Status FromLevelDb(const leveldb::Status& status) {
  return status.ok() ? OkStatus() : DataLoss(status.ToString());
}

Result<std::vector<TableEntry>> ParseTable(std::string_view bytes) {
  BERTH_RETURN_IF_ERROR(HandleCheck(bytes).Run());
  MemoryFile file(bytes);
  leveldb::Options options;
  options.paranoid_checks = true;
  leveldb::Table* opened = nullptr;
  BERTH_RETURN_IF_ERROR(
      FromLevelDb(leveldb::Table::Open(options, &file, bytes.size(), &opened)));
  const std::unique_ptr<leveldb::Table> table(opened);
  leveldb::ReadOptions read;
  read.verify_checksums = true;
  read.fill_cache = false;
  const std::unique_ptr<leveldb::Iterator> it(table->NewIterator(read));
  std::vector<TableEntry> entries;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    entries.emplace_back(View(it->key()), View(it->value()));
  }
  BERTH_RETURN_IF_ERROR(FromLevelDb(it->status()));
  return entries;
}

}  // namespace

Result<std::vector<TableEntry>> ReadTable(const std::string& path) {
  BERTH_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  Result<std::vector<TableEntry>> entries = ParseTable(bytes);
  if (!entries.ok()) return entries.status().WithPrefix("'" + path + "' is damaged: ");
  return entries;
}

Result<std::string> FormatTable(const std::vector<TableEntry>& entries) {
  leveldb::Options options;
  options.compression = leveldb::kNoCompression;
  options.block_size = kBlockBytes;
  MemorySink sink;
  leveldb::TableBuilder builder(options, &sink);
  for (const auto& [key, value] : entries) builder.Add(key, value);
  if (const leveldb::Status status = builder.Finish(); !status.ok()) {
    return Internal("no table could be built: " + status.ToString());
  }
  return sink.Take();
}

}  // namespace berth::formats
