// Runs the recorded models (conformance/golden/models.tar.xz): checks logits and losses
// against TensorFlow's and times a step.
//
// Usage: bench_models FOLDER [runs, default 10]. FOLDER is one model's: "lenet5",
// "lenet_train_ref" … BERTH_BENCH_DEVICE puts all nodes without a device under a scope,
// BERTH_BENCH_VARIABLES the variables alone.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/formats/graphdef.h"
#include "core/formats/npy.h"
#include "core/session/session.h"

namespace {

using berth::Result;
using berth::RunTrace;
using berth::Session;
using berth::Status;
using berth::Tensor;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

void Check(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(1);
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Tensor ReadNpy(const std::string& path) {
  Result<Tensor> tensor = berth::formats::ReadNpy(path);
  Check(tensor.status());
  return *std::move(tensor);
}

// Entry k along the first dimension.
Tensor Slice(const Tensor& tensor, int64_t k) {
  const std::vector<int64_t> dims = tensor.shape().ToVector();
  const berth::Shape shape(std::vector<int64_t>(dims.begin() + 1, dims.end()));
  Tensor slice = *Tensor::Allocate(tensor.dtype(), shape);
  std::memcpy(slice.raw(), tensor.raw() + static_cast<uint64_t>(k) * slice.byte_size(),
              slice.byte_size());
  return slice;
}

double LargestDifference(const Tensor& got, const Tensor& want, double* scale) {
  double difference = got.shape() == want.shape() ? 0 : INFINITY;
  *scale = 0;
  for (int64_t i = 0; i < std::min(got.num_elements(), want.num_elements()); ++i) {
    const double w = want.data<float>()[i];
    difference = std::max(difference, std::abs(got.data<float>()[i] - w));
    *scale = std::max(*scale, std::abs(w));
  }
  return difference;
}

void PrintTimes(std::vector<double> seconds) {
  if (seconds.empty()) return;
  std::sort(seconds.begin(), seconds.end());
  std::printf("step: median %.3f ms, best %.3f ms of %zu\n",
              seconds[seconds.size() / 2] * 1e3, seconds[0] * 1e3, seconds.size());
}

class Model {
 public:
  explicit Model(std::string folder) : folder_(std::move(folder)) {
    expected_ = json::parse(ReadFile(folder_ + "/expected.json"));
    berth::SessionOptions options;
    options.allow_soft_placement = true;
    Check(options.ApplyEnvironment());
    auto session = Session::Create(options);
    Check(session.status());
    session_ = *std::move(session);
    const std::string bytes = ReadFile(folder_ + "/graph.pb");
    Check(session_->ExtendWith([&](berth::Graph* graph) {
      berth::ImportOptions import;
      if (const char* device = std::getenv("BERTH_BENCH_DEVICE")) {
        import.device_scope = device;
      }
      BERTH_RETURN_IF_ERROR(berth::ImportGraphDef(bytes, import, graph));
      const char* variables = std::getenv("BERTH_BENCH_VARIABLES");
      for (int i = 0; variables != nullptr && i < graph->num_nodes(); ++i) {
        const std::string& op = graph->node(i)->op();
        if (op == "VariableV2" || op == "VarHandleOp") {
          graph->SetRequestedDevice(graph->node(i), variables);
        }
      }
      return berth::OkStatus();
    }));
  }

  void Infer(int runs) {
    Run({}, {}, {expected_["init_target"]});
    Session::Signature signature;
    std::vector<Tensor> inputs;
    for (const auto& [name, file] : expected_["feeds"].items()) {
      signature.feeds.push_back(name);
      inputs.push_back(ReadNpy(folder_ + "/" + std::string(file)));
    }
    std::vector<Tensor> wanted;
    for (const char* part : {"fetches", "endpoint_files"}) {
      for (const auto& [name, file] : expected_[part].items()) {
        signature.fetches.push_back(name);
        wanted.push_back(ReadNpy(folder_ + "/" + std::string(file)));
      }
    }
    auto callable = session_->MakeCallable(signature);
    Check(callable.status());
    std::vector<Tensor> outputs(wanted.size());
    std::vector<double> seconds;
    for (int i = 0; i <= runs; ++i) {
      const Clock::time_point start = Clock::now();
      Check((*callable)->Run(inputs, outputs, {}, nullptr));
      const std::chrono::duration<double> taken = Clock::now() - start;
      if (i > 0) seconds.push_back(taken.count());
    }
    for (size_t i = 0; i < wanted.size(); ++i) {
      double scale = 0;
      const double difference = LargestDifference(outputs[i], wanted[i], &scale);
      std::printf("%-50s differs by %.2e of the largest %.3g\n",
                  signature.fetches[i].c_str(), difference / scale, scale);
    }
    PrintTimes(seconds);
    Trace(signature, inputs);
  }

  void Train(int runs) {
    Run({{expected_["saver"]["filename"], Tensor::String(folder_ + "/initial")}}, {},
        {expected_["saver"]["restore"]});
    const Tensor x = ReadNpy(folder_ + "/batches_x.npy");
    const Tensor y = ReadNpy(folder_ + "/batches_y.npy");
    Session::Signature signature = {
        {"x:0", "y:0"}, {expected_["fetch"]}, {expected_["train_target"]}};
    std::vector<Tensor> inputs(2);
    const json& feeds = expected_["feeds_per_step"];
    if (feeds.contains("keep_prob:0")) {
      signature.feeds.push_back("keep_prob:0");
      inputs.push_back(Tensor::Scalar(BERTH_FLOAT, feeds["keep_prob:0"].get<float>()));
    }
    auto callable = session_->MakeCallable(signature);
    Check(callable.status());
    std::vector<Tensor> outputs(1);
    std::vector<double> seconds;
    double worst = 0;
    const json& losses = expected_["losses"];
    for (size_t k = 0; k < losses.size() + static_cast<size_t>(runs); ++k) {
      const auto batch = static_cast<int64_t>(k % losses.size());
      inputs[0] = Slice(x, batch);
      inputs[1] = Slice(y, batch);
      const Clock::time_point start = Clock::now();
      Check((*callable)->Run(inputs, outputs, {}, nullptr));
      const std::chrono::duration<double> taken = Clock::now() - start;
      if (k > 0) seconds.push_back(taken.count());
      if (k >= losses.size()) continue;
      const double want = losses[k];
      const double got = *outputs[0].data<float>();
      worst = std::max(worst, std::abs(got - want) / want);
      std::printf("step %2zu: loss %.7f, TensorFlow %.7f\n", k, got, want);
    }
    std::printf("losses differ by %.2e at most\n", worst);
    PrintTimes(seconds);
    Trace(signature, inputs);
  }

  const json& expected() const { return expected_; }

 private:
  void Run(const Session::Feeds& feeds, const std::vector<std::string>& fetches,
           const std::vector<std::string>& targets) {
    Check(session_->Run(feeds, fetches, targets, {}, nullptr, nullptr));
  }

  // Where the time of one step goes, by op.
  void Trace(const Session::Signature& signature, const std::vector<Tensor>& inputs) {
    auto callable = session_->MakeCallable(signature);
    Check(callable.status());
    std::vector<Tensor> outputs(signature.fetches.size());
    RunTrace trace;
    berth::RunSettings settings;
    settings.trace = true;
    Check((*callable)->Run(inputs, outputs, settings, &trace));
    std::vector<std::pair<uint64_t, std::string>> by_op;
    for (const berth::TraceEvent& event : trace.events) {
      auto it = std::find_if(by_op.begin(), by_op.end(),
                             [&](const auto& entry) { return entry.second == event.op; });
      if (it == by_op.end()) it = by_op.insert(it, {0, event.op});
      it->first += event.end_ns - event.start_ns;
    }
    std::sort(by_op.rbegin(), by_op.rend());
    std::printf("traced: %zu steps, %.3f ms, %d host waits, %d copies\n",
                trace.events.size(), static_cast<double>(trace.total_ns) * 1e-6,
                trace.host_waits, trace.copies);
    for (size_t i = 0; i < std::min<size_t>(by_op.size(), 14); ++i) {
      std::printf("  %8.3f ms %s\n", static_cast<double>(by_op[i].first) * 1e-6,
                  by_op[i].second.c_str());
    }
  }

  const std::string folder_;
  json expected_;
  std::unique_ptr<Session> session_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s FOLDER [runs]\n", argv[0]);
    return 2;
  }
  const int runs = argc > 2 ? std::atoi(argv[2]) : 10;
  Model model(argv[1]);
  if (model.expected().contains("train_target")) {
    model.Train(runs);
  } else {
    model.Infer(runs);
  }
  return 0;
}
