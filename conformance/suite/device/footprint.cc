#include "conformance/suite/device/footprint.h"

#include <dirent.h>
#include <malloc.h>

namespace berth::conformance {
namespace {

int64_t CountEntries(const char* folder) {
  DIR* dir = opendir(folder);
  if (dir == nullptr) return 0;
  int64_t count = 0;
  while (readdir(dir) != nullptr) ++count;
  closedir(dir);
  return count;
}

}  // namespace

Footprint Footprint::Now() {
  const struct mallinfo2 info = mallinfo2();
  return {CountEntries("/proc/self/task"), CountEntries("/proc/self/fd"),
          static_cast<int64_t>(info.uordblks + info.hblkhd)};
}

}  // namespace berth::conformance
