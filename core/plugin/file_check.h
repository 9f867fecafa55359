// Identity of plugin files and whether they may be trusted.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "core/base/status.h"

namespace berth {

// What tells files apart, whatever path leads to them.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;
  bool operator==(const FileId&) const = default;
};

// NOT_FOUND with the system's text; FAILED_PRECONDITION for what is no regular file.
Result<FileId> IdentifyFile(const std::string& path);

// A reason to refuse, with its remedy; both empty = trusted.
struct Distrust {
  std::string message;
  std::string remedy;
  bool trusted() const { return message.empty(); }
};

// Refuses what others than the user could have put there: a file or folder that others
// may write, or that belongs to neither root nor the user of the process.
Distrust CheckTrust(const std::string& path, uid_t user);
Distrust CheckTrust(const std::string& path);  // the user of the process
// The same for a plugin file, the folder it was named in and, through symbolic links, the
// file and folder that it really is.
Distrust CheckPluginTrust(const std::string& path);

// 128 bits of the file's content in hexadecimal digits: scopes cache entries. Not a
// signature. The same on every run.
Result<std::string> HashFile(const std::string& path);
// The same of memory.
std::string HashBytes(const void* data, uint64_t size);

}  // namespace berth
