// The listing functions of the C API.
#include "core/capi/capi_internal.h"
#include "core/capi/listing.h"
#include "core/plugin/loader.h"

using berth::Status;
using berth::capi::Guard;
using berth::capi::MakeBytes;

extern "C" {

berth_status_code berth_load_plugin(const char* path, berth_error* error) {
  return Guard(error, [&]() -> Status {
    if (path == nullptr) return berth::InvalidArgument("the plugin's path is NULL");
    return berth::PluginManager::Global()->Load(path);
  });
}

void berth_set_plugin_option(const char* plugin, const char* key, const char* value) {
  (void)Guard(nullptr, [&]() -> Status {
    berth::PluginManager::Global()->SetOption(plugin, key, value);
    return {};
  });
}

berth_status_code berth_list_devices(berth_bytes** out_json, berth_error* error) {
  return Guard(error, [&]() -> Status {
    *out_json = MakeBytes(berth::DevicesJson());
    return {};
  });
}

berth_status_code berth_list_plugins(berth_bytes** out_json, berth_error* error) {
  return Guard(error, [&]() -> Status {
    *out_json = MakeBytes(berth::PluginsJson());
    return {};
  });
}

berth_status_code berth_list_ops(berth_bytes** out_json, berth_error* error) {
  return Guard(error, [&]() -> Status {
    *out_json = MakeBytes(berth::OpsJson());
    return {};
  });
}

}  // extern "C"
