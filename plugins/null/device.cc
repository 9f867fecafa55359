#include "plugins/null/device.h"

#include <string>

namespace berth::null_plugin {
namespace {

using sdk::Result;
using sdk::Status;

Status NotWritten(const char* what) {
  return sdk::Unimplemented(std::string("the null plugin has no ") + what +
                            ": it is a skeleton");
}

// A point of a stream. Recorded by Stream::Record, and again once it is done.
class NullEvent : public sdk::Event {
 public:
  // Must not block.
  bool IsDone() override { return true; }
  // Returns the first failure of the work before the event, or of work it depended on.
  Status Wait() override { return NotWritten("events"); }
  // Override OnReady as well where the driver can call back: the default blocks the
  // caller until the event is done. And TimestampNs, which times kernels in a trace.
};

// An in-order queue. The host puts work on one stream from one thread at a time.
class NullStream : public sdk::Stream {
 public:
  // Starts a copy and returns; each side is a host address or memory + offset. PEER
  // copies come from another device of this plugin.
  Status Copy(const berth_copy_args&) override { return NotWritten("copies"); }
  // Optional: hand over to the hardware what a driver may hold back.
  Status Flush() override { return {}; }
  // Waits; returns the first failure since the last call, and forgets it.
  Status Synchronize() override { return NotWritten("streams"); }
  Status Record(sdk::Event*) override { return NotWritten("events"); }
  // Makes later work of this stream wait for the event, without blocking the caller.
  Status WaitFor(sdk::Event*) override { return NotWritten("events"); }
};

}  // namespace

Result<berth_memory*> NullDevice::Allocate(berth_memory_kind, uint64_t) {
  return NotWritten("memory");
}

void NullDevice::Free(berth_memory*) {}

void* NullDevice::HostAddress(berth_memory*) { return nullptr; }

void NullDevice::MemoryStats(berth_memory_stats* stats) {
  stats->bytes_in_use = 0;
  stats->peak_bytes_in_use = 0;
  stats->num_allocations = 0;
  stats->bytes_limit = 0;
}

Result<std::unique_ptr<sdk::Stream>> NullDevice::CreateStream() {
  return std::unique_ptr<sdk::Stream>(std::make_unique<NullStream>());
}

Result<std::unique_ptr<sdk::Event>> NullDevice::CreateEvent() {
  return std::unique_ptr<sdk::Event>(std::make_unique<NullEvent>());
}

Status NullDevice::Synchronize() { return NotWritten("streams"); }

}  // namespace berth::null_plugin
