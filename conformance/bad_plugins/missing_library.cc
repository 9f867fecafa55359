// A plugin that is linked to a library which is not there when it is loaded.
#include "conformance/bad_plugins/plain_plugin.h"

extern "C" int berth_stub_function();

extern "C" BERTH_EXPORT berth_status_code berth_plugin_query(
    const berth_query_args*, const berth_plugin** out_plugin, berth_error*) {
  static const berth_plugin plugin = PlainPlugin("missing_library");
  *out_plugin = &plugin;
  return berth_stub_function() == 0 ? BERTH_OK : BERTH_INTERNAL;
}
