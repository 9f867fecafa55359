#include "core/formats/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace berth::formats {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 18;
constexpr mode_t kNewFileMode = 0666;  // less the process's umask

std::string TemporaryName(const std::string& path) {
  static std::atomic<uint64_t> counter{0};
  return path + ".tmp" + std::to_string(getpid()) + "_" +
         std::to_string(counter.fetch_add(1));
}

}  // namespace

Status FileError(std::string_view action, const std::string& path, int error_number) {
  std::string message = "cannot " + std::string(action) + " '" + path +
                        "': " + std::generic_category().message(error_number);
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return NotFound(std::move(message));
    case EACCES:
    case EPERM:
    case EROFS:
      return PermissionDenied(std::move(message));
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
      return ResourceExhausted(std::move(message));
    case EISDIR:
    case ENAMETOOLONG:
      return InvalidArgument(std::move(message));
    default:
      return Internal(std::move(message));
  }
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string BaseName(const std::string& path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

bool FileExists(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode);
}

Result<std::unique_ptr<FileReader>> FileReader::Open(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return FileError("open", path, errno);
  struct stat info;
  if (fstat(fd, &info) != 0 || S_ISDIR(info.st_mode)) {
    const int error = S_ISDIR(info.st_mode) ? EISDIR : errno;
    close(fd);
    return FileError("read", path, error);
  }
  return std::unique_ptr<FileReader>(
      new FileReader(path, fd, static_cast<uint64_t>(info.st_size)));
}

FileReader::~FileReader() { close(fd_); }

Status FileReader::CheckRange(uint64_t offset, uint64_t size) const {
  if (offset <= size_ && size <= size_ - offset) return OkStatus();
  return DataLoss("'" + path_ + "' is cut: it ends at byte " + std::to_string(size_) +
                  ", but " + std::to_string(size) + " bytes are wanted from byte " +
                  std::to_string(offset));
}

Status FileReader::Read(uint64_t offset, uint64_t size, char* out) const {
  BERTH_RETURN_IF_ERROR(CheckRange(offset, size));
  while (size > 0) {
    const ssize_t got = pread(fd_, out, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return FileError("read", path_, errno);
    if (got == 0) {
      return DataLoss("'" + path_ + "' was cut at byte " + std::to_string(offset) +
                      " while it was read");
    }
    out += got;
    offset += static_cast<uint64_t>(got);
    size -= static_cast<uint64_t>(got);
  }
  return OkStatus();
}

Result<std::string> ReadFile(const std::string& path) {
  BERTH_ASSIGN_OR_RETURN(const auto file, FileReader::Open(path));
  std::string bytes(file->size(), '\0');
  BERTH_RETURN_IF_ERROR(file->Read(0, bytes.size(), bytes.data()));
  return bytes;
}

Status WriteFile(const std::string& path, std::string_view contents) {
  BERTH_ASSIGN_OR_RETURN(const auto file, FileWriter::Create(path));
  BERTH_RETURN_IF_ERROR(file->Append(contents));
  return file->Commit();
}

Status SyncFolderOf(const std::string& path) {
  const std::string folder = FolderOf(path);
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return FileError("open", folder, errno);
  // Some file systems cannot sync a folder (EINVAL); they keep renames on their own.
  const int error = fsync(fd) == 0 || errno == EINVAL ? 0 : errno;
  close(fd);
  return error == 0 ? OkStatus() : FileError("sync", folder, error);
}

Result<std::unique_ptr<FileWriter>> FileWriter::Create(const std::string& path) {
  std::string temporary = TemporaryName(path);
  const int fd =
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kNewFileMode);
  if (fd < 0) return FileError("write", path, errno);
  return std::unique_ptr<FileWriter>(new FileWriter(path, std::move(temporary), fd));
}

FileWriter::~FileWriter() {
  if (fd_ >= 0) close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

Status FileWriter::WriteThrough(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(fd_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return FileError("write", path_, errno);
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return OkStatus();
}

Status FileWriter::Flush() {
  Status status = WriteThrough(buffer_);
  buffer_.clear();
  return status;
}

Status FileWriter::Append(std::string_view bytes) {
  size_ += bytes.size();
  if (buffer_.size() + bytes.size() > kBufferBytes) BERTH_RETURN_IF_ERROR(Flush());
  if (bytes.size() >= kBufferBytes) return WriteThrough(bytes);
  buffer_.append(bytes);
  return OkStatus();
}

Status FileWriter::Finish() {
  if (fd_ < 0) return OkStatus();
  BERTH_RETURN_IF_ERROR(Flush());
  if (fsync(fd_) != 0) return FileError("write", path_, errno);
  const int closed = close(fd_);
  fd_ = -1;
  return closed == 0 ? OkStatus() : FileError("write", path_, errno);
}

Status FileWriter::Commit() {
  BERTH_RETURN_IF_ERROR(Finish());
  if (rename(temporary_.c_str(), path_.c_str()) != 0) {
    return FileError("replace", path_, errno);
  }
  temporary_.clear();
  return SyncFolderOf(path_);
}

}  // namespace berth::formats
