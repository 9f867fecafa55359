// Runs on the wire: RunOptions and CallableOptions in, RunMetadata out, and the trace as
// JSON for a browser's trace viewer.
#pragma once

#include <string>
#include <string_view>

#include "core/base/status.h"
#include "core/session/session.h"

namespace berth {

// A serialized RunOptions. Any trace_level but NO_TRACE asks for a trace. DATA_LOSS for
// bytes that are none.
Result<RunSettings> DecodeRunOptions(std::string_view bytes);

struct CallableSpec {
  Session::Signature signature;
  RunSettings settings;
};
// A serialized CallableOptions. DATA_LOSS for bytes that are none; UNIMPLEMENTED where it
// asks for feeds or fetches in device memory, or joins tensors.
Result<CallableSpec> DecodeCallableOptions(std::string_view bytes);

// A serialized RunMetadata: step_stats with one DeviceStepStats a device (in the order in
// which the devices first appear, named in full), one NodeExecStats a kernel call, copy
// or wait. Times are micro- and nanoseconds since the run began.
std::string EncodeRunMetadata(const RunTrace& trace);

// The Trace Event Format: {"traceEvents":[…]}, a process a device, a row a host thread.
std::string TraceToJson(const RunTrace& trace);

}  // namespace berth
