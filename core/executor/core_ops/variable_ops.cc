// Variables: what makes, reads and writes them.
#include "core/executor/core_op.h"

namespace berth::executor {

std::vector<CoreOp> VariableOps() {
  return {
      {"Variable", CoreKind::kVariable},
      {"VariableV2", CoreKind::kVariable},
      {"VarHandleOp", CoreKind::kVariable},
      {"ReadVariableOp", CoreKind::kRead},
      {"Assign", CoreKind::kAssign},
      {"AssignVariableOp", CoreKind::kAssign},
      {"AssignAdd", CoreKind::kUpdate},
      {"AssignSub", CoreKind::kUpdate},
      {"AssignAddVariableOp", CoreKind::kUpdate},
      {"AssignSubVariableOp", CoreKind::kUpdate},
      {"IsVariableInitialized", CoreKind::kIsInit},
      {"VarIsInitializedOp", CoreKind::kIsInit},
      {"DestroyResourceOp", CoreKind::kDestroy},
      {"VariableShape", CoreKind::kShapeOf},
  };
}

}  // namespace berth::executor
