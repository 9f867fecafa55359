#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "examples/lenet/fashion_mnist.h"
#include "examples/lenet/model.h"
#include "examples/lenet/options.h"
#include "examples/lenet/progress.h"

namespace lenet {

using berth::Result;
using berth::SessionOptions;
using berth::Status;
using berth::Tensor;

namespace {

void PrintDevices() {
  std::printf("Devices:\n");
  for (const bc::DeviceInfo& device : bc::ListDevices()) {
    std::printf("  %-18s %s (%s)\n", device.name.c_str(), device.description.c_str(),
                device.plugin.c_str());
  }
  for (const std::string& problem : bc::PluginProblems()) {
    std::printf("  not loaded: %s\n", problem.c_str());
  }
}

// Prints where every kind of op went and why, and writes the page with all nodes.
Status ReportPlacement(const Options& options, bc::Session* session) {
  BERTH_ASSIGN_OR_RETURN(const std::string summary, session->PlacementSummary());
  std::printf("\nPlacement (ops, device, why):\n%s\n", summary.c_str());
  BERTH_ASSIGN_OR_RETURN(const std::string page, session->PlacementPage("LeNet"));
  std::error_code error;
  std::filesystem::create_directories(options.folder, error);
  const std::string path = options.folder + "/placement.html";
  std::ofstream file(path, std::ios::binary);
  file << page;
  file.close();
  if (!file) return berth::FailedPrecondition("cannot write '" + path + "'");
  std::printf("Every node, with what was rejected: %s\n\n", path.c_str());
  return {};
}

Status Loop(const Options& options, const DataSet& data, bc::Session::Step* step) {
  BERTH_ASSIGN_OR_RETURN(Tensor images,
                         Tensor::Allocate(BERTH_FLOAT, {options.batch, 28, 28, 1}));
  BERTH_ASSIGN_OR_RETURN(Tensor labels, Tensor::Allocate(BERTH_INT64, {options.batch}));
  Batches batches(data, options.batch, options.seed);
  Progress progress(options.steps);
  std::vector<Tensor> outputs;
  for (int64_t i = 1; i <= options.steps; ++i) {
    batches.Next(&images, &labels);
    BERTH_RETURN_IF_ERROR(step->Run({images, labels}, &outputs));
    const float loss = *outputs[0].data<float>();
    if (std::isnan(loss)) {
      return berth::Internal("the loss became NaN at step " + std::to_string(i) +
                             "; try a smaller --rate");
    }
    if (options.losses) {
      std::printf("loss %lld %.9g\n", static_cast<long long>(i),
                  static_cast<double>(loss));
    } else {
      progress.Update(i, i * options.batch, loss);
    }
  }
  return {};
}

}  // namespace

Result<SessionOptions> MakeSessionOptions(const Options& options) {
  SessionOptions session;
  session.allow_soft_placement = !options.hard;
  if (!options.alias.empty()) {
    const size_t equals = options.alias.find('=');
    if (equals == std::string::npos) {
      return berth::InvalidArgument("--alias '" + options.alias +
                                    "' is not of the form TYPE=TYPE, such as GPU=OPENCL");
    }
    session.aliases.emplace_back(options.alias.substr(0, equals),
                                 options.alias.substr(equals + 1));
  }
  return session;
}

Status Train(const Options& options) {
  PrintDevices();
  BERTH_ASSIGN_OR_RETURN(const DataSet data, DataSet::Load(options.data, "train"));

  const bc::Scope root = bc::Scope::Root();
  const bc::Scope scope =
      root.Device(options.device).VariableDevice(options.variable_device);
  const Model model = BuildModel(scope);
  bc::Momentum optimizer(options.rate, options.momentum);
  const bc::Operation train = optimizer.Minimize(scope, model.loss);
  const bc::Operation init = bc::GlobalVariablesInitializer(root);
  bc::Saver saver(root);

  BERTH_ASSIGN_OR_RETURN(const SessionOptions session_options,
                         MakeSessionOptions(options));
  BERTH_ASSIGN_OR_RETURN(bc::Session session, bc::Session::Create(root, session_options));
  BERTH_RETURN_IF_ERROR(session.Run(init));
  BERTH_RETURN_IF_ERROR(ReportPlacement(options, &session));

  std::printf("Training on %lld images, batch %lld:\n",
              static_cast<long long>(data.size()), static_cast<long long>(options.batch));
  BERTH_ASSIGN_OR_RETURN(
      bc::Session::Step step,
      session.MakeStep({model.images, model.labels}, {model.loss}, {train}));
  BERTH_RETURN_IF_ERROR(Loop(options, data, &step));

  BERTH_ASSIGN_OR_RETURN(
      const std::string prefix,
      saver.Save(&session, options.folder + "/model.ckpt", options.steps));
  std::printf("Saved %s\n", prefix.c_str());
  return session.Close();
}

}  // namespace lenet
