#include "conformance/suite/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>
#include <thread>

namespace berth::conformance {
namespace {

constexpr int kMostDefaultJobs = 4;

// What the flags say before it has been looked into.
struct Raw {
  std::string device;
  std::vector<std::string> plugin_options;
  std::vector<std::string> tiers;
  std::string shard;
};

bool ParseInt(const std::string& text, int* value) {
  const char* end = text.data() + text.size();
  const std::from_chars_result result = std::from_chars(text.data(), end, *value);
  return result.ec == std::errc() && result.ptr == end;
}

Status ParseDevice(const std::string& text, SuiteOptions* suite) {
  if (text.empty()) return OkStatus();
  const size_t colon = text.find(':');
  suite->device_type = text.substr(0, colon);
  if (suite->device_type.empty() ||
      (colon != std::string::npos &&
       (!ParseInt(text.substr(colon + 1), &suite->device_index) ||
        suite->device_index < 0))) {
    return InvalidArgument("--device " + text + ": write TYPE:INDEX, such as GPU:0");
  }
  return OkStatus();
}

Status ParseShard(const std::string& text, Filter* filter) {
  if (text.empty()) return OkStatus();
  const size_t slash = text.find('/');
  if (slash == std::string::npos || !ParseInt(text.substr(0, slash), &filter->shard) ||
      !ParseInt(text.substr(slash + 1), &filter->num_shards) || filter->shard < 1 ||
      filter->shard > filter->num_shards) {
    return InvalidArgument("--shard " + text +
                           ": write I/N with 1 <= I <= N, such as 1/4");
  }
  return OkStatus();
}

Status Interpret(const Raw& raw, Options* options) {
  BERTH_RETURN_IF_ERROR(ParseDevice(raw.device, &options->suite));
  BERTH_RETURN_IF_ERROR(ParseShard(raw.shard, &options->filter));
  for (const std::string& pair : raw.plugin_options) {
    const size_t equals = pair.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return InvalidArgument("--option " + pair + ": write KEY=VALUE");
    }
    options->suite.plugin_options[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  for (const std::string& name : raw.tiers) {
    Result<Tier> tier = ParseTier(name);
    if (!tier.ok()) return tier.status().WithPrefix("--tier: ");
    options->filter.tiers.push_back(*tier);
  }
  if (options->in_process && options->filter.case_name.empty()) {
    return InvalidArgument("--in-process is for one case: add --case NAME");
  }
  if (options->quiet && options->verbose) {
    return InvalidArgument("--quiet or --verbose, not both");
  }
  std::error_code error;
  const std::filesystem::path path =
      std::filesystem::absolute(options->suite.plugin_path, error);
  if (!error) options->suite.plugin_path = path.string();
  return OkStatus();
}

void AddSubject(CLI::App* app, Options* options, Raw* raw) {
  app->add_option("--plugin", options->suite.plugin_path, "The plugin to judge")
      ->type_name("FILE.so")
      ->required();
  app->add_option("--device", raw->device,
                  "One of its devices; by default the first of its first type")
      ->type_name("TYPE:INDEX");
  app->add_option("--option", raw->plugin_options, "An option given to the plugin")
      ->type_name("KEY=VALUE")
      ->take_all();
  app->add_option("--seed", options->suite.seed, "Of the values that are drawn (1)");
}

void AddSelection(CLI::App* app, Options* options, Raw* raw) {
  Filter& filter = options->filter;
  const char* group = "Selection (patterns are globs; several are alternatives)";
  const auto patterns = [&](const char* flag, std::vector<std::string>* to,
                            const char* text) {
    app->add_option(flag, *to, text)->delimiter(',')->group(group)->type_name("PATTERN");
  };
  patterns("--op", &filter.ops, "Cases of these ops");
  patterns("--dtype", &filter.dtypes, "Cases of these dtypes");
  patterns("--match", &filter.patterns, "Cases of these names");
  app->add_option("--tier", raw->tiers,
                  "mandatory, optional, performance; by default the first two. With "
                  "performance one case runs at a time")
      ->delimiter(',')
      ->group(group)
      ->type_name("TIER");
  app->add_option("--shard", raw->shard,
                  "Each N-th of the selected cases, from the I-th on")
      ->group(group)
      ->type_name("I/N");
  app->add_option("--case", filter.case_name, "This case alone")
      ->group(group)
      ->type_name("NAME");
  app->add_flag("--list", options->list, "Print the names of the cases and run none")
      ->group(group);
}

void AddRunning(CLI::App* app, Options* options) {
  const char* group = "Running";
  app->add_option("--jobs,-j", options->jobs,
                  "Worker processes at a time (the number of processors, 4 at most)")
      ->check(CLI::Range(1, 256))
      ->group(group);
  app->add_option("--case-limit", options->case_limit_seconds,
                  "Seconds that a case may take (20); the limits that some cases have of "
                  "their own grow in proportion")
      ->check(CLI::PositiveNumber)
      ->group(group);
  app->add_option("--load-limit", options->load_limit_seconds,
                  "Seconds that the plugin may take to load or to shut down (60)")
      ->check(CLI::PositiveNumber)
      ->group(group);
  app->add_option("--memory-limit", options->memory_limit,
                  "Address space of a worker, such as 4GB (none)")
      ->transform(CLI::AsSizeValue(false))
      ->type_name("SIZE")
      ->group(group);
  app->add_flag("--in-process", options->in_process,
                "Run --case in this process, for a debugger: a crash is a crash")
      ->group(group);
  app->add_flag("--worker", options->worker)->group("");
}

void AddReports(CLI::App* app, Options* options) {
  const char* group = "Reports";
  const auto file = [&](const char* flag, std::string* to, const char* text) {
    app->add_option(flag, *to, text)->type_name("FILE")->group(group);
  };
  file("--expect", &options->expect_path,
       "What the vendor declares: unsupported cases and expected failures (JSON)");
  file("--json", &options->json_path,
       "Write the report as JSON; FILE.so.conformance.json is found by `berth plugins`");
  file("--junit", &options->junit_path, "Write it as JUnit XML");
  file("--html", &options->html_path, "Write it as one page, a matrix op by dtype");
  app->add_flag("--quiet,-q", options->quiet, "Print failures and the summary only")
      ->group(group);
  app->add_flag("--verbose,-v", options->verbose, "Print every case, and what it printed")
      ->group(group);
}

std::string Quoted(const std::string& word) {
  const bool plain =
      !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view("_-./:=,+@%").find(static_cast<char>(c)) !=
                   std::string_view::npos;
      });
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

// What decides how the plugin is loaded and which cases there are.
std::vector<std::string> SubjectArguments(const Options& options) {
  const SuiteOptions& suite = options.suite;
  std::vector<std::string> words = {"--plugin", suite.plugin_path};
  if (!suite.device_type.empty()) {
    words.emplace_back("--device");
    words.push_back(suite.device_type + ":" + std::to_string(suite.device_index));
  }
  for (const auto& [key, value] : suite.plugin_options) {
    words.emplace_back("--option");
    words.push_back(key);
    words.back().append("=").append(value);
  }
  words.emplace_back("--seed");
  words.push_back(std::to_string(suite.seed));
  if (options.memory_limit > 0) {
    words.emplace_back("--memory-limit");
    words.push_back(std::to_string(options.memory_limit));
  }
  return words;
}

}  // namespace

std::optional<int> ParseOptions(int argc, char** argv, Options* options) {
  CLI::App app(
      "Judges a plugin: runs cases over its contract and its ops, each in a worker "
      "process "
      "that may crash or hang");
  std::string mode;
  app.add_option(
         "mode", mode,
         "perf: measure, which is --tier performance; the JSON report is the table "
         "of costs")
      ->type_name("[perf]")
      ->check(CLI::IsMember({"perf"}).description(""));
  app.set_version_flag("--version", "berth-conform " BERTH_VERSION_STRING);
  app.footer(
      "Exit status: 0 all as expected; 1 failures or unexpected passes; 2 bad usage; 3 "
      "the "
      "plugin could not be loaded; 130 interrupted, the reports are partial.");
  options->program = argv[0];
  const int processors = static_cast<int>(std::thread::hardware_concurrency());
  options->jobs = std::clamp(processors, 1, kMostDefaultJobs);
  Raw raw;
  AddSubject(&app, options, &raw);
  AddSelection(&app, options, &raw);
  AddRunning(&app, options);
  AddReports(&app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? kExitAsExpected : kExitUsage;
  }
  if (!mode.empty()) raw.tiers = {TierName(Tier::kPerformance)};
  if (const Status status = Interpret(raw, options); !status.ok()) {
    std::fprintf(stderr, "berth-conform: %s\n", std::string(status.message()).c_str());
    return kExitUsage;
  }
  return std::nullopt;
}

std::vector<std::string> WorkerArguments(const Options& options) {
  std::vector<std::string> words = SubjectArguments(options);
  words.emplace_back("--worker");
  return words;
}

std::string RerunCommand(const Options& options, const std::string& case_name) {
  std::string line = Quoted(options.program);
  for (const std::string& word : SubjectArguments(options)) line += " " + Quoted(word);
  if (options.case_limit_seconds != Options().case_limit_seconds) {
    std::ostringstream limit;
    limit << options.case_limit_seconds;
    line += " --case-limit " + limit.str();
  }
  if (!options.expect_path.empty()) line += " --expect " + Quoted(options.expect_path);
  return line + " --case " + Quoted(case_name);
}

}  // namespace berth::conformance
