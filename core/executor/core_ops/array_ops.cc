// Constants, placeholders and the ops that rename data or tell its shape.
#include "core/executor/core_op.h"

namespace berth::executor {

std::vector<CoreOp> ArrayOps() {
  return {
      {"Const", CoreKind::kConst},
      {"HostConst", CoreKind::kConst},
      {"Placeholder", CoreKind::kPlaceholder},
      {"PlaceholderV2", CoreKind::kPlaceholder},
      {"PlaceholderWithDefault", CoreKind::kForward},
      {"Identity", CoreKind::kForward},
      {"IdentityN", CoreKind::kForward},
      {"RefIdentity", CoreKind::kForward},
      {"Snapshot", CoreKind::kForward},
      {"StopGradient", CoreKind::kForward},
      {"PreventGradient", CoreKind::kForward},
      {"Reshape", CoreKind::kReshape},
      {"Bitcast", CoreKind::kReshape},
      {"Squeeze", CoreKind::kReshape},
      {"ExpandDims", CoreKind::kReshape},
      {"Shape", CoreKind::kShapeOf},
      {"ShapeN", CoreKind::kShapeOf},
      {"Size", CoreKind::kShapeOf},
      {"Rank", CoreKind::kShapeOf},
  };
}

}  // namespace berth::executor
