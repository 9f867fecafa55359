// Messages to the person who runs the process.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace berth {

enum class LogLevel { kDebug = 0, kInfo = 1, kWarning = 2, kError = 3 };

// Prints to stderr through spdlog, flushed. BERTH_LOG_LEVEL=debug|info|warning|error
// (default warning) says what is shown. Thread-safe.
void Log(LogLevel level, std::string_view message);

// Placement lines (log_device_placement) and other output that the user asked for go
// here, one line a call; stdout by default, flushed. Returns the previous sink.
// Thread-safe.
using LineSink = std::function<void(std::string_view line)>;
LineSink SetPlacementLogSink(LineSink sink);
void PlacementLogLine(std::string_view line);

// True when BERTH_VERBOSE (a comma-separated list) contains `topic`.
bool IsVerbose(std::string_view topic);

}  // namespace berth
