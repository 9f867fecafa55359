// Where plugins are looked for.
#pragma once

#include <string>
#include <vector>

#include "core/base/status.h"

namespace berth {

// The entries of BERTH_PLUGIN_PATH (folders or files, separated by ':'), empty ones left
// out. Empty in a process that runs with raised rights.
std::vector<std::string> PluginPathEntries();

// The names that end in .so in a folder, in order of name, as full paths. NOT_FOUND or
// PERMISSION_DENIED with the system's text.
Result<std::vector<std::string>> ListPluginFiles(const std::string& folder);

// "libberth_vendor.so" and "vendor.so" -> "vendor": names a plugin that has not spoken
// yet.
std::string PluginNameFromFile(const std::string& path);

}  // namespace berth
