#include "conformance/golden/golden_case.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace berth::conformance {
namespace {

using Json = nlohmann::json;

Result<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return NotFound("cannot read " + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

DType DTypeOf(const std::string& numpy_name) {
  if (numpy_name == "float32") return BERTH_FLOAT;
  if (numpy_name == "float64") return BERTH_DOUBLE;
  if (numpy_name == "float16") return BERTH_HALF;
  return ParseDType(numpy_name).value_or(BERTH_INVALID_DTYPE);
}

// The tensor that an entry of case.json names: the data behind the header of a .npy file.
Result<HostTensor> ReadTensor(const std::string& folder, const Json& entry) {
  const std::string name = entry.at("file");
  const DType dtype = DTypeOf(entry.at("dtype"));
  if (!name.ends_with(".npy") || DTypeSize(dtype) == 0) {
    return Unimplemented("a tensor of " + entry.at("dtype").get<std::string>());
  }
  BERTH_ASSIGN_OR_RETURN(const std::string file, ReadFile(folder + "/" + name));
  constexpr size_t kPrefix = 10;  // magic, version, length of the header
  uint16_t header = 0;
  if (file.size() < kPrefix) return DataLoss(name + " is cut off");
  std::memcpy(&header, file.data() + 8, sizeof(header));
  HostTensor tensor = ZeroTensor(dtype, entry.at("shape").get<std::vector<int64_t>>());
  if (file.size() != kPrefix + header + tensor.bytes.size()) {
    return DataLoss(name + " does not hold " + tensor.ShapeString());
  }
  std::copy(file.begin() + kPrefix + header, file.end(), tensor.bytes.begin());
  return tensor;
}

// An attribute in protobuf's text form: `type: DT_FLOAT`, `list { i: 1 i: 2 }`, `b:
// true`. False for kinds that no op with a kernel looks at.
bool ParseAttr(const std::string& text, AttrValue* out) {
  std::istringstream words(text);
  std::string kind;
  std::string word;
  words >> kind;
  if (kind == "list") {
    std::vector<int64_t> ints;
    while (words >> word) {
      if (word == "{" || word == "}") continue;
      if (word != "i:" || !(words >> word)) return false;
      ints.push_back(std::stoll(word));
    }
    *out = ints;
    return true;
  }
  words >> word;
  if (kind == "type:") {
    *out = TypeAttr{ParseDType(word).value_or(BERTH_INVALID_DTYPE)};
  } else if (kind == "i:") {
    *out = static_cast<int64_t>(std::stoll(word));
  } else if (kind == "f:") {
    *out = std::stof(word);
  } else if (kind == "b:") {
    *out = word == "true";
  } else if (kind == "s:" && word.size() >= 2) {
    *out = word.substr(1, word.size() - 2);
  } else {
    return false;
  }
  return true;
}

// "grad" out of "in_grad:0".
std::string ArgumentOf(const std::string& tensor) {
  const size_t begin = tensor.starts_with("in_") ? 3 : 0;
  return tensor.substr(begin, tensor.rfind(':') - begin);
}

// Feeds come in the order in which the recording program made them, which is the OpDef's
// but for this one.
bool GradientBeforeMomentum(const std::string& op) {
  return op == "ApplyMomentum" || op == "ResourceApplyMomentum";
}

bool HasVariables(const std::string& op) {
  return op.starts_with("Apply") || op.starts_with("ResourceApply") ||
         op.starts_with("Scatter") || op.starts_with("AssignAdd") ||
         op.starts_with("AssignSub");
}

// Goes through the steps of a case and collects the calls.
class Reader {
 public:
  Reader(std::string folder, const Json& json)
      : folder_(std::move(folder)), op_(json.at("op")) {
    for (const auto& [name, text] : json.at("attrs").items()) {
      AttrValue value;
      if (name[0] != '_' && ParseAttr(text, &value)) attrs_[name] = value;
    }
  }

  Status Step(const Json& step) {
    if (step.contains("error")) return Failure(step);
    const Json& targets = step.at("targets");
    const Json& fetches = step.at("fetches");
    if (!targets.empty() && fetches.empty()) {
      // Initialisers, or the update that the next step reads.
      if (targets == Json{"op"}) {
        BERTH_ASSIGN_OR_RETURN(pending_, MakeCall(step));
        has_pending_ = true;
      }
      return OkStatus();
    }
    if (!targets.empty() || fetches.empty()) return Unimplemented("targets and fetches");
    const std::string first = fetches[0].at("tensor");
    return first.starts_with("op:") ? Run(step) : ReadVariables(step);
  }

  std::vector<GoldenCall> calls_;

 private:
  Result<OpCall> MakeCall(const Json& step) {
    OpCall call;
    call.op = op_;
    call.attrs = attrs_;
    call.numbers_drawn = numbers_drawn_;
    call.inputs = variables_;
    std::vector<HostTensor> fed;
    for (const Json& feed : step.at("feeds")) {
      const std::string name = feed.at("tensor");
      if (!feed.contains("file")) return Unimplemented("feed " + name);
      BERTH_ASSIGN_OR_RETURN(HostTensor tensor, ReadTensor(folder_, feed));
      fed.push_back(std::move(tensor));
    }
    if (fed.empty()) return Unimplemented("inputs that are constants of the graph");
    if (GradientBeforeMomentum(op_) && fed.size() == 3) std::swap(fed[1], fed[2]);
    call.inputs.insert(call.inputs.end(), fed.begin(), fed.end());
    return call;
  }

  // A step that fetches the op's outputs.
  Status Run(const Json& step) {
    if (HasVariables(op_) && variables_.empty()) {
      // The value before is not recorded, the value after is.
      BERTH_ASSIGN_OR_RETURN(HostTensor after,
                             ReadTensor(folder_, step.at("fetches")[0]));
      variables_ = {std::move(after)};
      return OkStatus();
    }
    GoldenCall call;
    BERTH_ASSIGN_OR_RETURN(call.call, MakeCall(step));
    for (const Json& fetch : step.at("fetches")) {
      const std::string name = fetch.at("tensor");
      if (!name.starts_with("op:")) return Unimplemented("fetch " + name);
      GoldenOutput output;
      output.index = std::stoi(name.substr(3));
      BERTH_ASSIGN_OR_RETURN(output.tensor, ReadTensor(folder_, fetch));
      output.mode = fetch.at("compare").at("mode");
      call.outputs.push_back(std::move(output));
    }
    numbers_drawn_ += call.outputs[0].tensor.num_elements();
    if (HasVariables(op_)) variables_ = {call.outputs[0].tensor};
    calls_.push_back(std::move(call));
    return OkStatus();
  }

  // A step that reads the variables, maybe after an update.
  Status ReadVariables(const Json& step) {
    GoldenCall call;
    std::vector<HostTensor> values;
    for (const Json& fetch : step.at("fetches")) {
      const std::string argument = ArgumentOf(fetch.at("tensor"));
      if (argument != "init" && !argument.ends_with("read")) {
        return Unimplemented("fetch " + argument);
      }
      GoldenOutput output;
      output.index = static_cast<int>(values.size());
      output.is_written_input = true;
      BERTH_ASSIGN_OR_RETURN(output.tensor, ReadTensor(folder_, fetch));
      output.mode = fetch.at("compare").at("mode");
      values.push_back(output.tensor);
      call.outputs.push_back(std::move(output));
    }
    if (has_pending_ && !variables_.empty()) {
      call.call = pending_;
      calls_.push_back(std::move(call));
    }
    has_pending_ = false;
    variables_ = std::move(values);
    return OkStatus();
  }

  Status Failure(const Json& step) {
    GoldenCall call;
    BERTH_ASSIGN_OR_RETURN(call.call, MakeCall(step));
    call.error_class = step.at("error").at("class");
    call.error_message = step.at("error").value("message", "");
    calls_.push_back(std::move(call));
    return OkStatus();
  }

  std::string folder_;
  std::string op_;
  std::map<std::string, AttrValue> attrs_;
  std::vector<HostTensor> variables_;  // their values now, where known
  OpCall pending_;                     // an update not yet read
  bool has_pending_ = false;
  int64_t numbers_drawn_ = 0;
};

}  // namespace

Result<std::vector<GoldenCall>> ReadGoldenCase(const std::string& folder) {
  BERTH_ASSIGN_OR_RETURN(const std::string text, ReadFile(folder + "/case.json"));
  const Json json = Json::parse(text);
  if (json.contains("import_error") || !json.contains("attrs")) {
    return Unimplemented("no single op");
  }
  if (json.value("informative", false)) {
    return Unimplemented("an artefact of TensorFlow's");
  }
  Reader reader(folder, json);
  for (const Json& step : json.at("steps")) BERTH_RETURN_IF_ERROR(reader.Step(step));
  if (reader.calls_.empty()) return Unimplemented("no call with known inputs");
  return std::move(reader.calls_);
}

std::vector<std::string> GoldenCaseFolders(const std::string& ops_folder,
                                           const std::string& op) {
  std::vector<std::string> folders;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(ops_folder) / op, error)) {
    if (entry.is_directory()) folders.push_back(entry.path().string());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

}  // namespace berth::conformance
