#include "core/ops/builtin_ops.h"

namespace berth {

void RegisterBuiltinOps(OpRegistry* registry) {
  const std::span<const OpSpec> families[] = {
      ArrayOps(),   IndexOps(),    ElementwiseOps(), MathOps(),        NnOps(),
      RandomOps(),  StateOps(),    TrainingOps(),    ControlFlowOps(), FunctionalOps(),
      QueueOps(),   DataFlowOps(), LookupOps(),      IoOps(),          StringOps(),
      ParsingOps(), ImageOps(),    LoggingOps(),
  };
  for (const std::span<const OpSpec> family : families) {
    for (const OpSpec& spec : family) {
      Result<OpSchema> schema = ParseOpSpec(spec);
      BERTH_CHECK(schema.ok());
      BERTH_CHECK(registry->Register(*std::move(schema)).ok());
    }
  }
}

}  // namespace berth
