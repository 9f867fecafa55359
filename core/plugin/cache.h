// The cache folder that plugins put compiled code and tuning results into.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/base/status.h"

namespace berth {

// A folder of entries, one file each, shared by all processes of the user. Writes go to a
// temporary file that is renamed, so a reader sees a whole entry or none. An entry
// carries its key and a checksum: what is damaged is removed and counts as a miss. When
// all entries together pass the limit, those that were used longest ago go. Thread-safe.
//
// File: "BERTHC01", u64 size of the key, u64 size of the data (both little-endian), 32
// hexadecimal digits of the checksum over key and data, key, data.
class PluginCache {
 public:
  static constexpr uint64_t kDefaultLimit = uint64_t{1} << 30;

  // The folder is made when the first entry is put. "" = no cache: every get is a miss,
  // puts do nothing.
  explicit PluginCache(std::string folder, uint64_t limit_bytes = kDefaultLimit);

  // $BERTH_CACHE_DIR, or $XDG_CACHE_HOME/berth, or ~/.cache/berth; BERTH_CACHE_DIR set to
  // nothing turns the cache off. BERTH_CACHE_LIMIT_MB changes the limit.
  static PluginCache* Default();

  const std::string& folder() const { return folder_; }

  // `scope` tells plugins (and their builds) apart. NOT_FOUND is a miss.
  Result<std::string> Get(std::string_view scope, std::string_view key);
  // RESOURCE_EXHAUSTED for an entry that is larger than a quarter of the limit; other
  // errors are the system's. A failed put leaves no trace.
  Status Put(std::string_view scope, std::string_view key, const void* data,
             uint64_t size);

 private:
  std::string PathOf(const std::string& full_key) const;
  void Trim(const std::string& keep) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string folder_;
  const uint64_t limit_;
  absl::Mutex mutex_;  // one put at a time
};

}  // namespace berth
