// JSON lists of devices, plugins and ops: views for the C API and the berth command.
#pragma once

#include <string>

namespace berth {

// The formats stand in <berth/c_api.h>. All load the default plugins first.
std::string DevicesJson();
std::string PluginsJson();
std::string OpsJson();

}  // namespace berth
