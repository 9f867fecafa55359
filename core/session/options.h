// Session options: what ConfigProto says, decoded.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/status.h"

namespace berth {

enum class Precision {
  kDefault,  // strict for graphs with gradients; inference may use Winograd
  kStrict,   // direct f32
  kBf16,
};

struct SessionOptions {
  bool allow_soft_placement = false;
  bool log_device_placement = false;
  std::map<std::string, int> device_count;  // type -> logical devices
  std::vector<std::string> device_filters;
  bool place_pruned_graph = false;
  int intra_op_threads = 0;          // 0 = the process's pool
  int64_t operation_timeout_ms = 0;  // 0 = none
  // gpu_options: hold for every device that does not share the host's memory.
  double per_process_memory_fraction = 0;  // of TOTAL memory; 0 = not set
  bool allow_growth = false;
  std::string visible_device_list;
  // graph_options.optimizer_options.opt_level >= 0 and the rewriter's switch: constant
  // folding and other graph changes.
  bool optimize = true;
  Precision precision = Precision::kDefault;
  std::string default_device;
  std::vector<std::pair<std::string, std::string>> aliases;  // "GPU" -> "OPENCL"
  std::vector<std::string> fallback_allowed_ops;
  int fallback_max_nodes = -1;
  int64_t fallback_max_bytes = -1;

  // Decodes a serialized ConfigProto; berth's own settings are its field `berth`
  // (docs/FORMATS.md). DATA_LOSS for bytes that are none, INVALID_ARGUMENT for values out
  // of range, naming the field. Of gpu_options and pluggable_device_options the latter
  // counts.
  static Result<SessionOptions> FromConfigProto(std::string_view bytes);
  // Adds the aliases of BERTH_DEVICE_ALIAS ("GPU=OPENCL,…") for types that have none yet.
  // INVALID_ARGUMENT, with nothing added, for an entry of another form.
  Status ApplyEnvironment();
};

}  // namespace berth
