// berth: looks at devices, plugins and ops, places graphs and runs them.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>

#include "core/base/logging.h"
#include "tools/berth/commands.h"

namespace {

// What is wrong with the arguments, for a person.
std::string UsageMessage(const CLI::App* app, const CLI::Error& error) {
  std::string text = std::string("berth: ") + error.what();
  const std::vector<std::string> unknown = app->remaining();
  if (app->get_subcommands().empty() && !unknown.empty()) {
    text = "berth: there is no command '" + unknown[0] + "'; the commands are";
    for (const CLI::App* command : app->get_subcommands(nullptr)) {
      text += " " + command->get_name();
    }
  }
  return text + "\nRun with --help for more information.\n";
}

// A full disk must not look like success.
int CheckOutput(int exit_code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  std::fprintf(stderr, "berth: cannot write to stdout: %s\n", std::strerror(errno));
  return berth::tool::kFailed;
}

int Run(int argc, char** argv) {
  // stdout is for results: the lines of log_device_placement are none.
  berth::SetPlacementLogSink([](std::string_view line) {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
  });
  int exit_code = berth::tool::kDone;
  CLI::App app("Runs dataflow graphs on the devices that plugins bring");
  app.set_version_flag("--version", "berth " BERTH_VERSION_STRING);
  app.require_subcommand(1);
  app.failure_message(&UsageMessage);
  app.footer(
      "Results go to stdout, messages to stderr. Exit status: 0 done, 1 failed, 2 bad "
      "usage.");
  berth::tool::AddDevices(&app, &exit_code);
  berth::tool::AddPlugins(&app, &exit_code);
  berth::tool::AddOps(&app, &exit_code);
  berth::tool::AddPlace(&app, &exit_code);
  berth::tool::AddRun(&app, &exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    // 0 for --help and --version; the message of an error goes to stderr.
    exit_code = app.exit(e) == 0 ? berth::tool::kDone : berth::tool::kUsage;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return CheckOutput(Run(argc, argv));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "berth: %s\n", e.what());
    return berth::tool::kFailed;
  }
}
