#include "core/session/testing/golden_case.h"

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/formats/file.h"
#include "core/formats/npy.h"
#include "core/formats/tensor_proto.h"

namespace berth::testing {
namespace {

using nlohmann::json;

Result<Tensor> ReadTensor(const std::string& folder, const json& entry) {
  const std::string path = folder + "/" + entry["file"].get<std::string>();
  if (path.ends_with(".tensorproto")) {
    BERTH_ASSIGN_OR_RETURN(const std::string bytes, formats::ReadFile(path));
    return formats::DecodeTensor(bytes);
  }
  const std::string name = entry["dtype"];
  const std::optional<DType> dtype = ParseDType(name == "float32"   ? "float"
                                                : name == "float64" ? "double"
                                                : name == "float16" ? "half"
                                                                    : name);
  if (!dtype) return InvalidArgument("dtype " + name);
  return formats::ReadNpy(path, *dtype);
}

float HalfToFloat(uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f;
  const auto mantissa = static_cast<float>(bits & 0x3ff);
  float value = std::ldexp(mantissa, -24);
  if (exponent == 0x1f) {
    value = mantissa == 0 ? INFINITY : NAN;
  } else if (exponent > 0) {
    value = std::ldexp(mantissa + 1024, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

// Element `i` of a real tensor.
double ValueAt(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case BERTH_FLOAT:
      return tensor.data<float>()[i];
    case BERTH_HALF:
      return HalfToFloat(reinterpret_cast<const uint16_t*>(tensor.raw())[i]);
    case BERTH_BFLOAT16: {
      const uint32_t bits = uint32_t{reinterpret_cast<const uint16_t*>(tensor.raw())[i]}
                            << 16;
      float value;
      std::memcpy(&value, &bits, sizeof(value));
      return value;
    }
    default:
      return tensor.data<double>()[i];
  }
}

bool IsReal(DType dtype) {
  return dtype == BERTH_FLOAT || dtype == BERTH_DOUBLE || dtype == BERTH_HALF ||
         dtype == BERTH_BFLOAT16;
}

bool CloseValues(const Tensor& got, const Tensor& want, const json& compare) {
  const double rtol = compare.value("rtol", 0.0);
  const double atol = compare.value("atol", 0.0);
  for (int64_t i = 0; i < want.num_elements(); ++i) {
    const double g = ValueAt(got, i);
    const double w = ValueAt(want, i);
    if (std::isnan(w) ? !std::isnan(g)
                      : !(std::abs(g - w) <= atol + rtol * std::abs(w)) &&
                            !(std::isinf(w) && g == w)) {
      return false;
    }
  }
  return true;
}

bool SameBits(const Tensor& got, const Tensor& want) {
  if (want.dtype() == BERTH_STRING) {
    return std::equal(want.strings(), want.strings() + want.num_elements(),
                      got.strings());
  }
  if (want.byte_size() == 0) return true;
  if (std::memcmp(got.raw(), want.raw(), want.byte_size()) == 0) return true;
  if (!IsReal(want.dtype())) return false;
  // Any NaN is as good as any other.
  const size_t size = want.byte_size() / static_cast<size_t>(want.num_elements());
  for (int64_t i = 0; i < want.num_elements(); ++i) {
    const size_t at = static_cast<size_t>(i) * size;
    if (std::isnan(ValueAt(got, i)) && std::isnan(ValueAt(want, i))) continue;
    if (std::memcmp(static_cast<const char*>(got.raw()) + at,
                    static_cast<const char*>(want.raw()) + at, size) != 0) {
      return false;
    }
  }
  return true;
}

// "" when the tensor is as recorded.
std::string Compare(const Tensor& got, const Tensor& want, const json& compare) {
  if (got.dtype() != want.dtype() || !(got.shape() == want.shape())) {
    return "got " + got.DebugString() + ", wanted " + want.DebugString();
  }
  const std::string mode = compare["mode"];
  if (mode == "ignore") return "";
  bool same = SameBits(got, want);
  if (!same && mode == "close" && IsReal(want.dtype())) {
    same = CloseValues(got, want, compare);
  }
  if (same) return "";
  return mode + ": got " + got.DebugString() + ", wanted " + want.DebugString();
}

// TensorFlow's exception classes by their codes.
std::string ClassOf(Code code) {
  switch (code) {
    case Code::kInvalidArgument:
      return "InvalidArgumentError";
    case Code::kFailedPrecondition:
      return "FailedPreconditionError";
    case Code::kNotFound:
      return "NotFoundError";
    case Code::kOutOfRange:
      return "OutOfRangeError";
    case Code::kUnimplemented:
      return "UnimplementedError";
    case Code::kDeadlineExceeded:
      return "DeadlineExceededError";
    case Code::kInternal:
      return "InternalError";
    default:
      return std::string(CodeName(code));
  }
}

bool IsDecline(const Status& status) {
  const std::string_view message = status.message();
  return message.find("is not in this version") != std::string_view::npos ||
         message.find("no kernel") != std::string_view::npos ||
         message.find("No kernel") != std::string_view::npos ||
         message.find("No OpKernel") != std::string_view::npos ||
         message.find("has no kernel") != std::string_view::npos;
}

GoldenOutcome RunStep(Session* session, const std::string& folder, const json& step) {
  Session::Feeds feeds;
  for (const json& feed : step["feeds"]) {
    Result<Tensor> tensor = ReadTensor(folder, feed);
    if (!tensor.ok()) return {GoldenOutcome::kDeclined, tensor.status().ToString()};
    feeds.emplace_back(feed["tensor"], *std::move(tensor));
  }
  std::vector<std::string> fetches;
  for (const json& fetch : step["fetches"]) fetches.push_back(fetch["tensor"]);
  RunSettings settings;
  settings.timeout_ms = step.value("timeout_in_ms", 0);
  std::vector<Tensor> outputs;
  const Status status =
      session->Run(feeds, fetches, step["targets"].get<std::vector<std::string>>(),
                   settings, &outputs, nullptr);
  if (step.contains("error")) {
    const std::string wanted = step["error"]["class"];
    if (!status.ok() && ClassOf(status.code()) == wanted) return {};
    if (!status.ok() && IsDecline(status)) {
      return {GoldenOutcome::kDeclined, status.ToString()};
    }
    return {GoldenOutcome::kFailed, "wanted " + wanted + " (" +
                                        step["error"]["message"].get<std::string>() +
                                        "), got " + status.ToString()};
  }
  if (!status.ok()) {
    return {IsDecline(status) ? GoldenOutcome::kDeclined : GoldenOutcome::kFailed,
            status.ToString()};
  }
  for (size_t i = 0; i < fetches.size(); ++i) {
    const json& fetch = step["fetches"][i];
    Result<Tensor> want = ReadTensor(folder, fetch);
    if (!want.ok()) return {GoldenOutcome::kDeclined, want.status().ToString()};
    const std::string difference = Compare(outputs[i], *want, fetch["compare"]);
    if (!difference.empty()) {
      return {GoldenOutcome::kFailed, fetches[i] + ": " + difference};
    }
  }
  return {};
}

}  // namespace

GoldenOutcome RunGoldenCase(Session* session, const std::string& folder) {
  const Result<std::string> text = formats::ReadFile(folder + "/case.json");
  const Result<std::string> graph = formats::ReadFile(folder + "/graph.pb");
  if (!text.ok()) return {GoldenOutcome::kFailed, text.status().ToString()};
  const json description = json::parse(*text);
  // What fails at construction is for the shape functions' tests.
  if (!graph.ok() || description.contains("import_error")) {
    return {GoldenOutcome::kDeclined, "no graph to run"};
  }
  const Status added = session->Extend(*graph);
  if (!added.ok()) {
    // What TensorFlow finds when it runs, berth may find when it imports; damaged bytes
    // are DATA_LOSS there.
    const json& first = description["steps"][0];
    const bool expected =
        first.contains("error") && (added.code() == Code::kDataLoss ||
                                    first["error"]["class"] == ClassOf(added.code()));
    if (expected) return {};
    return {GoldenOutcome::kFailed, "import: " + added.ToString()};
  }
  int number = 0;
  for (const json& step : description["steps"]) {
    GoldenOutcome outcome = RunStep(session, folder, step);
    if (outcome.kind != GoldenOutcome::kPassed) {
      outcome.text = "step " + std::to_string(number) + ": " + outcome.text;
      if (outcome.kind == GoldenOutcome::kFailed &&
          description.value("informative", false)) {
        outcome.kind = GoldenOutcome::kDeclined;
      }
      return outcome;
    }
    ++number;
  }
  return {};
}

}  // namespace berth::testing
