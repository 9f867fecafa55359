// The subcommands of `berth`.
#pragma once

#include <CLI/CLI.hpp>

namespace berth::tool {

// What a command ends with: 0 done, 1 the work failed (message on stderr), 2 bad usage.
enum ExitCode { kDone = 0, kFailed = 1, kUsage = 2 };

// Each adds its subcommand to `app`; when parsed, the command leaves its result in
// `*exit_code`.
void AddDevices(CLI::App* app, int* exit_code);
void AddPlugins(CLI::App* app, int* exit_code);
void AddOps(CLI::App* app, int* exit_code);
void AddPlace(CLI::App* app, int* exit_code);
void AddRun(CLI::App* app, int* exit_code);

}  // namespace berth::tool
