// run: runs a graph with inputs from .npy files.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
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
  std::vector<std::string> feeds;  // NAME=FILE.npy, checked
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

// Two fetches must not end in one file.
Status CheckOutputPaths(const RunFlags& flags) {
  std::map<std::string, std::string> written;
  for (const std::string& name : flags.fetches) {
    if (flags.output_prefix.empty()) break;
    const std::string path = OutputPath(flags.output_prefix, name);
    const auto [other, added] = written.emplace(path, name);
    if (added) continue;
    std::string text = "'" + path + "' would be written twice: for --fetch ";
    text.append(other->second).append(" and --fetch ").append(name);
    return InvalidArgument(std::move(text));
  }
  return {};
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

// The least time that nine tenths of the steps kept is the ninth of ten.
json StepTimes(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const size_t count = times.size();
  return {{"median", (times[(count - 1) / 2] + times[count / 2]) / 2},
          {"min", times.front()},
          {"p90", times[(count * 9 + 9) / 10 - 1]}};
}

Status WriteTrace(const RunFlags& flags, const RunTrace& trace) {
  // RunMetadata for TensorFlow's tools, or a page for chrome://tracing and Perfetto.
  const bool binary = flags.trace.ends_with(".pb");
  return WriteFile(flags.trace, binary ? EncodeRunMetadata(trace) : TraceToJson(trace));
}

// Runs all steps and gives their times. The last one is traced if a trace is asked for;
// its time, which tracing lengthens, then counts only if there is no other.
Result<std::vector<double>> RunSteps(const RunFlags& flags, Session::Callable* callable,
                                     const Inputs& inputs, std::vector<Tensor>* outputs) {
  std::vector<double> times;
  RunTrace trace;
  for (int64_t step = 1; step <= flags.steps; ++step) {
    RunSettings settings;
    settings.trace = step == flags.steps && !flags.trace.empty();
    const auto start = std::chrono::steady_clock::now();
    BERTH_RETURN_IF_ERROR(callable->Run(inputs.tensors, *outputs, settings, &trace));
    const double taken = Milliseconds(std::chrono::steady_clock::now() - start);
    if (!settings.trace || times.empty()) times.push_back(taken);
  }
  if (!flags.trace.empty()) BERTH_RETURN_IF_ERROR(WriteTrace(flags, trace));
  return times;
}

Status Run(const RunFlags& flags) {
  BERTH_RETURN_IF_ERROR(CheckOutputPaths(flags));
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
  BERTH_ASSIGN_OR_RETURN(std::vector<double> times,
                         RunSteps(flags, callable.get(), inputs, &outputs));
  BERTH_ASSIGN_OR_RETURN(json fetches, GiveFetches(flags, outputs));
  const json step_ms = StepTimes(std::move(times));
  if (flags.as_json) {
    Print(json{{"step_ms", step_ms}, {"fetches", std::move(fetches)}}.dump(1));
  } else {
    std::printf("%lld step%s: median %.3f ms, min %.3f ms, p90 %.3f ms\n",
                static_cast<long long>(flags.steps), flags.steps == 1 ? "" : "s",
                step_ms["median"].get<double>(), step_ms["min"].get<double>(),
                step_ms["p90"].get<double>());
  }
  return {};
}

// What the flags say is bad usage; "" = nothing.
std::string UsageError(const RunFlags& flags) {
  if (flags.fetches.empty() && flags.targets.empty()) {
    return "give at least one --fetch or --target";
  }
  for (const std::string& feed : flags.feeds) {
    const size_t equals = feed.find('=');
    if (equals == std::string::npos || equals == 0) {
      return "--feed '" + feed + "' is not of the form NAME=FILE.npy";
    }
  }
  return {};
}

}  // namespace

void AddRun(CLI::App* app, int* exit_code) {
  CLI::App* command = app->add_subcommand(
      "run", "Run a graph: print what is fetched, or write it to .npy files");
  auto flags = std::make_shared<RunFlags>();
  AddGraphFlags(command, &flags->graph);
  command->add_option("--init", flags->init, "Op to run once before the steps")
      ->type_name("OP");
  command->add_option("--feed", flags->feeds, "Tensor fed from an array (one or more)")
      ->type_name("NAME=FILE.npy");
  command->add_option("--fetch", flags->fetches, "Tensor to fetch (one or more)")
      ->type_name("NAME");
  command->add_option("--target", flags->targets, "Op to run (one or more)")
      ->type_name("OP");
  command
      ->add_option("-o,--output", flags->output_prefix,
                   "Write each fetch to PREFIX + its name, '/' and ':' as '_', + .npy")
      ->type_name("PREFIX");
  command->add_option("--steps", flags->steps, "How often to run (1)")
      ->type_name("N")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40).description(""));
  command
      ->add_option("--trace", flags->trace,
                   "Trace the last step into FILE: a RunMetadata if it ends in .pb, "
                   "otherwise JSON for chrome://tracing and Perfetto")
      ->type_name("FILE");
  command->add_flag(
      "--json", flags->as_json,
      "Print JSON: times of a step, and dtype, shape and file of each fetch");
  command->callback([flags, exit_code] {
    if (const std::string error = UsageError(*flags); !error.empty()) {
      throw CLI::ValidationError(error);
    }
    *exit_code = Report(Run(*flags));
  });
}

}  // namespace berth::tool
