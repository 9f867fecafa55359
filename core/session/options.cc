#include "core/session/options.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

#include "berth/proto/config.pb.h"
#include "core/registry/device_name.h"

namespace berth {
namespace {

constexpr int kMaxDevicesOfType = 1 << 16;

// Letters, digits and '_', not beginning with a digit: what a device name can hold.
bool IsDeviceType(std::string_view type) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (c >= '0' && c <= '9');
  };
  return !type.empty() && !(type[0] >= '0' && type[0] <= '9') &&
         std::all_of(type.begin(), type.end(), is_word);
}

Status CheckAlias(std::string_view where, const std::string& from,
                  const std::string& to) {
  for (const std::string& type : {from, to}) {
    if (!IsDeviceType(type)) {
      return InvalidArgument(std::string(where) + ": '" + from + "=" + to + "': '" +
                             type + "' is no device type such as GPU or OPENCL");
    }
  }
  if (from == to) {
    return InvalidArgument(std::string(where) + ": '" + from + "' stands for itself");
  }
  return OkStatus();
}

bool HasAlias(const SessionOptions& options, std::string_view from) {
  return std::any_of(options.aliases.begin(), options.aliases.end(),
                     [&](const auto& alias) { return alias.first == from; });
}

// "0,2": numbers of devices, each once. Which of them exist is known where devices are.
Status CheckVisibleDevices(const std::string& list) {
  if (list.empty()) return OkStatus();
  std::set<std::string> seen;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    const std::string entry = list.substr(begin, end - begin);
    const bool number = !entry.empty() && entry.size() <= 6 &&
                        entry.find_first_not_of("0123456789") == std::string::npos;
    if (!number) {
      return InvalidArgument("gpu_options.visible_device_list \"" + list + "\": '" +
                             entry + "' is no device number such as 0");
    }
    if (!seen.insert(std::to_string(std::stoi(entry))).second) {
      return InvalidArgument("gpu_options.visible_device_list \"" + list + "\": device " +
                             entry + " is listed twice");
    }
    begin = end + 1;
  }
  return OkStatus();
}

Status SetMemory(const tf::GPUOptions& gpu, SessionOptions* options) {
  const double fraction = gpu.per_process_gpu_memory_fraction();
  if (!(fraction >= 0 && fraction <= 1)) {
    return InvalidArgument(
        "gpu_options.per_process_gpu_memory_fraction is " + std::to_string(fraction) +
        "; it is the share of the device's total memory, from 0 (not set) to 1");
  }
  options->per_process_memory_fraction = fraction;
  options->allow_growth = gpu.allow_growth();
  options->visible_device_list = gpu.visible_device_list();
  return CheckVisibleDevices(options->visible_device_list);
}

Status SetDevices(const tf::ConfigProto& config, SessionOptions* options) {
  for (const auto& [type, count] : config.device_count()) {
    if (count < 0 || count > kMaxDevicesOfType) {
      return InvalidArgument("device_count[\"" + type + "\"] is " +
                             std::to_string(count) + "; it counts devices, 0 to " +
                             std::to_string(kMaxDevicesOfType));
    }
    options->device_count[type] = count;
  }
  for (const std::string& filter : config.device_filters()) {
    if (const auto spec = DeviceSpec::Parse(filter); !spec.ok()) {
      return spec.status().WithPrefix("device_filters: ");
    }
    options->device_filters.push_back(filter);
  }
  return OkStatus();
}

void SetOptimize(const tf::GraphOptions& graph, SessionOptions* options) {
  const tf::RewriterConfig& rewriter = graph.rewrite_options();
  options->optimize = graph.optimizer_options().opt_level() >= tf::OptimizerOptions::L1 &&
                      !rewriter.disable_meta_optimizer() &&
                      rewriter.constant_folding() != tf::RewriterConfig::OFF;
  options->place_pruned_graph = graph.place_pruned_graph();
}

