// The table of services that the host offers to one plugin.
#pragma once

#include <berth/host.h>

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/plugin/cache.h"

namespace berth {

// key=value options of all plugins. Thread-safe. Values live as long as this object, also
// after they were set anew.
class PluginOptions {
 public:
  void Set(std::string_view plugin, std::string_view key, std::string_view value);
  // NULL when not set.
  const char* Get(std::string_view plugin, std::string_view key) const;
  // "null.devices=1;opencl.devices_per_physical=2", as in BERTH_PLUGIN_OPTIONS. What is
  // set already stays. INVALID_ARGUMENT quoting the first part that is not
  // plugin.key=value; the parts before it count.
  Status SetFromText(std::string_view text);

 private:
  mutable absl::Mutex mutex_;
  std::map<std::string, const char*, std::less<>> values_ ABSL_GUARDED_BY(mutex_);
  std::deque<std::string> texts_ ABSL_GUARDED_BY(mutex_);
};

// One plugin's view of the host. Lives as long as the process: the plugin may keep the
// table's address.
class HostTable {
 public:
  // `name` is the plugin's, as far as known (from the file's name before the query).
  // `path` is the plugin's file, whose content scopes the cache; "" = part of the
  // process. `options` and `cache` outlive it.
  HostTable(std::string name, std::string path, const PluginOptions* options,
            PluginCache* cache);
  HostTable(const HostTable&) = delete;
  HostTable& operator=(const HostTable&) = delete;

  const berth_host* abi() const { return &abi_; }
  // Options are then looked up under both names, the plugin's own first.
  void SetPluginName(std::string_view name);

 private:
  struct Calls;

  std::string name() const;
  const char* Option(std::string_view key) const;
  std::string CacheScope();

  const std::string file_name_;
  const std::string path_;
  const PluginOptions* const options_;
  PluginCache* const cache_;
  mutable absl::Mutex mutex_;
  std::string name_ ABSL_GUARDED_BY(mutex_);
  std::string scope_ ABSL_GUARDED_BY(mutex_);  // computed when first needed
  berth_host abi_ = {};
};

}  // namespace berth
