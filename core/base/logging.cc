#include "core/base/logging.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>

namespace berth {
namespace {

spdlog::level::level_enum LevelFromEnvironment() {
  const char* text = std::getenv("BERTH_LOG_LEVEL");
  if (text == nullptr) return spdlog::level::warn;
  return spdlog::level::from_str(text);
}

spdlog::logger& Logger() {
  // Never destroyed: threads may log while the process ends.
  static spdlog::logger* logger = [] {
    auto* made =
        new spdlog::logger("berth", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("berth %l: %v");
    made->set_level(LevelFromEnvironment());
    made->flush_on(spdlog::level::trace);
    return made;
  }();
  return *logger;
}

struct PlacementSink {
  std::mutex mutex;
  LineSink sink = [](std::string_view line) {
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fputc('\n', stdout);
    std::fflush(stdout);
  };
};

PlacementSink& Placement() {
  static PlacementSink* sink = new PlacementSink;
  return *sink;
}

}  // namespace

void Log(LogLevel level, std::string_view message) {
  constexpr spdlog::level::level_enum kLevels[] = {
      spdlog::level::debug, spdlog::level::info, spdlog::level::warn, spdlog::level::err};
  Logger().log(kLevels[static_cast<int>(level)], message);
}

LineSink SetPlacementLogSink(LineSink sink) {
  PlacementSink& placement = Placement();
  std::lock_guard lock(placement.mutex);
  return std::exchange(placement.sink, std::move(sink));
}

void PlacementLogLine(std::string_view line) {
  PlacementSink& placement = Placement();
  std::lock_guard lock(placement.mutex);
  placement.sink(line);
}

bool IsVerbose(std::string_view topic) {
  const char* text = std::getenv("BERTH_VERBOSE");
  if (text == nullptr) return false;
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    if (rest.substr(0, comma) == topic) return true;
    if (comma == std::string_view::npos) return false;
    rest.remove_prefix(comma + 1);
  }
  return false;
}

}  // namespace berth
