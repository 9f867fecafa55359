// A plugin for another version of the ABI: BERTH_TEST_ABI_MIN to BERTH_TEST_ABI_MAX.
#include "conformance/bad_plugins/plain_plugin.h"

extern "C" BERTH_EXPORT berth_status_code berth_plugin_query(
    const berth_query_args*, const berth_plugin** out_plugin, berth_error*) {
  static const berth_plugin plugin = [] {
    berth_plugin made = PlainPlugin(BERTH_TEST_NAME);
    made.abi_min = BERTH_TEST_ABI_MIN;
    made.abi_max = BERTH_TEST_ABI_MAX;
    return made;
  }();
  *out_plugin = &plugin;
  return BERTH_OK;
}
