#include "core/plugin/search.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "core/plugin/loader.h"

namespace berth {

namespace fs = std::filesystem;

std::vector<std::string> PluginPathEntries() {
  std::vector<std::string> entries;
  const char* path = secure_getenv("BERTH_PLUGIN_PATH");
  std::string_view rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) entries.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return entries;
}

Result<std::vector<std::string>> ListPluginFiles(const std::string& folder) {
  std::error_code error;
  fs::directory_iterator files(folder, error);
  std::vector<std::string> found;
  while (!error && files != fs::directory_iterator()) {
    if (files->path().extension() == ".so") found.push_back(files->path().string());
    files.increment(error);
  }
  if (error == std::errc::permission_denied) {
    return PermissionDenied(folder + ": " + error.message());
  }
  if (error) return NotFound(folder + ": " + error.message());
  std::sort(found.begin(), found.end());
  return found;
}

std::string PluginNameFromFile(const std::string& path) {
  std::string name = fs::path(path).filename().string();
  for (std::string_view prefix : {"lib", "berth_"}) {
    if (name.compare(0, prefix.size(), prefix) == 0) name.erase(0, prefix.size());
  }
  const size_t dot = name.find('.');
  return dot == std::string::npos ? name : name.substr(0, dot);
}

std::string InstallPluginFolder() {
  // This function lies in libberth, or in a program that berth is linked into.
  Dl_info info = {};
  if (dladdr(reinterpret_cast<const void*>(&InstallPluginFolder), &info) == 0 ||
      info.dli_fname == nullptr) {
    return "";
  }
  std::error_code error;
  fs::path file = fs::canonical(info.dli_fname, error);
  if (error) file = fs::canonical("/proc/self/exe", error);
  if (error) return "";
  const fs::path folder = file.parent_path();
  // Beside the library; or of a program in bin/ or in a build's tests/.
  const fs::path beside = folder / "berth" / "plugins";
  for (const fs::path& place :
       {beside, folder.parent_path() / "lib" / "berth" / "plugins",
        folder.parent_path() / BERTH_INSTALL_LIBDIR / "berth" / "plugins"}) {
    if (fs::is_directory(place, error)) return place.string();
  }
  return beside.string();
}

}  // namespace berth
