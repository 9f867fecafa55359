// Ops that plugins bring.
#pragma once

#include <berth/plugin.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/ops/op_schema.h"

namespace berth {

// Reads a serialized OpDef. INVALID_ARGUMENT for bytes that are none, or for a definition
// that contradicts itself.
Result<OpSchema> ReadOpDef(const berth_op_def& def, const std::string& plugin);

// Registers all ops of a plugin, or none. `registered` gets their names: UnregisterOps
// takes them back, and leaves those that another plugin brings as well. INVALID_ARGUMENT
// names the op that is wrong; ALREADY_EXISTS the one that redefines a known op.
Status RegisterPluginOps(const berth_plugin& table, OpRegistry* ops,
                         std::vector<std::string>* registered);
void UnregisterOps(const std::vector<std::string>& names, std::string_view plugin,
                   OpRegistry* ops);

}  // namespace berth
