#include "client/devices.h"

#include "core/plugin/loader.h"

namespace berth::client {

std::vector<DeviceInfo> ListDevices() {
  PluginManager* plugins = PluginManager::Global();
  plugins->LoadDefault();
  std::vector<DeviceInfo> devices;
  for (const Device* device : plugins->Devices()) {
    const DeviceDesc& desc = device->desc();
    DeviceInfo info;
    info.name = "/device:" + desc.type + ":" + std::to_string(desc.index);
    info.type = desc.type;
    info.description = desc.display_name;
    if (!desc.driver.empty()) info.description += ", " + desc.driver;
    info.plugin = desc.plugin_name;
    info.physical_id = desc.physical_id;
    info.memory_bytes = desc.memory_bytes;
    devices.push_back(std::move(info));
  }
  return devices;
}

std::vector<std::string> PluginProblems() {
  PluginManager* plugins = PluginManager::Global();
  plugins->LoadDefault();
  std::vector<std::string> problems;
  for (const CandidateRecord& record : plugins->Records()) {
    if (record.stage == LoadStage::kLoaded || record.stage == LoadStage::kDuplicate)
      continue;
    std::string line =
        record.path + " (" + std::string(LoadStageName(record.stage)) + ")";
    if (!record.message.empty()) line += ": " + record.message;
    if (!record.remedy.empty()) line += "; " + record.remedy;
    problems.push_back(std::move(line));
  }
  return problems;
}

Status LoadPlugin(const std::string& path) { return PluginManager::Global()->Load(path); }

}  // namespace berth::client
