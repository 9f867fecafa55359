// A good plugin named BERTH_TEST_NAME with one device of type BERTH_TEST_TYPE.
#include "conformance/bad_plugins/layer_plugin.h"

namespace {
std::unique_ptr<berth::sdk::Plugin> Make(berth::sdk::Host) {
  return std::make_unique<layer_plugin::Plugin>(BERTH_TEST_NAME, "1", BERTH_TEST_TYPE);
}
}  // namespace

BERTH_PLUGIN(&Make)
