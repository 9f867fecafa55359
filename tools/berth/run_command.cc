// run: runs a graph with inputs from .npy files.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/formats/npy.h"
#include "core/session/run_wire.h"
#include "tools/berth/commands.h"
#include "tools/berth/common.h"

namespace berth::tool {
namespace {

using nlohmann::json;

struct RunFlags {
  GraphFlags graph;
  std::string init;
  std::vector<std::string> feeds;  // NAME=FILE.npy
  std::vector<std::string> fetches;
  std::vector<std::string> targets;
  std::string output_prefix;
  int64_t steps = 1;
  std::string trace;
  bool as_json = false;
};

struct Inputs {
  std::vector<std::string> names;
  std::vector<Tensor> tensors;
};

Result<Inputs> ReadFeeds(const std::vector<std::string>& feeds) {
  Inputs inputs;
  for (const std::string& feed : feeds) {
    const size_t equals = feed.find('=');
    if (equals == std::string::npos) {
      return InvalidArgument("--feed '" + feed + "' is not of the form NAME=FILE.npy");
    }
    BERTH_ASSIGN_OR_RETURN(Tensor tensor, formats::ReadNpy(feed.substr(equals + 1)));
    inputs.names.push_back(feed.substr(0, equals));
    inputs.tensors.push_back(std::move(tensor));
  }
  return inputs;
}

// "prefix" + "logits_0.npy" for "scope/logits:0": the name with what a file cannot have
// replaced.
std::string OutputPath(const std::string& prefix, std::string name) {
  std::replace(name.begin(), name.end(), '/', '_');
  std::replace(name.begin(), name.end(), ':', '_');
  return prefix + name + ".npy";
}

double Milliseconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

// What the run printed or wrote of its fetches.
Result<json> GiveFetches(const RunFlags& flags, const std::vector<Tensor>& outputs) {
  json fetches = json::array();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& tensor = outputs[i];
    json entry = {{"name", flags.fetches[i]},
                  {"dtype", DTypeName(tensor.dtype())},
                  {"shape", tensor.shape().ToVector()}};
    if (!flags.output_prefix.empty()) {
      const std::string path = OutputPath(flags.output_prefix, flags.fetches[i]);
      BERTH_RETURN_IF_ERROR(formats::WriteNpy(path, tensor));
      entry["file"] = path;
    } else if (!flags.as_json) {
      std::printf("%s = %s\n", flags.fetches[i].c_str(), tensor.DebugString().c_str());
    }
    fetches.push_back(std::move(entry));
  }
  return fetches;
}

json StepTimes(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return {{"median", times[times.size() / 2]},
          {"min", times.front()},
          {"p90", times[std::min(times.size() - 1, times.size() * 9 / 10)]}};
}

Status WriteTrace(const RunFlags& flags, const RunTrace& trace) {
  // RunMetadata for TensorFlow's tools, or a page for chrome://tracing and Perfetto.
  const bool binary = flags.trace.ends_with(".pb");
  return WriteFile(flags.trace, binary ? EncodeRunMetadata(trace) : TraceToJson(trace));
}

Status Run(const RunFlags& flags) {
  BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session,
                         OpenSession(flags.graph));
  BERTH_ASSIGN_OR_RETURN(const Inputs inputs, ReadFeeds(flags.feeds));
  if (!flags.init.empty()) {
    std::vector<Tensor> none;
    BERTH_RETURN_IF_ERROR(session->Run({}, {}, {flags.init}, {}, &none, nullptr));
  }
  BERTH_ASSIGN_OR_RETURN(
      const std::shared_ptr<Session::Callable> callable,
      session->MakeCallable({inputs.names, flags.fetches, flags.targets}));
  std::vector<Tensor> outputs(flags.fetches.size());
  std::vector<double> times;
  for (int64_t step = 0; step < flags.steps; ++step) {
    const auto start = std::chrono::steady_clock::now();
    BERTH_RETURN_IF_ERROR(callable->Run(inputs.tensors, outputs, {}, nullptr));
    times.push_back(Milliseconds(std::chrono::steady_clock::now() - start));
  }
  if (!flags.trace.empty()) {
    // One more step, so that tracing does not count in the times.
    RunTrace trace;
    RunSettings settings;
    settings.trace = true;
    BERTH_RETURN_IF_ERROR(callable->Run(inputs.tensors, outputs, settings, &trace));
    BERTH_RETURN_IF_ERROR(WriteTrace(flags, trace));
  }
  BERTH_ASSIGN_OR_RETURN(json fetches, GiveFetches(flags, outputs));
  const json step_ms = StepTimes(times);
  if (flags.as_json) {
    Print(json{{"step_ms", step_ms}, {"fetches", std::move(fetches)}}.dump(1));
  } else {
    std::printf("%lld step(s): median %.3f ms, min %.3f ms, p90 %.3f ms\n",
                static_cast<long long>(flags.steps), step_ms["median"].get<double>(),
                step_ms["min"].get<double>(), step_ms["p90"].get<double>());
  }
  return {};
}

}  // namespace

void AddRun(CLI::App* app, int* exit_code) {
  CLI::App* command = app->add_subcommand("run", "Run a graph");
  auto flags = std::make_shared<RunFlags>();
  command->add_option("graph", flags->graph.graph, "GraphDef (.pb, or .pbtxt)")
      ->required();
  command->add_option("--config", flags->graph.config, "ConfigProto (.pb, or .pbtxt)");
  command->add_flag("--soft", flags->graph.soft, "Allow soft placement");
  command->add_option("--init", flags->init, "Target to run once before");
  command->add_option("--feed", flags->feeds, "NAME=FILE.npy (repeat)");
  command->add_option("--fetch", flags->fetches, "Output to fetch (repeat)");
  command->add_option("--target", flags->targets, "Op to run (repeat)");
  command->add_option("-o,--output", flags->output_prefix,
                      "Write each fetch to PREFIX + its name + .npy");
  command->add_option("--steps", flags->steps, "How often")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  command->add_option("--trace", flags->trace,
                      "Write a trace: RunMetadata (.pb), otherwise Chrome's JSON");
  command->add_flag("--json", flags->as_json, "JSON");
  command->callback([flags, exit_code] {
    if (flags->fetches.empty() && flags->targets.empty()) {
      throw CLI::ValidationError("run", "give at least one --fetch or --target");
    }
    *exit_code = Report(Run(*flags));
  });
}

}  // namespace berth::tool
