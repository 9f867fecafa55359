// Cases of batch normalization and its gradients.
#include "conformance/cases/generators.h"

namespace berth::conformance {
namespace {

struct Norm {
  std::string label;
  Dims dims;  // NHWC
  bool training = true;
  bool channels_first = false;
  float epsilon = 0.001F;
  float factor = 1;
  std::string kind = "ordinary";
};

std::vector<Norm> Norms() {
  std::vector<Norm> all;
  for (const Dims& dims : {Dims{2, 3, 4, 5}, Dims{1, 1, 1, 1}, Dims{1, 7, 7, 3},
                           Dims{5, 1, 1, 17}, Dims{2, 31, 33, 1}, Dims{0, 2, 2, 3}}) {
    for (const bool training : {true, false}) {
      all.push_back({Label(dims) + (training ? "-train" : "-infer"), dims, training});
      all.push_back({Label(dims) + (training ? "-train-nchw" : "-infer-nchw"), dims,
                     training, true});
    }
  }
  for (const bool training : {true, false}) {
    const std::string mode = training ? "-train" : "-infer";
    const Dims dims = {3, 4, 5, 6};
    all.push_back({"epsilon-0.1" + mode, dims, training, false, 0.1F});
    all.push_back({"epsilon-1e-5" + mode, dims, training, false, 1e-5F});
    all.push_back({"constant" + mode, dims, training, false, 0.001F, 1, "constant"});
    all.push_back({"far-from-zero" + mode, dims, training, false, 0.001F, 1, "far"});
    all.push_back({"special" + mode, dims, training, false, 0.001F, 1, "special"});
  }
  return all;
}

HostTensor Images(Values& v, const Norm& norm) {
  Dims dims = norm.dims;
  if (norm.channels_first) dims = {dims[0], dims[3], dims[1], dims[2]};
  if (norm.kind == "constant") return v.Constant(dims, 1.5);
  if (norm.kind == "far") return v.Uniform(dims, 30, 34);
  return norm.kind == "special" ? v.Special(dims) : v.Ordinary(dims);
}

void SetAttrs(const Norm& norm, OpCall* call) {
  call->attrs["epsilon"] = norm.epsilon;
  call->attrs["is_training"] = norm.training;
  call->attrs["data_format"] = std::string(norm.channels_first ? "NCHW" : "NHWC");
  if (call->attrs.count("exponential_avg_factor") != 0) {
    call->attrs["exponential_avg_factor"] = norm.factor;
  }
}

OpCall Normalize(Values& v, const Norm& norm) {
  const Dims channels = {norm.dims[3]};
  // Without old statistics in training, as most graphs have it.
  const bool needs_old = !norm.training || norm.factor != 1;
  const Dims old = needs_old ? channels : Dims{0};
  OpCall call =
      v.Call({Images(v, norm), v.Uniform(BERTH_FLOAT, channels, -2, 2),
              v.Uniform(BERTH_FLOAT, channels, -2, 2), v.Uniform(BERTH_FLOAT, old, -1, 1),
              v.Uniform(BERTH_FLOAT, old, 0.1, 3)});
  SetAttrs(norm, &call);
  return call;
}

void NormCases(CaseList& list) {
  for (const Norm& norm : Norms()) {
    list.Add(norm.label, [norm](Values& v) { return Normalize(v, norm); });
  }
  if (list.op() == "FusedBatchNormV3") {
    for (const float factor : {0.0F, 0.1F, 0.5F}) {
      list.Add("running-average", [factor](Values& v) {
        return Normalize(v, {"", {3, 4, 5, 6}, true, false, 0.001F, factor});
      });
    }
  }
  list.AddMisfit("scale-too-short", [](Values& v) {
    OpCall call = Normalize(v, {"", {3, 4, 5, 6}});
    call.inputs[1] = v.Uniform(BERTH_FLOAT, {5}, -2, 2);
    return call;
  });
}

void NormGradientCases(CaseList& list) {
  for (const Norm& norm : Norms()) {
    list.Add(norm.label, [norm](Values& v) {
      const Dims channels = {norm.dims[3]};
      const HostTensor x = Images(v, norm);
      std::vector<HostTensor> inputs = {v.Ordinary(x.dims), x,
                                        v.Uniform(BERTH_FLOAT, channels, -2, 2),
                                        v.Uniform(BERTH_FLOAT, channels, -1, 1),
                                        v.Uniform(BERTH_FLOAT, channels, 0.1, 3)};
      const bool has_third = v.op() == "FusedBatchNormGradV3";
      if (has_third) inputs.push_back(v.Uniform(BERTH_FLOAT, {0}, 0, 1));
      OpCall call = v.Call(std::move(inputs));
      SetAttrs(norm, &call);
      return call;
    });
  }
  list.AddMisfit("shapes-differ", [](Values& v) {
    std::vector<HostTensor> inputs = {v.Ordinary({1, 2, 2, 3}), v.Ordinary({1, 2, 3, 3})};
    const bool has_third = v.op() == "FusedBatchNormGradV3";
    for (int i = 0; i < (has_third ? 4 : 3); ++i) {
      inputs.push_back(v.Uniform(BERTH_FLOAT, {3}, 0.5, 1));
    }
    return v.Call(std::move(inputs));
  });
}

}  // namespace

void RegisterNormCases(GeneratorTable& table) {
  for (const char* op : {"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"}) {
    table[op] = NormCases;
  }
  for (const char* op :
       {"FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"}) {
    table[op] = NormGradientCases;
  }
}

}  // namespace berth::conformance
