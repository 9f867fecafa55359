#include <algorithm>
#include <cstdio>
#include <numeric>

#include "examples/lenet/fashion_mnist.h"
#include "examples/lenet/model.h"
#include "examples/lenet/options.h"

namespace lenet {

using berth::Status;
using berth::Tensor;

namespace {

constexpr int64_t kEvaluationBatch = 500;

// Mean accuracy over all images, in order.
berth::Result<double> Accuracy(bc::Session* session, const Model& model,
                               const DataSet& data) {
  double right = 0;
  for (int64_t begin = 0; begin < data.size(); begin += kEvaluationBatch) {
    const int64_t count = std::min(kEvaluationBatch, data.size() - begin);
    std::vector<int64_t> indices(static_cast<size_t>(count));
    std::iota(indices.begin(), indices.end(), begin);
    BERTH_ASSIGN_OR_RETURN(Tensor images,
                           Tensor::Allocate(BERTH_FLOAT, {count, 28, 28, 1}));
    BERTH_ASSIGN_OR_RETURN(Tensor labels, Tensor::Allocate(BERTH_INT64, {count}));
    data.Gather(indices, &images, &labels);
    BERTH_ASSIGN_OR_RETURN(
        const Tensor accuracy,
        session->Run({{model.images, images}, {model.labels, labels}}, model.accuracy));
    right += static_cast<double>(*accuracy.data<float>()) * static_cast<double>(count);
  }
  return right / static_cast<double>(data.size());
}

}  // namespace

Status Evaluate(const Options& options) {
  BERTH_ASSIGN_OR_RETURN(const DataSet data, DataSet::Load(options.data, "t10k"));
  BERTH_ASSIGN_OR_RETURN(const std::string prefix, bc::LatestCheckpoint(options.folder));

  const bc::Scope root = bc::Scope::Root();
  const Model model =
      BuildModel(root.Device(options.device).VariableDevice(options.variable_device));
  bc::Saver saver(root);
  BERTH_ASSIGN_OR_RETURN(const berth::SessionOptions session_options,
                         MakeSessionOptions(options));
  BERTH_ASSIGN_OR_RETURN(bc::Session session, bc::Session::Create(root, session_options));
  BERTH_RETURN_IF_ERROR(saver.Restore(&session, prefix));
  BERTH_ASSIGN_OR_RETURN(const double accuracy, Accuracy(&session, model, data));
  std::printf("Restored %s: test accuracy %.4f on %lld images\n", prefix.c_str(),
              accuracy, static_cast<long long>(data.size()));
  return session.Close();
}

}  // namespace lenet
