// What the command line says.
#pragma once

#include <cstdint>
#include <string>

#include "client/berth.h"

namespace lenet {

struct Options {
  std::string device = "/gpu:0";
  std::string variable_device = "/cpu:0";
  std::string alias = "GPU=OPENCL";
  int64_t steps = 400;
  int64_t batch = 64;
  double rate = 0.01;
  double momentum = 0.9;
  uint64_t seed = 1;
  std::string data = "/usr/share/datasets/fashion-mnist";
  std::string folder = "build/demo";
  bool losses = false;  // print every loss, for comparison
  bool hard = false;    // no soft placement
};

// Sessions of both processes: alias, soft placement.
berth::Result<berth::SessionOptions> MakeSessionOptions(const Options& options);

// Trains and saves a checkpoint in options.folder.
berth::Status Train(const Options& options);
// Restores the newest checkpoint there and prints the accuracy on the test images.
berth::Status Evaluate(const Options& options);

}  // namespace lenet
