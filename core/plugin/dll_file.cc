#include "core/plugin/dll_file.h"

#include <boost/dll/shared_library.hpp>
#include <boost/system/system_error.hpp>
#include <exception>
#include <new>
#include <string_view>

#include "core/registry/device.h"

namespace berth {
namespace {

namespace dll = boost::dll;

// Boost wraps the loader's text: "… failed (dlerror system message: TEXT): code's text".
std::string LoaderText(const std::string& what) {
  constexpr std::string_view kOpening = "dlerror system message: ";
  const size_t begin = what.find(kOpening);
  if (begin == std::string::npos) return what;
  const size_t start = begin + kOpening.size();
  const size_t end = what.rfind("): ");
  return what.substr(
      start, end == std::string::npos || end < start ? std::string::npos : end - start);
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string OpenRemedy(const std::string& text, const std::string& path) {
  if (Contains(text, "invalid ELF header") || Contains(text, "file too short") ||
      Contains(text, "invalid ELF")) {
    return "the file is no shared library; build it again or take it out of the plugin "
           "folder";
  }
  if (Contains(text, "wrong ELF class") || Contains(text, "ELF file's")) {
    return "the file was built for another kind of machine; build it for this one";
  }
  if (Contains(text, "undefined symbol")) {
    return "the plugin needs a symbol that no library here has: it was built against "
           "another version of one of its libraries (`ldd -r " +
           path +
           "` names them), or it expects symbols of the host, of which there are "
           "none: a plugin links to nothing of berth's";
  }
  if (Contains(text, "version `")) {
    return "a library here is older than the one the plugin was built with: build the "
           "plugin on this system, or upgrade that library";
  }
  return "`ldd " + path + "` shows what the file needs";
}

LoadFailure DescribeOpenError(const std::string& text, const std::string& path) {
  LoadFailure failure;
  failure.message = text;
  const std::string missing = MissingLibrary(text, path);
  if (!missing.empty()) {
    failure.stage = LoadStage::kMissingLibrary;
    failure.remedy = "install the package that brings " + missing +
                     ", or add its folder to LD_LIBRARY_PATH; `ldd " + path +
                     "` lists every library that is not found";
    failure.code = Code::kNotFound;
    return failure;
  }
  failure.stage = LoadStage::kOpen;
  failure.remedy = OpenRemedy(text, path);
  return failure;
}

}  // namespace

std::string MissingLibrary(const std::string& loader_text, const std::string& path) {
  constexpr std::string_view kCannotOpen = ": cannot open shared object file";
  const size_t end = loader_text.find(kCannotOpen);
  if (end == std::string::npos) return "";
  const std::string name = loader_text.substr(0, end);
  return name == path ? "" : name;
}

berth_plugin_query_fn OpenPluginFile(const std::string& path, LoadFailure* failure) {
  // Never destroyed: threads, exit handlers and unique symbols of a plugin make it unsafe
  // to unmap its file.
  dll::shared_library* library = nullptr;
  try {
    library = new dll::shared_library();
    // rtld_local is the mode's default value and rtld_deepbind is left out on purpose: it
    // would give the plugin another allocator than the process has.
    library->load(path, dll::load_mode::rtld_now | dll::load_mode::rtld_local);
  } catch (const boost::system::system_error& e) {
    *failure = DescribeOpenError(LoaderText(e.what()), path);
    delete library;  // holds no file
    return nullptr;
  } catch (const std::exception& e) {
    // A constructor of a static object of the plugin threw: the file may be half set up.
    *failure = {LoadStage::kOpen,
                "the file threw while it was opened: " + std::string(e.what()),
                "a static object of the plugin failed; tell its vendor", Code::kInternal};
    return nullptr;
  } catch (...) {
    *failure = {LoadStage::kOpen, "the file threw something while it was opened",
                "a static object of the plugin failed; tell its vendor", Code::kInternal};
    return nullptr;
  }
  try {
    return &library->get<berth_status_code(const berth_query_args*, const berth_plugin**,
                                           berth_error*)>(BERTH_PLUGIN_QUERY_SYMBOL);
  } catch (const std::exception& e) {
    *failure = {LoadStage::kSymbol, LoaderText(e.what()),
                "the file is a shared library but no berth plugin: a plugin exports the "
                "function " BERTH_PLUGIN_QUERY_SYMBOL,
                Code::kFailedPrecondition};
    return nullptr;
  }
}

Status CallPlugin(const std::string& what,
                  const std::function<berth_status_code(berth_error*)>& call) {
  berth_error error = EmptyError();
  try {
    const berth_status_code code = call(&error);
    if (code == BERTH_OK) return OkStatus();
    return TakeError(code, &error, what);
  } catch (const std::exception& e) {
    return Internal(what + ": the plugin threw an exception: " + e.what());
  } catch (...) {
    return Internal(what + ": the plugin threw something that is no exception");
  }
}

}  // namespace berth
