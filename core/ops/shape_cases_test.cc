// Runs every shape function on TensorFlow's recorded cases: testdata/shape_cases.json,
// which tools/golden_shapes writes and describes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/ops/inference_context.h"
#include "core/ops/op_schema.h"

namespace berth {
namespace {

using Json = nlohmann::json;

// Fewer than these would mean that cases or shape functions got lost.
constexpr int kStaticCases = 2869;
constexpr int kRunCases = 2869;
constexpr int kDefinedOutputs = 2767;
constexpr int kGraphErrors = 65;
constexpr int kRefusedIntegers = 4170;

// Ops with an output whose shape depends on the data (strings, files, floating point
// numbers, large integer inputs), not on shapes and small integer inputs.
const std::set<std::string> kDataDependent = {"DecodeAndCropJpeg",
                                              "DecodeBmp",
                                              "DecodeImage",
                                              "DecodeJpeg",
                                              "DecodePng",
                                              "DecodeRaw",
                                              "ListDiff",
                                              "DynamicPartition",
                                              "MatchingFiles",
                                              "ParseExample",
                                              "StringSplit",
                                              "NonMaxSuppression",
                                              "NonMaxSuppressionV2",
                                              "ParseSingleExample",
                                              "StringSplitV2",
                                              "NonMaxSuppressionV3",
                                              "Unique",
                                              "Where"};

Shape ToShape(const Json& json) {
  if (json.is_null()) return Shape::UnknownRank();
  return Shape(json.get<std::vector<int64_t>>());
}

DType ToType(const Json& json) {
  return ParseDType(json.get<std::string>()).value_or(BERTH_INVALID_DTYPE);
}

ListAttr ToList(const std::string& kind, const Json& json) {
  ListAttr list;
  for (const Json& item : json) {
    if (kind == "list(string)") list.s.push_back(item.get<std::string>());
    if (kind == "list(int)") list.i.push_back(item.get<int64_t>());
    if (kind == "list(float)") list.f.push_back(item.get<float>());
    if (kind == "list(bool)") list.b.push_back(item.get<bool>());
    if (kind == "list(type)") list.type.push_back(ToType(item));
    if (kind == "list(shape)") list.shape.push_back(ToShape(item));
  }
  return list;
}

AttrValue ToAttr(const Json& json) {
  const std::string& kind = json.begin().key();
  const Json& value = json.begin().value();
  if (kind == "string") return AttrValue::String(value.get<std::string>());
  if (kind == "int") return AttrValue::Int(value.get<int64_t>());
  if (kind == "float") return AttrValue::Float(value.get<float>());
  if (kind == "bool") return AttrValue::Bool(value.get<bool>());
  if (kind == "type") return AttrValue::Type(ToType(value));
  if (kind == "shape") return AttrValue::OfShape(ToShape(value));
  if (kind == "tensor") {
    return AttrValue::OfTensor(
        Tensor(ToType(value[0]), ToShape(value[1]), AllocateHostBuffer(0)));
  }
  return AttrValue::OfList(ToList(kind, value));
}

template <typename T>
void Fill(const Json& values, Tensor* tensor) {
  for (size_t i = 0; i < values.size(); ++i) {
    tensor->mutable_data<T>()[i] = values[i].get<T>();
  }
}

// The recorded value of an input; no tensor when there is none.
Tensor ToValue(const Json& input) {
  if (!input.contains("value")) return {};
  const std::string dtype = input["dtype"];
  const Json& values = input["value"];
  Tensor tensor = *Tensor::Allocate(*ParseDType(dtype), ToShape(input["shape"]));
  if (dtype == "int32") Fill<int32_t>(values, &tensor);
  if (dtype == "int64") Fill<int64_t>(values, &tensor);
  if (dtype == "float16" || dtype == "bfloat16") Fill<uint16_t>(values, &tensor);
  if (dtype == "float32") Fill<float>(values, &tensor);
  if (dtype == "float64") Fill<double>(values, &tensor);
  return tensor;
}

class ShapeCase {
 public:
  explicit ShapeCase(const Json& json) : json_(json) {
    schema_ = OpRegistry::Global()->Find(json["op"].get<std::string>());
    for (const auto& [name, value] : json["attrs"].items()) {
      attrs_.Set(name, ToAttr(value));
    }
    for (const Json& input : json["inputs"]) values_.push_back(ToValue(input));
  }

