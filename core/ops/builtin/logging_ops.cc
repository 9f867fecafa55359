// Summaries and messages.
#include "core/ops/builtin_ops.h"
#include "core/ops/shapes/common.h"

namespace berth {
namespace {

constexpr OpSpec kLoggingOps[] = {
    {"ScalarSummary", "tags: string, values: T -> summary: string", "T: real",
     ScalarShape},
    {"HistogramSummary", "tag: string, values: T -> summary: string", "T: real = float",
     ScalarShape},
    {"ImageSummary", "tag: string, tensor: T -> summary: string",
     "max_images: int >= 1 = 3; T: {uint8, float, half, double} = float; bad_color: "
     "tensor = uint8[255, 0, 0, 255]",
     ScalarShape},
    {"MergeSummary", "inputs: N * string -> summary: string", "N: int >= 1", ScalarShape},
    {"TensorSummary", "tensor: T -> summary: string",
     "T: type; description: string = ''; labels: list(string) = []; display_name: string "
     "= ''",
     ScalarShape},
    {"TensorSummaryV2",
     "tag: string, tensor: T, serialized_summary_metadata: string -> summary: string",
     "T: type", ScalarShape},
    {"AudioSummaryV2",
     "tag: string, tensor: float, sample_rate: float -> summary: string",
     "max_outputs: int >= 1 = 3", ScalarShape},
    {"Print", "input: T, data: U -> output: T",
     "T: type; U: list(type) >= 0; message: string = ''; first_n: int = -1; summarize: "
     "int = 3",
     UnchangedShape, kStateful},
    {"PrintV2", "input: string", "output_stream: string = 'stderr'; end: string = '\\n'",
     nullptr, kStateful},
    {"Timestamp", "-> ts: double", "", ScalarShape, kStateful},
};

}  // namespace

std::span<const OpSpec> LoggingOps() { return kLoggingOps; }

}  // namespace berth