Status SetFallback(const tf::BerthOptions::FallbackLimits& limits,
                   SessionOptions* options) {
  options->fallback_allowed_ops.assign(limits.allowed_ops().begin(),
                                       limits.allowed_ops().end());
  if (limits.has_max_nodes()) {
    if (limits.max_nodes() < -1 || limits.max_nodes() > std::numeric_limits<int>::max()) {
      return InvalidArgument("berth.fallback.max_nodes is " +
                             std::to_string(limits.max_nodes()) +
                             "; it counts nodes, or is -1 for no limit");
    }
    options->fallback_max_nodes = static_cast<int>(limits.max_nodes());
  }
  if (limits.has_max_bytes()) {
    if (limits.max_bytes() < -1) {
      return InvalidArgument("berth.fallback.max_bytes is " +
                             std::to_string(limits.max_bytes()) +
                             "; it counts bytes, or is -1 for no limit");
    }
    options->fallback_max_bytes = limits.max_bytes();
  }
  return OkStatus();
}

Status SetOwnOptions(const tf::BerthOptions& own, SessionOptions* options) {
  for (const auto& [from, to] : own.device_alias()) {
    BERTH_RETURN_IF_ERROR(CheckAlias("berth.device_alias", from, to));
    options->aliases.emplace_back(from, to);
  }
  std::sort(options->aliases.begin(), options->aliases.end());
  if (const auto spec = DeviceSpec::Parse(own.default_device()); !spec.ok()) {
    return spec.status().WithPrefix("berth.default_device: ");
  }
  options->default_device = own.default_device();
  switch (own.precision()) {
    case tf::BerthOptions::DEFAULT:
      break;
    case tf::BerthOptions::STRICT:
      options->precision = Precision::kStrict;
      break;
    case tf::BerthOptions::BF16:
      options->precision = Precision::kBf16;
      break;
    default:
      return InvalidArgument("berth.precision is " + std::to_string(own.precision()) +
                             "; it is DEFAULT (0), STRICT (1) or BF16 (2)");
  }
  return SetFallback(own.fallback(), options);
}

// The text between commas, blanks around it removed.
std::vector<std::string> SplitList(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    std::string_view part = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const size_t begin = part.find_first_not_of(' ');
    if (begin == std::string_view::npos) continue;
    part = part.substr(begin, part.find_last_not_of(' ') - begin + 1);
    parts.emplace_back(part);
  }
  return parts;
}

}  // namespace

Result<SessionOptions> SessionOptions::FromConfigProto(std::string_view bytes) {
  tf::ConfigProto config;
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()) ||
      !config.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return DataLoss("the session's configuration is no serialized ConfigProto (" +
                    std::to_string(bytes.size()) + " bytes)");
  }
  SessionOptions options;
  options.allow_soft_placement = config.allow_soft_placement();
  options.log_device_placement = config.log_device_placement();
  // As TensorFlow reads them: what is not positive means "not set".
  options.intra_op_threads = std::max(config.intra_op_parallelism_threads(), 0);
  options.operation_timeout_ms = std::max<int64_t>(config.operation_timeout_in_ms(), 0);
  BERTH_RETURN_IF_ERROR(SetDevices(config, &options));
  // Both blocks say the same of a device that is a plugin; the newer one wins.
  BERTH_RETURN_IF_ERROR(SetMemory(config.has_pluggable_device_options()
                                      ? config.pluggable_device_options()
                                      : config.gpu_options(),
                                  &options));
  SetOptimize(config.graph_options(), &options);
  BERTH_RETURN_IF_ERROR(SetOwnOptions(config.berth(), &options));
  return options;
}

Status SessionOptions::ApplyEnvironment() {
  const char* text = std::getenv("BERTH_DEVICE_ALIAS");
  if (text == nullptr) return OkStatus();
  std::vector<std::pair<std::string, std::string>> added;
  for (const std::string& entry : SplitList(text)) {
    const size_t equals = entry.find('=');
    if (equals == std::string::npos) {
      return InvalidArgument("BERTH_DEVICE_ALIAS: '" + entry +
                             "' is not of the form GPU=OPENCL");
    }
    const std::string from = entry.substr(0, equals);
    const std::string to = entry.substr(equals + 1);
    BERTH_RETURN_IF_ERROR(CheckAlias("BERTH_DEVICE_ALIAS", from, to));
    added.emplace_back(from, to);
  }
  // What the program configured wins over its surroundings.
  for (auto& alias : added) {
    if (!HasAlias(*this, alias.first)) aliases.push_back(std::move(alias));
  }
  return OkStatus();
}

}  // namespace berth
