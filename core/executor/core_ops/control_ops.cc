// Ops that order, check or name things.
#include <cstdio>
#include <string>

#include "core/executor/core_op.h"

namespace berth::executor {
namespace {

// Assert(condition, data…): fails with the data, `summarize` values of each.
Status Assert(HostOpContext& context) {
  const Tensor& condition = context.inputs[0];
  if (condition.num_elements() != 1 || condition.dtype() != BERTH_BOOL) {
    return InvalidArgument("In[0] should be a scalar: " + condition.DebugString());
  }
  if (condition.data<bool>()[0]) return OkStatus();
  std::string message = "assertion failed:";
  for (size_t i = 1; i < context.inputs.size(); ++i) {
    const Tensor& data = context.inputs[i];
    if (data.dtype() == BERTH_STRING && data.num_elements() == 1) {
      message += " [" + data.strings()[0] + "]";
    } else {
      message += " [" + data.DebugString() + "]";
    }
  }
  return InvalidArgument(message);
}

// ShardedFilename(basename, shard, num_shards): "basename-00000-of-00001".
Status ShardedFilename(HostOpContext& context) {
  for (const Tensor& input : context.inputs) {
    if (input.num_elements() != 1) {
      return InvalidArgument("all inputs must be scalars, got " + input.DebugString());
    }
  }
  char shard[32];
  std::snprintf(shard, sizeof(shard), "-%05d-of-%05d",
                context.inputs[1].data<int32_t>()[0],
                context.inputs[2].data<int32_t>()[0]);
  context.outputs[0] = Tensor::String(context.inputs[0].strings()[0] + shard);
  return OkStatus();
}

// ShardedFilespec(basename, num_shards): five question marks for the shard.
Status ShardedFilespec(HostOpContext& context) {
  for (const Tensor& input : context.inputs) {
    if (input.num_elements() != 1) {
      return InvalidArgument("all inputs must be scalars, got " + input.DebugString());
    }
  }
  char shards[32];
  std::snprintf(shards, sizeof(shards), "-of-%05d", context.inputs[1].data<int32_t>()[0]);
  context.outputs[0] =
      Tensor::String(context.inputs[0].strings()[0] + "-" + std::string(5, '?') + shards);
  return OkStatus();
}

}  // namespace

std::vector<CoreOp> ControlOps() {
  return {
      {"NoOp", CoreKind::kNoOp},
      {"ControlTrigger", CoreKind::kNoOp},
      {"Assert", CoreKind::kHost, &Assert},
      {"ShardedFilename", CoreKind::kHost, &ShardedFilename},
      {"ShardedFilespec", CoreKind::kHost, &ShardedFilespec},
  };
}

}  // namespace berth::executor
