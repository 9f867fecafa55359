// One of two plugins that export everything, `helper` and the C++ layer's templates
// included: each must see its own. Its version is what its own helper says.
#include "conformance/bad_plugins/layer_plugin.h"

// Exported by both, with another answer.
int helper();
int helper() { return BERTH_TEST_ANSWER; }

namespace {
std::unique_ptr<berth::sdk::Plugin> Make(berth::sdk::Host) {
  return std::make_unique<layer_plugin::Plugin>(
      BERTH_TEST_NAME, helper() == 1 ? "helper 1" : "helper 2", BERTH_TEST_TYPE);
}
}  // namespace

BERTH_PLUGIN(&Make)
