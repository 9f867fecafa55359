#include "plugins/opencl/testing/golden_case.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace berth::opencl::testing {
namespace {

using Json = nlohmann::json;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

int32_t DtypeOfName(const std::string& name) {
  static const std::map<std::string, int32_t> names = {
      {"float32", BERTH_FLOAT}, {"float64", BERTH_DOUBLE}, {"int32", BERTH_INT32},
      {"int64", BERTH_INT64},   {"bool", BERTH_BOOL},      {"uint8", BERTH_UINT8},
      {"float16", BERTH_HALF},  {"int8", BERTH_INT8},      {"int16", BERTH_INT16}};
  const auto found = names.find(name);
  return found == names.end() ? BERTH_INVALID_DTYPE : found->second;
}

int32_t DtypeOfEnum(const std::string& name) {
  static const std::map<std::string, int32_t> names = {
      {"DT_FLOAT", BERTH_FLOAT}, {"DT_DOUBLE", BERTH_DOUBLE}, {"DT_INT32", BERTH_INT32},
      {"DT_INT64", BERTH_INT64}, {"DT_BOOL", BERTH_BOOL},     {"DT_UINT8", BERTH_UINT8},
      {"DT_HALF", BERTH_HALF},   {"DT_INT8", BERTH_INT8},     {"DT_INT16", BERTH_INT16}};
  const auto found = names.find(name);
  return found == names.end() ? BERTH_INVALID_DTYPE : found->second;
}

// The data behind the header of a .npy file.
bool ReadNpy(const std::string& path, const Json& entry, HostTensor* out) {
  out->dtype = DtypeOfName(entry.at("dtype"));
  if (out->dtype == BERTH_INVALID_DTYPE) return false;
  out->dims = entry.at("shape").get<std::vector<int64_t>>();
  const std::string file = ReadFile(path);
  if (file.size() < 10) return false;
  uint16_t header = 0;
  std::memcpy(&header, file.data() + 8, sizeof(header));
  out->bytes.assign(file.begin() + 10 + header, file.end());
  return out->bytes.size() ==
         static_cast<size_t>(out->num_elements()) * sdk::DtypeSize(out->dtype);
}

// An attribute in protobuf's text form: `type: DT_FLOAT`, `list { i: 1 i: 2 }`, `b:
// true`.
bool ParseAttr(const std::string& text, AttrValue* out) {
  std::istringstream words(text);
  std::string kind;
  words >> kind;
  std::string word;
  if (kind == "list") {
    std::vector<int64_t> ints;
    while (words >> word) {
      if (word == "i:" && words >> word) ints.push_back(std::stoll(word));
      if (word == "s:" || word == "f:") return false;
    }
    *out = ints;
    return true;
  }
  words >> word;
  if (kind == "type:") {
    *out = TypeAttr{DtypeOfEnum(word)};
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

// The OpDef's names of arguments that live in host memory, by position (-1 = the last).
const char* HostArgument(const std::string& op, int index, int count) {
  struct Entry {
    const char* op;
    int index;
    const char* name;
  };
  static constexpr Entry kEntries[] = {{"Transpose", 1, "perm"},
                                       {"ConcatV2", -1, "axis"},
                                       {"Pad", 1, "paddings"},
                                       {"PadV2", 1, "paddings"},
                                       {"Tile", 1, "multiples"},
                                       {"Fill", 0, "dims"},
                                       {"BroadcastTo", 1, "shape"},
                                       {"Slice", 1, "begin"},
                                       {"Slice", 2, "size"},
                                       {"Sum", 1, "reduction_indices"},
                                       {"Mean", 1, "reduction_indices"},
                                       {"Max", 1, "reduction_indices"},
                                       {"Min", 1, "reduction_indices"},
                                       {"Prod", 1, "reduction_indices"},
                                       {"ArgMax", 1, "dimension"},
                                       {"ArgMin", 1, "dimension"},
                                       {"AvgPoolGrad", 0, "orig_input_shape"},
                                       {"Conv2DBackpropInput", 0, "input_sizes"},
                                       {"Conv2DBackpropFilter", 1, "filter_sizes"}};
  for (const Entry& entry : kEntries) {
    const int position = entry.index < 0 ? count + entry.index : entry.index;
    if (op == entry.op && position == index) return entry.name;
  }
  return "";
}

template <typename T>
std::string CompareValues(const GoldenOutput& golden, const HostTensor& got) {
  const std::vector<T> want_values = golden.expected.Values<T>();
  const std::vector<T> got_values = got.Values<T>();
  for (size_t i = 0; i < want_values.size(); ++i) {
    const double w = static_cast<double>(want_values[i]);
    const double g = static_cast<double>(got_values[i]);
    if (std::isnan(w) && std::isnan(g)) continue;
    bool same = g == w && std::signbit(g) == std::signbit(w);
    if (golden.mode == "close") {
      same = g == w || std::abs(g - w) <= golden.atol + golden.rtol * std::abs(w);
    }
    if (!same) {
      std::ostringstream text;
      text.precision(9);
      text << "element " << i << " of " << want_values.size() << ": " << g
           << ", TensorFlow has " << w;
      return text.str();
    }
  }
  return {};
}

}  // namespace

bool ReadGoldenCase(const std::string& folder, GoldenCase* out, std::string* why) {
  const Json json = Json::parse(ReadFile(folder + "/case.json"));
  const Json& steps = json.at("steps");
  if (steps.size() != 1 || json.contains("import_error") ||
      json.contains("graph_error") || json.value("informative", false) ||
      !json.contains("attrs")) {
    *why = "not one plain step";
    return false;
  }
  const Json& step = steps[0];
  OpCall& call = out->call;
  call.op = json.at("op");
  call.name = "op";
  for (const auto& [name, text] : json.at("attrs").items()) {
    AttrValue value;
    if (name[0] != '_' && ParseAttr(text, &value)) call.attrs[name] = value;
  }
  const int count = static_cast<int>(step.at("feeds").size());
  for (int i = 0; i < count; ++i) {
    const Json& feed = step.at("feeds")[static_cast<size_t>(i)];
    HostTensor tensor;
    const std::string name = feed.at("tensor");
    if (name.rfind("in_", 0) != 0 ||
        !ReadNpy(folder + "/" + feed.at("file").get<std::string>(), feed, &tensor)) {
      *why = "feed " + name;
      return false;
    }
    call.inputs.push_back(tensor);
    call.arg_names.emplace_back(HostArgument(call.op, i, count));
  }
  if (step.contains("error")) {
    out->error_class = step.at("error").at("class");
    out->error_message = step.at("error").value("message", "");
  }
  call.output_dtypes.clear();
  for (const Json& fetch : step.at("fetches")) {
    GoldenOutput output;
    const std::string name = fetch.at("tensor");
    const std::string expected = "op:" + std::to_string(out->outputs.size());
    if (!fetch.contains("file")) {
      // A step that fails records no values; the kernel still needs its outputs.
      call.output_dtypes.push_back(BERTH_FLOAT);
      continue;
    }
    if (name != expected || !ReadNpy(folder + "/" + fetch.at("file").get<std::string>(),
                                     fetch, &output.expected)) {
      *why = "fetch " + name;
      return false;
    }
    const Json& compare = fetch.at("compare");
    output.mode = compare.at("mode");
    output.rtol = compare.value("rtol", 0.0);
    output.atol = compare.value("atol", 0.0);
    call.output_dtypes.push_back(output.expected.dtype);
    call.output_dims.push_back(output.expected.dims);
    out->outputs.push_back(output);
  }
  return true;
}

std::string CompareGolden(const GoldenOutput& golden, const HostTensor& got) {
  if (golden.mode == "ignore") return {};
  if (got.dims != golden.expected.dims || got.dtype != golden.expected.dtype) {
    return "shape or dtype differs";
  }
  switch (got.dtype) {
    case BERTH_FLOAT:
      return CompareValues<float>(golden, got);
    case BERTH_DOUBLE:
      return CompareValues<double>(golden, got);
    case BERTH_INT32:
      return CompareValues<int32_t>(golden, got);
    case BERTH_INT64:
      return CompareValues<int64_t>(golden, got);
    default:
      return got.bytes == golden.expected.bytes ? "" : "bytes differ";
  }
}

}  // namespace berth::opencl::testing
