// berth: looks at devices, plugins and ops, places graphs and runs them.
#include <exception>

#include "tools/berth/commands.h"

int main(int argc, char** argv) {
  int exit_code = berth::tool::kDone;
  CLI::App app("Runs dataflow graphs on the devices that plugins bring");
  app.set_version_flag("--version", "berth " BERTH_VERSION_STRING);
  app.require_subcommand(1);
  berth::tool::AddDevices(&app, &exit_code);
  berth::tool::AddPlugins(&app, &exit_code);
  berth::tool::AddOps(&app, &exit_code);
  berth::tool::AddPlace(&app, &exit_code);
  berth::tool::AddRun(&app, &exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    // 0 for --help and --version; the message of an error goes to stderr.
    return app.exit(e) == 0 ? berth::tool::kDone : berth::tool::kUsage;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "berth: %s\n", e.what());
    return berth::tool::kFailed;
  }
  return exit_code;
}
