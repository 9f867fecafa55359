#include "core/session/run_wire.h"

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "berth/proto/config.pb.h"

namespace berth {
namespace {

constexpr int64_t kNanosPerMicro = 1000;

template <typename Message>
Status Parse(std::string_view bytes, const char* what, Message* message) {
  if (bytes.size() <= static_cast<size_t>(std::numeric_limits<int>::max()) &&
      message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return OkStatus();
  }
  return DataLoss("these " + std::to_string(bytes.size()) + " bytes are no serialized " +
                  what);
}

RunSettings ToSettings(const tf::RunOptions& options) {
  RunSettings settings;
  settings.timeout_ms = std::max<int64_t>(options.timeout_in_ms(), 0);
  settings.trace = options.trace_level() != tf::RunOptions::NO_TRACE;
  return settings;
}

// A device that is not "" (the host is) keeps or asks for device memory.
Status CheckOnHost(const google::protobuf::Map<std::string, std::string>& devices,
                   const char* what) {
  for (const auto& [tensor, device] : devices) {
    if (device.empty()) continue;
    return Unimplemented("CallableOptions." + std::string(what) + " asks for '" + tensor +
                         "' in the memory of '" + device +
                         "'; feeds and fetches are in host memory");
  }
  return OkStatus();
}

// "name = Op(…)": the form that TensorFlow's timeline takes apart.
std::string Label(const TraceEvent& event) {
  const std::string inside =
      event.bytes > 0 ? std::to_string(event.bytes) + " bytes" : "";
  return event.node + " = " + event.op + "(" + inside + ")";
}

void FillStats(const TraceEvent& event, tf::NodeExecStats* stats) {
  const auto start = static_cast<int64_t>(event.start_ns);
  const auto taken =
      static_cast<int64_t>(std::max(event.end_ns, event.start_ns) - event.start_ns);
  stats->set_node_name(event.node);
  stats->set_timeline_label(Label(event));
  stats->set_all_start_nanos(start);
  stats->set_all_start_micros(start / kNanosPerMicro);
  stats->set_op_end_rel_nanos(taken);
  stats->set_op_end_rel_micros(taken / kNanosPerMicro);
  stats->set_all_end_rel_nanos(taken);
  stats->set_all_end_rel_micros(taken / kNanosPerMicro);
  stats->set_scheduled_nanos(start);
  stats->set_scheduled_micros(start / kNanosPerMicro);
  stats->set_thread_id(event.thread);
}

}  // namespace

Result<RunSettings> DecodeRunOptions(std::string_view bytes) {
  tf::RunOptions options;
  BERTH_RETURN_IF_ERROR(Parse(bytes, "RunOptions", &options));
  return ToSettings(options);
}

Result<CallableSpec> DecodeCallableOptions(std::string_view bytes) {
  tf::CallableOptions options;
  BERTH_RETURN_IF_ERROR(Parse(bytes, "CallableOptions", &options));
  BERTH_RETURN_IF_ERROR(CheckOnHost(options.feed_devices(), "feed_devices"));
  BERTH_RETURN_IF_ERROR(CheckOnHost(options.fetch_devices(), "fetch_devices"));
  if (options.tensor_connection_size() > 0) {
    return Unimplemented("CallableOptions.tensor_connection joins '" +
                         options.tensor_connection(0).from_tensor() + "' to '" +
                         options.tensor_connection(0).to_tensor() +
                         "'; feed the tensor instead");
  }
  CallableSpec spec;
  spec.signature.feeds.assign(options.feed().begin(), options.feed().end());
  spec.signature.fetches.assign(options.fetch().begin(), options.fetch().end());
  spec.signature.targets.assign(options.target().begin(), options.target().end());
  spec.settings = ToSettings(options.run_options());
  return spec;
}

std::string EncodeRunMetadata(const RunTrace& trace) {
  tf::RunMetadata metadata;
  tf::StepStats* step = metadata.mutable_step_stats();
  std::map<std::string_view, tf::DeviceStepStats*> devices;
  for (const TraceEvent& event : trace.events) {
    tf::DeviceStepStats*& device = devices[event.device];
    if (device == nullptr) {
      device = step->add_dev_stats();
      device->set_device(event.device);
    }
    FillStats(event, device->add_node_stats());
    (*device->mutable_thread_names())[event.thread] =
        "thread " + std::to_string(event.thread);
  }
  // What a device's memory reached stands with its first event: TensorFlow has no field
  // for a device as a whole.
  for (const auto& [name, bytes] : trace.peak_bytes) {
    const auto it = devices.find(name);
    if (it == devices.end()) continue;
    tf::AllocatorMemoryUsed* memory = it->second->mutable_node_stats(0)->add_memory();
    memory->set_allocator_name(name);
    memory->set_peak_bytes(static_cast<int64_t>(bytes));
  }
  return metadata.SerializeAsString();
}

std::string TraceToJson(const RunTrace& trace) {
  using nlohmann::json;
  json events = json::array();
  std::map<std::string_view, int> devices;
  std::set<std::pair<int, uint32_t>> threads;
  for (const TraceEvent& event : trace.events) {
    const auto [device, added] =
        devices.emplace(event.device, static_cast<int>(devices.size()));
    const int pid = device->second;
    if (added) {
      events.push_back({{"ph", "M"},
                        {"pid", pid},
                        {"name", "process_name"},
                        {"args", {{"name", event.device}}}});
    }
    if (threads.emplace(pid, event.thread).second) {
      events.push_back({{"ph", "M"},
                        {"pid", pid},
                        {"tid", event.thread},
                        {"name", "thread_name"},
                        {"args", {{"name", "thread " + std::to_string(event.thread)}}}});
    }
    const uint64_t taken = std::max(event.end_ns, event.start_ns) - event.start_ns;
    json args = {{"node", event.node}};
    if (event.bytes > 0) args["bytes"] = event.bytes;
    events.push_back({{"ph", "X"},
                      {"pid", pid},
                      {"tid", event.thread},
                      {"name", event.op},
                      {"cat", "op"},
                      {"ts", static_cast<double>(event.start_ns) / kNanosPerMicro},
                      {"dur", static_cast<double>(taken) / kNanosPerMicro},
                      {"args", std::move(args)}});
  }
  const json whole = {
      {"traceEvents", std::move(events)},
      {"displayTimeUnit", "ns"},
      {"otherData", {{"host_waits", trace.host_waits}, {"copies", trace.copies}}}};
  // A node's name may hold any bytes; what is no UTF-8 is replaced.
  return whole.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace berth
