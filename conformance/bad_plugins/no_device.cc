// A plugin that finds no device and says why.
#include "conformance/bad_plugins/layer_plugin.h"

namespace {

class NoDevice : public layer_plugin::Plugin {
 public:
  NoDevice() : Plugin("no_device", "1", "NONE") {}
  berth::sdk::Status Enumerate(std::vector<berth::sdk::DeviceInfo>*,
                               std::string* why_none) override {
    *why_none = "the driver found no adapter";
    return {};
  }
};

std::unique_ptr<berth::sdk::Plugin> Make(berth::sdk::Host) {
  return std::make_unique<NoDevice>();
}

}  // namespace

BERTH_PLUGIN(&Make)
