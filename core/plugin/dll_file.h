// The one place that uses Boost.DLL and calls code that may throw.
#pragma once

#include <berth/plugin.h>

#include <functional>
#include <string>

#include "core/base/status.h"
#include "core/plugin/loader.h"

namespace berth {

// A failed step of loading: where, in the system's or the plugin's words, and what to do.
struct LoadFailure {
  LoadStage stage = LoadStage::kFind;
  std::string message;
  std::string remedy;
  Code code = Code::kFailedPrecondition;
};

// Maps the file (all symbols bound now, none shared with other files) and finds the entry
// point. The file stays mapped until the process ends, whatever happens next. NULL fills
// `failure`.
berth_plugin_query_fn OpenPluginFile(const std::string& path, LoadFailure* failure);

// Calls into a plugin whose code may break the rule that nothing is thrown across the
// ABI: what it throws becomes INTERNAL with the exception's text. `what` names the call.
Status CallPlugin(const std::string& what,
                  const std::function<berth_status_code(berth_error*)>& call);

// From the text of the system's loader: the library that is missing, or "" when the text
// speaks of something else or of `path` itself.
std::string MissingLibrary(const std::string& loader_text, const std::string& path);

}  // namespace berth
