// lenet: trains, then restores what it saved in a second process and measures it.
#include <spawn.h>
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "examples/lenet/options.h"

extern char** environ;  // NOLINT(readability-identifier-naming): POSIX's name

namespace {

void AddFlags(CLI::App* app, lenet::Options* options) {
  app->add_option("--device", options->device, "Where the layers run");
  app->add_option("--variables", options->variable_device, "Where the variables live");
  app->add_option("--alias", options->alias,
                  "Reads one device type as another; '' = none");
  app->add_option("--steps", options->steps, "Training steps")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  app->add_option("--batch", options->batch, "Images a step")
      ->check(CLI::Range(int64_t{1}, int64_t{60000}));
  app->add_option("--rate", options->rate, "Learning rate");
  app->add_option("--momentum", options->momentum, "Momentum");
  app->add_option("--seed", options->seed, "Order of the images");
  app->add_option("--data", options->data, "Folder of the IDX files");
  app->add_option("--dir", options->folder, "Folder of the checkpoints");
  app->add_flag("--hard", options->hard,
                "No soft placement: fail instead of falling back");
  app->add_flag("--losses", options->losses, "Print every loss instead of the progress");
  app->option_defaults()->always_capture_default();
}

int Report(const berth::Status& status) {
  if (status.ok()) return 0;
  std::fprintf(stderr, "lenet: %s\n", status.ToString().c_str());
  return 1;
}

// Runs this program again with `evaluate` in front of the same flags.
int EvaluateInSecondProcess(int argc, char** argv) {
  std::vector<char*> arguments = {argv[0], const_cast<char*>("evaluate")};
  for (int i = 1; i < argc; ++i) arguments.push_back(argv[i]);
  arguments.push_back(nullptr);
  std::fflush(stdout);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments.data(), environ);
  int wait_status = 0;
  if (error != 0 || waitpid(child, &wait_status, 0) != child) {
    std::fprintf(stderr, "lenet: the evaluating process could not be started\n");
    return 1;
  }
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 1;
}

}  // namespace

int main(int argc, char** argv) {
  lenet::Options options;
  CLI::App app("LeNet on Fashion-MNIST: trains and saves, then restores and measures");
  AddFlags(&app, &options);
  CLI::App* train = app.add_subcommand("train", "Train and save only");
  CLI::App* evaluate = app.add_subcommand("evaluate", "Restore and measure only");
  train->fallthrough();
  evaluate->fallthrough();
  CLI11_PARSE(app, argc, argv);

  if (evaluate->parsed()) return Report(lenet::Evaluate(options));
  const int trained = Report(lenet::Train(options));
  if (trained != 0 || train->parsed()) return trained;
  return EvaluateInSecondProcess(argc, argv);
}
