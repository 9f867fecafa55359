#include "core/executor/core_op.h"

#include <unordered_map>

namespace berth::executor {

const CoreOp* FindCoreOp(std::string_view op) {
  static const auto* table = [] {
    auto* ops = new std::unordered_map<std::string_view, CoreOp>;
    for (const auto& family :
         {ArrayOps(), VariableOps(), CheckpointOps(), ControlOps()}) {
      for (const CoreOp& entry : family) ops->emplace(entry.name, entry);
    }
    return ops;
  }();
  const auto it = table->find(op);
  return it == table->end() ? nullptr : &it->second;
}

}  // namespace berth::executor
