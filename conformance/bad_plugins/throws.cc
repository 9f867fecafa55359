// A plugin that throws where BERTH_TEST_WHERE says: 0 query, 1 init, 2 enumerate, 3 init
// throws a number.
#include <stdexcept>

#include "conformance/bad_plugins/plain_plugin.h"

namespace {

berth_status_code Init(void*, berth_error*) {
  if (BERTH_TEST_WHERE == 1)
    throw std::runtime_error("the init of this plugin is broken");
  if (BERTH_TEST_WHERE == 3) throw 42;
  return BERTH_OK;
}

berth_status_code Enumerate(void*, uint32_t*, const berth_device_info* const**,
                            berth_error*) {
  throw std::runtime_error("the device list of this plugin is broken");
}

}  // namespace

extern "C" BERTH_EXPORT berth_status_code berth_plugin_query(
    const berth_query_args*, const berth_plugin** out_plugin, berth_error*) {
  if (BERTH_TEST_WHERE == 0) {
    throw std::runtime_error("the query of this plugin is broken");
  }
  static const berth_device_api api = [] {
    berth_device_api made = {};
    made.struct_size = sizeof(made);
    made.enumerate = &Enumerate;
    return made;
  }();
  static const berth_plugin plugin = [] {
    berth_plugin made = PlainPlugin("throws");
    made.init = &Init;
    if (BERTH_TEST_WHERE == 2) made.devices = &api;
    return made;
  }();
  *out_plugin = &plugin;
  return BERTH_OK;
}
