#include "core/session/session.h"

#include <utility>

#include "core/plugin/loader.h"
#include "core/session/session_state.h"

namespace berth {

Result<std::unique_ptr<Session>> Session::Create(SessionOptions options) {
  BERTH_RETURN_IF_ERROR(options.ApplyEnvironment());
  PluginManager* plugins = PluginManager::Global();
  plugins->LoadDefault();
  DeviceListRequest request;
  request.device_count = options.device_count;
  request.visible_device_list = options.visible_device_list;
  request.aliases = options.aliases;
  SessionState::Resources resources;
  const std::vector<Device*> all = plugins->Devices();
  BERTH_ASSIGN_OR_RETURN(resources.devices, MakeDeviceList(all, request));
  resources.kernels = KernelRegistry::Global();
  resources.why_absent = [plugins](std::string_view type) {
    return plugins->WhyAbsent(type);
  };
  return MakeSession(std::move(options), std::move(resources));
}

}  // namespace berth
