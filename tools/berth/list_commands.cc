// devices, plugins, ops: what there is.
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/capi/listing.h"
#include "tools/berth/commands.h"
#include "tools/berth/common.h"

namespace berth::tool {
namespace {

using nlohmann::json;

std::string Text(const json& value) { return value.get<std::string>(); }

std::string Bytes(uint64_t bytes) {
  if (bytes == 0) return "unknown";
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f GiB",
                static_cast<double>(bytes) / (1024.0 * 1024.0 * 1024.0));
  return text;
}

std::string DevicesText(const json& devices) {
  std::string text;
  for (const json& device : devices) {
    text += Text(device["name"]) + "\n    " + Text(device["description"]);
    if (!Text(device["driver"]).empty()) text += " · " + Text(device["driver"]);
    text += " · memory " + Bytes(device["memory_bytes"].get<uint64_t>()) +
            " · physical " + Text(device["physical_id"]) + " · plugin " +
            Text(device["plugin"]) + "\n";
  }
  if (text.empty()) text = "No device. `berth plugins --why` says what was tried.\n";
  return text;
}

std::string PluginsText(const json& plugins, bool why) {
  std::string text;
  for (const json& plugin : plugins) {
    const std::string stage = Text(plugin["stage"]);
    const bool loaded = stage == "loaded" || stage == "no device";
    if (!why && !loaded) continue;
    text += Text(plugin["path"]) + "\n    " + stage;
    if (!Text(plugin["name"]).empty()) {
      text += " · " + Text(plugin["name"]) + " " + Text(plugin["version"]);
    }
    for (const json& device : plugin["devices"]) text += " · " + Text(device);
    if (why) text += " · found by " + Text(plugin["found_by"]);
    text += "\n";
    if (plugin["conformance"].is_object()) {
      text += "    " + Text(plugin["conformance"]["text"]) + "\n";
    }
    if (!Text(plugin["message"]).empty()) text += "    " + Text(plugin["message"]) + "\n";
    if (!Text(plugin["remedy"]).empty()) text += "    → " + Text(plugin["remedy"]) + "\n";
  }
  if (text.empty()) {
    text = why ? "No plugin was found. Folders searched: BERTH_PLUGIN_PATH, then the "
                 "install's lib/berth/plugins.\n"
               : "No plugin is loaded. `berth plugins --why` says what was tried.\n";
  }
  return text;
}

// One line an op: for each device type the dtypes of its first type attribute.
std::string OpsText(const json& ops, bool all) {
  std::string text;
  for (const json& op : ops) {
    std::map<std::string, std::set<std::string>> by_device;
    for (const json& kernel : op["kernels"]) {
      std::set<std::string>& types = by_device[Text(kernel["device"])];
      for (const auto& [attr, dtypes] : kernel["types"].items()) {
        for (const json& dtype : dtypes) types.insert(attr + "=" + Text(dtype));
      }
    }
    if (by_device.empty() && !all) continue;
    text += Text(op["op"]) + "\n";
    for (const auto& [device, types] : by_device) {
      text += "    " + (device == "*" ? std::string("every device") : device) + ":";
      for (const std::string& type : types) text += " " + type;
      text += "\n";
    }
    if (by_device.empty()) text += "    no kernel\n";
  }
  return text;
}

}  // namespace

void AddDevices(CLI::App* app, int*) {
  CLI::App* command = app->add_subcommand("devices", "List the devices");
  auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "JSON");
  command->callback([as_json] {
    const std::string text = DevicesJson();
    Print(*as_json ? text : DevicesText(json::parse(text)["devices"]));
  });
}

void AddPlugins(CLI::App* app, int*) {
  CLI::App* command = app->add_subcommand("plugins", "List the plugins");
  auto as_json = std::make_shared<bool>(false);
  auto why = std::make_shared<bool>(false);
  command->add_flag("--why", *why, "Also those that did not load: stage, reason, remedy");
  command->add_flag("--json", *as_json, "JSON");
  command->callback([as_json, why] {
    const std::string text = PluginsJson();
    Print(*as_json ? text : PluginsText(json::parse(text)["plugins"], *why));
  });
}

void AddOps(CLI::App* app, int*) {
  CLI::App* command =
      app->add_subcommand("ops", "Show which op runs where, with which dtypes");
  auto as_json = std::make_shared<bool>(false);
  auto all = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "JSON");
  command->add_flag("--all", *all, "Also ops without any kernel");
  command->callback([as_json, all] {
    const std::string text = OpsJson();
    Print(*as_json ? text : OpsText(json::parse(text)["ops"], *all));
  });
}

}  // namespace berth::tool
