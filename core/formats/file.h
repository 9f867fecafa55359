// Files: whole reads, reads at an offset, and writes that appear whole or not at all.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/status.h"

namespace berth::formats {

// "action path: reason of the system", with the code that fits: NOT_FOUND,
// PERMISSION_DENIED, RESOURCE_EXHAUSTED (no space), else INTERNAL.
Status FileError(std::string_view action, const std::string& path, int error_number);

// All bytes of a file. INVALID_ARGUMENT for a folder.
Result<std::string> ReadFile(const std::string& path);

// Writes through a temporary file beside `path`. See FileWriter.
Status WriteFile(const std::string& path, std::string_view contents);

// Makes the renames in `path`'s folder last through a crash of the system.
Status SyncFolderOf(const std::string& path);

// The folder part of a path: "." when it has none, "/" for the root.
std::string FolderOf(const std::string& path);
// The part after the last '/'.
std::string BaseName(const std::string& path);
bool FileExists(const std::string& path);

// A file open for reading at any offset. Thread-safe.
class FileReader {
 public:
  static Result<std::unique_ptr<FileReader>> Open(const std::string& path);
  ~FileReader();
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }
  // DATA_LOSS naming file and offset when the file ends before that range does.
  Status CheckRange(uint64_t offset, uint64_t size) const;
  // Fills `out`; the errors of CheckRange.
  Status Read(uint64_t offset, uint64_t size, char* out) const;

 private:
  FileReader(std::string path, int fd, uint64_t size)
      : path_(std::move(path)), fd_(fd), size_(size) {}

  std::string path_;
  int fd_;
  uint64_t size_;
};

// Writes a new file under a temporary name; Commit() flushes it to the disk and renames
// it to `path`, replacing what was there. Destroyed without that, it leaves nothing.
class FileWriter {
 public:
  static Result<std::unique_ptr<FileWriter>> Create(const std::string& path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  // Buffered.
  Status Append(std::string_view bytes);
  uint64_t size() const { return size_; }  // bytes appended
  // Flushes to the disk and closes; the file keeps its temporary name.
  Status Finish();
  // Finish(), if that has not happened, and the rename.
  Status Commit();

 private:
  FileWriter(std::string path, std::string temporary, int fd)
      : path_(std::move(path)), temporary_(std::move(temporary)), fd_(fd) {}
  Status Flush();
  Status WriteThrough(std::string_view bytes);

  std::string path_;
  std::string temporary_;
  int fd_;
  uint64_t size_ = 0;
  std::string buffer_;
};

}  // namespace berth::formats
