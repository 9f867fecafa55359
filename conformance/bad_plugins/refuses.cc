// A plugin that refuses with a reason of its own, in BERTH_TEST_CODE.
#include "conformance/bad_plugins/plain_plugin.h"

extern "C" BERTH_EXPORT berth_status_code berth_plugin_query(const berth_query_args*,
                                                             const berth_plugin**,
                                                             berth_error* error) {
  error->message = BERTH_TEST_REASON;
  return BERTH_TEST_CODE;
}
