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

bool CoreRuns(std::string_view op) {
  const CoreOp* core = FindCoreOp(op);
  return core != nullptr && core->kind != CoreKind::kDataflow;
}

Status NotWrittenYet(const Node& node) {
  return Unimplemented("node '" + node.name() + "' (" + node.op() +
                       "): the op is not in this version of berth: control flow, queues, "
                       "data sets, tables and functions cannot run yet. Fetch a part of "
                       "the graph that does not need the node, or feed its output");
}

}  // namespace berth::executor