  const OpSchema& schema() const { return *schema_; }
  std::string name() const { return json_["case"].get<std::string>(); }
  bool has_shape_fn() const { return schema_->shape_fn != nullptr; }
  bool has_graph_error() const { return json_.contains("graph_error"); }
  bool has_run_error() const { return json_.contains("error"); }
  const Json& outputs() const { return json_["outputs"]; }
  std::string expected_error() const { return json_["graph_error"].get<std::string>(); }

  // Shapes as the graph knows them, and the values of constants alone.
  Status InferStatic(std::vector<Shape>* out) {
    return Infer("static", false, false, out);
  }
  // Shapes and values as in the run.
  Status InferRun(std::vector<Shape>* out) { return Infer("shape", true, true, out); }
  // The same with another value in one element of an integer input.
  Status InferRunWith(size_t input, int64_t element, int64_t value,
                      std::vector<Shape>* out) {
    const Tensor recorded = values_[input];
    Tensor& changed = values_[input] =
        *Tensor::Allocate(recorded.dtype(), recorded.shape());
    std::memcpy(changed.raw(), recorded.raw(), recorded.byte_size());
    if (recorded.dtype() == BERTH_INT32) {
      changed.mutable_data<int32_t>()[element] = static_cast<int32_t>(value);
    } else {
      changed.mutable_data<int64_t>()[element] = value;
    }
    const Status status = InferRun(out);
    values_[input] = recorded;
    return status;
  }
  // How many elements of input `i` are integers with a recorded value.
  int64_t NumIntegers(size_t i) const {
    const Tensor& value = values_[i];
    const bool is_int = value.dtype() == BERTH_INT32 || value.dtype() == BERTH_INT64;
    return is_int ? value.num_elements() : 0;
  }
  size_t num_inputs() const { return values_.size(); }
  // The shapes of the run at graph construction.
  Status InferConstruction(std::vector<Shape>* out) {
    return Infer("shape", false, false, out);
  }

 private:
  Status Infer(const char* shapes, bool all_values, bool at_run_time,
               std::vector<Shape>* out) {
    BERTH_RETURN_IF_ERROR(CompleteAttrs(*schema_, &attrs_));
    std::vector<Shape> inputs;
    std::vector<const Tensor*> values;
    for (size_t i = 0; i < values_.size(); ++i) {
      const Json& input = json_["inputs"][i];
      inputs.push_back(ToShape(input[shapes]));
      const bool use = values_[i].is_valid() && (all_values || input.contains("const"));
      values.push_back(use ? &values_[i] : nullptr);
    }
    std::vector<DType> types;
    BERTH_RETURN_IF_ERROR(ResolveArgTypes(schema_->outputs, attrs_, &types));
    InferenceContext c({.schema = schema_,
                        .attrs = &attrs_,
                        .node_name = "op",
                        .input_shapes = inputs,
                        .input_values = values,
                        .num_outputs = static_cast<int>(types.size()),
                        .input_elements = {},
                        .input_handles = {},
                        .at_run_time = at_run_time});
    const Status status = schema_->shape_fn(c);
    *out = c.outputs();
    return status;
  }

  const Json& json_;
  const OpSchema* schema_;
  AttrMap attrs_;
  std::vector<Tensor> values_;
};

// Everything that TensorFlow knows, we know.
bool IsAtLeastAsDefined(const Shape& ours, const Shape& theirs) {
  if (!ours.IsCompatibleWith(theirs)) return false;
  if (!theirs.has_rank()) return true;
  if (!ours.has_rank()) return false;
  for (int i = 0; i < ours.rank(); ++i) {
    if (theirs.dim(i) >= 0 && ours.dim(i) < 0) return false;
  }
  return true;
}

class ShapeCasesTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    std::ifstream file("testdata/shape_cases.json");
    cases_ = new Json(Json::parse(file, nullptr, false));
  }
  static void TearDownTestSuite() { delete cases_; }
  void SetUp() override {
    ASSERT_TRUE(cases_->is_array()) << "testdata/shape_cases.json cannot be read";
  }

  static Json* cases_;
};
Json* ShapeCasesTest::cases_ = nullptr;

