// What the bad plugins in plain C ABI have in common: an empty table.
#pragma once

#include <berth/plugin.h>

// A plugin named `name` without devices, kernels or ops.
static inline berth_plugin PlainPlugin(const char* name) {
  berth_plugin plugin = {};
  plugin.struct_size = sizeof(plugin);
  plugin.abi_min = BERTH_ABI_CURRENT;
  plugin.abi_max = BERTH_ABI_CURRENT;
  plugin.name = name;
  plugin.version = "1";
  plugin.vendor = "berth";
  return plugin;
}
