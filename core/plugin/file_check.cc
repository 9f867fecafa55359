#include "core/plugin/file_check.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

namespace berth {
namespace {

std::string SystemText() { return std::strerror(errno); }

std::string FolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// Mixes 8 bytes at a time into two lanes with different odd multipliers.
class Hasher {
 public:
  void Add(const char* data, size_t size) {
    size_t at = 0;
    for (; at + sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
      uint64_t word = 0;
      std::memcpy(&word, data + at, sizeof(word));
      Mix(word);
    }
    uint64_t tail = 0;
    if (at < size) std::memcpy(&tail, data + at, size - at);
    if (at < size) Mix(tail);
    total_ += size;
  }
  std::string Digits() {
    Mix(total_);
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (uint64_t lane : {Finish(a_), Finish(b_)}) {
      for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[(lane >> shift) & 15];
    }
    return text;
  }

 private:
  static uint64_t Finish(uint64_t x) {
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdULL;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53ULL;
    return x ^ (x >> 33);
  }
  void Mix(uint64_t word) {
    a_ = Finish(a_ ^ word) * 0x9e3779b97f4a7c15ULL;
    b_ = Finish(b_ + word) * 0xc2b2ae3d27d4eb4fULL + 1;
  }

  uint64_t a_ = 0x243f6a8885a308d3ULL;
  uint64_t b_ = 0x13198a2e03707344ULL;
  uint64_t total_ = 0;
};

}  // namespace

Result<FileId> IdentifyFile(const std::string& path) {
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0) return NotFound(path + ": " + SystemText());
  if (!S_ISREG(info.st_mode)) {
    return FailedPrecondition(path + (S_ISDIR(info.st_mode)
                                          ? ": is a folder, not a plugin file"
                                          : ": is no regular file"));
  }
  return FileId{info.st_dev, info.st_ino};
}

Distrust CheckTrust(const std::string& path) { return CheckTrust(path, geteuid()); }

Distrust CheckTrust(const std::string& path, uid_t user) {
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0) {
    return {path + ": " + SystemText(), "check that the path is right"};
  }
  const std::string kind = S_ISDIR(info.st_mode) ? "the folder " : "the file ";
  if ((info.st_mode & S_IWOTH) != 0) {
    return {kind + path + " may be written by everybody, so anybody could have put a " +
                "plugin there",
            "chmod o-w '" + path + "', once you know what is in it"};
  }
  if (info.st_uid != 0 && info.st_uid != user) {
    return {kind + path + " belongs to user " + std::to_string(info.st_uid) +
                ", who is neither root nor you (user " + std::to_string(user) + ")",
            "copy the plugin to a folder of your own, or chown '" + path + "'"};
  }
  return {};
}

Distrust CheckPluginTrust(const std::string& path) {
  char real[PATH_MAX];
  if (realpath(path.c_str(), real) == nullptr) {
    return {path + ": " + SystemText(), "check that the path is right"};
  }
  std::vector<std::string> all = {FolderOf(path)};
  const std::string real_folder = FolderOf(real);
  if (!std::filesystem::equivalent(all[0], real_folder)) all.push_back(real_folder);
  all.emplace_back(real);
  for (const std::string& one : all) {
    Distrust distrust = CheckTrust(one);
    if (!distrust.trusted()) return distrust;
  }
  return {};
}

Result<std::string> HashFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return NotFound(path + ": " + SystemText());
  Hasher hasher;
  std::vector<char> block(1 << 16);
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) ||
         file.gcount() > 0) {
    hasher.Add(block.data(), static_cast<size_t>(file.gcount()));
  }
  if (file.bad()) return DataLoss(path + ": could not be read");
  return hasher.Digits();
}

std::string HashBytes(const void* data, uint64_t size) {
  Hasher hasher;
  hasher.Add(static_cast<const char*>(data), size);
  return hasher.Digits();
}

}  // namespace berth
