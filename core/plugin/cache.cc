#include "core/plugin/cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <vector>

#include "core/plugin/file_check.h"

namespace berth {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "BERTHC01";
constexpr size_t kChecksumSize = 32;
constexpr size_t kHeaderSize = 8 + 8 + 8 + kChecksumSize;
constexpr std::string_view kSuffix = ".entry";
// A temporary file older than this was left by a process that died.
constexpr std::chrono::hours kStale{24};

void AppendU64(uint64_t value, std::string* to) {
  for (int i = 0; i < 8; ++i) to->push_back(static_cast<char>(value >> (8 * i)));
}

uint64_t ReadU64(const char* from) {
  uint64_t value = 0;
  for (int i = 7; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(from[i]);
  return value;
}

std::string FullKey(std::string_view scope, std::string_view key) {
  return std::string(scope) + '\n' + std::string(key);
}

std::string DefaultFolder() {
  if (const char* own = secure_getenv("BERTH_CACHE_DIR")) return own;
  if (const char* xdg = secure_getenv("XDG_CACHE_HOME");
      xdg != nullptr && xdg[0] == '/') {
    return std::string(xdg) + "/berth";
  }
  if (const char* home = secure_getenv("HOME"); home != nullptr && home[0] == '/') {
    return std::string(home) + "/.cache/berth";
  }
  return "";
}

uint64_t DefaultLimit() {
  const char* text = std::getenv("BERTH_CACHE_LIMIT_MB");
  if (text == nullptr) return PluginCache::kDefaultLimit;
  char* end = nullptr;
  const unsigned long long megabytes = std::strtoull(text, &end, 10);
  const bool valid = end != text && *end == '\0' && megabytes <= (1ULL << 30);
  return valid ? static_cast<uint64_t>(megabytes) << 20 : PluginCache::kDefaultLimit;
}

// The data of a whole, undamaged entry for this key.
std::optional<std::string> ReadEntry(const std::string& path, const std::string& key) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  if (!file || bytes.size() < kHeaderSize ||
      bytes.compare(0, kMagic.size(), kMagic) != 0) {
    return std::nullopt;
  }
  const uint64_t key_size = ReadU64(bytes.data() + 8);
  const uint64_t data_size = ReadU64(bytes.data() + 16);
  const uint64_t body = bytes.size() - kHeaderSize;
  if (key_size > body || data_size != body - key_size) return std::nullopt;
  if (HashBytes(bytes.data() + kHeaderSize, body) !=
      bytes.substr(kHeaderSize - kChecksumSize, kChecksumSize)) {
    return std::nullopt;
  }
  if (bytes.compare(kHeaderSize, key_size, key) != 0) return std::nullopt;
  return bytes.substr(kHeaderSize + key_size);
}

Status WriteAll(int file, const std::string& bytes, const std::string& path) {
  size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t n = write(file, bytes.data() + written, bytes.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Unavailable(path + ": " + std::strerror(errno));
    written += static_cast<size_t>(n);
  }
  return OkStatus();
}

// Temp, flush, rename.
Status WriteEntry(const std::string& path, const std::string& bytes) {
  static std::atomic<uint64_t> counter{0};
  const std::string temporary =
      path + "." + std::to_string(getpid()) + "." + std::to_string(++counter) + ".tmp";
  const int file =
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return Unavailable(temporary + ": " + std::strerror(errno));
  Status status = WriteAll(file, bytes, temporary);
  if (status.ok() && fsync(file) != 0) {
    status = Unavailable(temporary + ": " + std::strerror(errno));
  }
  close(file);
  if (status.ok() && rename(temporary.c_str(), path.c_str()) != 0) {
    status = Unavailable(path + ": " + std::strerror(errno));
  }
  if (!status.ok()) unlink(temporary.c_str());
  return status;
}

struct Entry {
  fs::path path;
  uint64_t size;
  fs::file_time_type used;
};

}  // namespace

PluginCache::PluginCache(std::string folder, uint64_t limit_bytes)
    : folder_(std::move(folder)), limit_(limit_bytes) {}

PluginCache* PluginCache::Default() {
  // Never destroyed: plugins may put until the process ends.
  static auto* cache = new PluginCache(DefaultFolder(), DefaultLimit());
  return cache;
}

std::string PluginCache::PathOf(const std::string& full_key) const {
  return folder_ + "/" + HashBytes(full_key.data(), full_key.size()) +
         std::string(kSuffix);
}

Result<std::string> PluginCache::Get(std::string_view scope, std::string_view key) {
  if (folder_.empty()) return NotFound("there is no cache folder");
  const std::string full_key = FullKey(scope, key);
  const std::string path = PathOf(full_key);
  std::error_code error;
  if (!fs::exists(path, error))
    return NotFound("no cache entry '" + std::string(key) + "'");
  std::optional<std::string> data = ReadEntry(path, full_key);
  if (!data.has_value()) {
    fs::remove(path, error);
    return NotFound("the cache entry '" + std::string(key) + "' was damaged");
  }
  // Whoever can write there could make us run their code.
  if (!CheckTrust(folder_).trusted()) return NotFound("the cache folder is not trusted");
  // The time of the last use decides what goes first.
  fs::last_write_time(path, fs::file_time_type::clock::now(), error);
  return *std::move(data);
}

Status PluginCache::Put(std::string_view scope, std::string_view key, const void* data,
                        uint64_t size) {
  if (folder_.empty()) return OkStatus();
  if (size > limit_ / 4) {
    return ResourceExhausted("the cache entry '" + std::string(key) + "' has " +
                             std::to_string(size) +
                             " bytes; the limit of the folder is " +
                             std::to_string(limit_) + ", of one entry a quarter of it");
  }
  absl::MutexLock lock(&mutex_);
  std::error_code error;
  if (!fs::exists(folder_, error)) {
    fs::create_directories(folder_, error);
    if (error) return Unavailable(folder_ + ": " + error.message());
    fs::permissions(folder_, fs::perms::owner_all, error);
  }
  const Distrust distrust = CheckTrust(folder_);
  if (!distrust.trusted()) {
    return PermissionDenied("the cache is not used: " + distrust.message + "; " +
                            distrust.remedy);
  }
  const std::string full_key = FullKey(scope, key);
  std::string body = full_key;
  body.append(static_cast<const char*>(data), size);
  std::string bytes(kMagic);
  AppendU64(full_key.size(), &bytes);
  AppendU64(size, &bytes);
  bytes += HashBytes(body.data(), body.size());
  bytes += body;
  const std::string path = PathOf(full_key);
  BERTH_RETURN_IF_ERROR(WriteEntry(path, bytes));
  Trim(path);
  return OkStatus();
}

void PluginCache::Trim(const std::string& keep) {
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::error_code error;
  const fs::file_time_type now = fs::file_time_type::clock::now();
  for (const fs::directory_entry& file : fs::directory_iterator(folder_, error)) {
    const fs::path& path = file.path();
    const fs::file_time_type used = file.last_write_time(error);
    if (error) continue;
    if (path.extension() == ".tmp" && now - used > kStale) {
      fs::remove(path, error);
    } else if (path.extension() == kSuffix) {
      const uint64_t size = file.file_size(error);
      if (error) continue;
      total += size;
      entries.push_back({path, size, used});
    }
  }
  if (total <= limit_) return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= limit_) return;
    if (entry.path == keep) continue;
    if (fs::remove(entry.path, error)) total -= entry.size;
  }
}

}  // namespace berth
