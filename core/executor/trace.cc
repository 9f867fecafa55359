#include "core/executor/trace.h"

#include <atomic>
#include <iterator>

#include "core/executor/frame.h"

namespace berth::executor {
namespace {

uint32_t ThreadNumber() {
  static std::atomic<uint32_t> next{0};
  static thread_local const uint32_t number = next.fetch_add(1);
  return number;
}

// Names of steps that no node asked for, and of the core's steps around nodes.
std::string_view NameOf(ItemKind kind) {
  switch (kind) {
    case ItemKind::kCopy:
    case ItemKind::kRuntimeCopy:
      return "_Copy";
    case ItemKind::kWait:
      return "_HostWait";
    case ItemKind::kBind:
      return "_Bind";
    case ItemKind::kRelease:
      return "_Release";
    case ItemKind::kRebind:
    case ItemKind::kReshape:
      return "_Rename";
    default:
      return "_Step";
  }
}

bool IsSilent(ItemKind kind) {
  return kind == ItemKind::kRelease || kind == ItemKind::kRebind;
}

}  // namespace

void TraceRecorder::Add(const Frame& frame, const Item& item, uint64_t start_ns,
                        uint64_t end_ns) {
  if (IsSilent(item.kind)) return;
  const Plan& plan = frame.plan();
  TraceEvent& event = trace_.events.emplace_back();
  event.start_ns = start_ns - begin_ns_;
  event.end_ns = end_ns - begin_ns_;
  event.thread = ThreadNumber();
  if (item.node >= 0) {
    const PlanNode& node = plan.nodes[item.node];
    event.node = node.node->name();
    event.op = item.kernel != nullptr ? item.kernel->ops() : node.node->op();
    event.device = plan.DeviceOf(node).name();
  } else {
    event.op = NameOf(item.kind);
    if (item.device >= 0) event.device = plan.env.devices->at(item.device).name();
    if (item.variable >= 0) event.node = plan.variables[item.variable]->name();
  }
  if (item.kind == ItemKind::kWait) ++trace_.host_waits;
  if (item.kind != ItemKind::kCopy && item.kind != ItemKind::kRuntimeCopy) return;
  ++trace_.copies;
  const Program& program = frame.shaped().program;
  const int32_t from = program.InputsOf(item)[0];
  event.bytes = program.views[program.OutputsOf(item)[0]].byte_size;
  event.node = frame.shaped().NameOfView(from);
}

void TraceRecorder::Record(const ProfileEvent& event) {
  absl::MutexLock lock(&mutex_);
  TraceEvent& added = reported_.emplace_back();
  added.node = event.name;
  added.op = "_Device";
  added.device = event.track;
  added.start_ns = event.start_ns > begin_ns_ ? event.start_ns - begin_ns_ : 0;
  added.end_ns = event.end_ns > begin_ns_ ? event.end_ns - begin_ns_ : 0;
  added.thread = ThreadNumber();
}

void TraceRecorder::Finish(const Frame& frame, RunTrace* trace) {
  trace_.total_ns = NowNs() - begin_ns_;
  {
    absl::MutexLock lock(&mutex_);
    trace_.events.insert(trace_.events.end(), std::make_move_iterator(reported_.begin()),
                         std::make_move_iterator(reported_.end()));
  }
  const ShapedPlan& shaped = frame.shaped();
  DeviceSet& devices = *shaped.plan->env.devices;
  for (Space space = 0; space < devices.num_spaces(); ++space) {
    uint64_t bytes = 0;
    for (const uint64_t size : shaped.block_sizes[space]) bytes += size;
    const DeviceContext* device =
        space == kHostSpace ? devices.host() : devices.OfSpace(space);
    if (device == nullptr || (bytes == 0 && device->allocator == nullptr)) continue;
    if (device->allocator != nullptr) {
      bytes = device->allocator->stats().peak_bytes_in_use;
    }
    trace_.peak_bytes.emplace_back(device->name(), bytes);
  }
  *trace = std::move(trace_);
}

}  // namespace berth::executor