TEST_F(ShapeCasesTest, StaticShapesAreAtLeastAsDefinedAsTensorFlows) {
  int count = 0;
  for (const Json& json : *cases_) {
    ShapeCase test(json);
    if (!test.has_shape_fn()) continue;
    SCOPED_TRACE(test.name());
    std::vector<Shape> shapes;
    const Status status = test.InferStatic(&shapes);
    ++count;
    // A run may fail with what is known already: constants.
    if (!status.ok() && test.has_run_error()) continue;
    EXPECT_TRUE(status.ok()) << status.ToString();
    for (const auto& [index, output] : test.outputs().items()) {
      if (!status.ok() || !output.contains("static")) continue;
      // With an unknown axis, TensorFlow adds a negative batch_dims to the rank.
      if (test.name() == "GatherV2/f32_batch_neg") continue;
      const Shape theirs = ToShape(output["static"]);
      const Shape& ours = shapes[std::stoi(index)];
      EXPECT_TRUE(IsAtLeastAsDefined(ours, theirs))
          << "output " << index << ": " << ours.ToString() << " instead of "
          << theirs.ToString();
    }
  }
  std::printf("%d cases\n", count);
  EXPECT_GE(count, kStaticCases);
}

TEST_F(ShapeCasesTest, ShapesOfARunAreThoseThatTensorFlowComputed) {
  int count = 0;
  int defined = 0;
  for (const Json& json : *cases_) {
    ShapeCase test(json);
    if (!test.has_shape_fn()) continue;
    SCOPED_TRACE(test.name());
    std::vector<Shape> shapes;
    const Status status = test.InferRun(&shapes);
    ++count;
    if (test.has_run_error()) {
      if (!status.ok()) {
        EXPECT_THAT(status.code(),
                    ::testing::AnyOf(Code::kInvalidArgument, Code::kUnimplemented));
      }
      continue;
    }
    EXPECT_TRUE(status.ok()) << status.ToString();
    if (!status.ok()) continue;
    for (const auto& [index, output] : test.outputs().items()) {
      const Shape theirs = ToShape(output["shape"]);
      const Shape& ours = shapes[std::stoi(index)];
      EXPECT_TRUE(ours.IsCompatibleWith(theirs))
          << "output " << index << ": " << ours.ToString() << " instead of "
          << theirs.ToString();
      defined += ours.IsFullyDefined() ? 1 : 0;
      EXPECT_TRUE(ours.IsFullyDefined() || kDataDependent.contains(test.schema().name))
          << "output " << index << ": " << ours.ToString();
    }
  }
  std::printf("%d cases, %d fully defined outputs\n", count, defined);
  EXPECT_GE(count, kRunCases);
  EXPECT_GE(defined, kDefinedOutputs);
}

// What a run is given is all that there will be: a shape function says the shape or
// refuses the value, and leaves nothing open.
TEST_F(ShapeCasesTest, NegativeIntegersOfARunGiveAShapeOrInvalidArgument) {
  int refused = 0;
  for (const Json& json : *cases_) {
    ShapeCase test(json);
    if (!test.has_shape_fn() || test.has_run_error()) continue;
    if (kDataDependent.contains(test.schema().name)) continue;
    for (size_t i = 0; i < test.num_inputs(); ++i) {
      const int64_t count = std::min<int64_t>(test.NumIntegers(i), 8);
      for (int64_t element = 0; element < count; ++element) {
        for (const int64_t value : {-1, -2, std::numeric_limits<int32_t>::min()}) {
          SCOPED_TRACE(test.name() + " input " + std::to_string(i) + " element " +
                       std::to_string(element) + " = " + std::to_string(value));
          std::vector<Shape> shapes;
          const Status status = test.InferRunWith(i, element, value, &shapes);
          if (!status.ok()) {
            EXPECT_EQ(status.code(), Code::kInvalidArgument) << status.ToString();
            ++refused;
            continue;
          }
          for (const Shape& shape : shapes) {
            EXPECT_TRUE(shape.IsFullyDefined()) << shape.ToString();
          }
        }
      }
    }
  }
  std::printf("%d values refused\n", refused);
  EXPECT_GE(refused, kRefusedIntegers);
}

TEST_F(ShapeCasesTest, ShapesThatDoNotFitAreRefusedWhenTheGraphIsBuilt) {
  int count = 0;
  for (const Json& json : *cases_) {
    ShapeCase test(json);
    if (!test.has_shape_fn() || !test.has_graph_error()) continue;
    SCOPED_TRACE(test.name() + ": " + test.expected_error());
    std::vector<Shape> shapes;
    const Status status = test.InferConstruction(&shapes);
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << status.ToString();
    EXPECT_THAT(std::string(status.message()),
                ::testing::HasSubstr("(op: '" + test.schema().name + "')"));
    ++count;
  }
  std::printf("%d cases\n", count);
  EXPECT_GE(count, kGraphErrors);
}

}  // namespace
}  // namespace berth
