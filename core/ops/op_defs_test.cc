// Compares every built-in op with TensorFlow's own definition of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/ops/op_schema.h"

namespace berth {
namespace {

using Json = nlohmann::json;

// testdata/op_defs.json: TensorFlow 2.21's OpDefs, one a line; dtypes by name.
Json LoadOpDefs() {
  std::ifstream file("testdata/op_defs.json");
  return Json::parse(file, nullptr, false);
}

DType TypeOf(const Json& name) {
  return ParseDType(name.get<std::string>()).value_or(-1);
}

void ExpectArgs(const std::vector<ArgSchema>& args, const Json& expected) {
  ASSERT_EQ(args.size(), expected.size());
  for (size_t i = 0; i < args.size(); ++i) {
    const Json& arg = expected[i];
    SCOPED_TRACE("argument " + arg["name"].get<std::string>());
    EXPECT_EQ(args[i].name, arg["name"]);
    EXPECT_EQ(args[i].type_attr, arg.value("type_attr", ""));
    EXPECT_EQ(args[i].number_attr, arg.value("number_attr", ""));
    EXPECT_EQ(args[i].type_list_attr, arg.value("type_list_attr", ""));
    EXPECT_EQ(args[i].is_ref, arg.value("is_ref", false));
    EXPECT_EQ(args[i].dtype,
              arg.contains("dtype") ? TypeOf(arg["dtype"]) : BERTH_INVALID_DTYPE);
  }
}

AttrValue ListOf(const std::string& kind, const Json& value) {
  ListAttr list;
  for (const Json& item : value) {
    if (kind == "list(int)") list.i.push_back(item.get<int64_t>());
    if (kind == "list(float)") list.f.push_back(item.get<float>());
    if (kind == "list(string)") list.s.push_back(item.get<std::string>());
    if (kind == "list(type)") list.type.push_back(TypeOf(item));
  }
  EXPECT_EQ(list.size(), value.size()) << "a default of kind " << kind;
  return AttrValue::OfList(std::move(list));
}

AttrValue ValueOf(const std::string& kind, const Json& value) {
  if (kind == "string") return AttrValue::String(value.get<std::string>());
  if (kind == "int") return AttrValue::Int(value.get<int64_t>());
  if (kind == "float") return AttrValue::Float(value.get<float>());
  if (kind == "bool") return AttrValue::Bool(value.get<bool>());
  if (kind == "type") return AttrValue::Type(TypeOf(value));
  if (kind == "shape") {
    return AttrValue::OfShape(value.is_null() ? Shape::UnknownRank()
                                              : Shape(value.get<std::vector<int64_t>>()));
  }
  if (kind == "tensor") {
    EXPECT_EQ(value["dtype"], "uint8");
    Tensor tensor =
        *Tensor::Allocate(BERTH_UINT8, Shape(value["shape"].get<std::vector<int64_t>>()));
    const auto bytes = value["values"].get<std::vector<uint8_t>>();
    std::copy(bytes.begin(), bytes.end(), tensor.mutable_data<uint8_t>());
    return AttrValue::OfTensor(std::move(tensor));
  }
  return ListOf(kind, value);
}

void ExpectAttrs(const std::vector<AttrSchema>& attrs, const Json& expected) {
  ASSERT_EQ(attrs.size(), expected.size());
  for (size_t i = 0; i < attrs.size(); ++i) {
    const Json& attr = expected[i];
    SCOPED_TRACE("attribute " + attr["name"].get<std::string>());
    EXPECT_EQ(attrs[i].name, attr["name"]);
    EXPECT_EQ(attrs[i].type, attr["type"]);
    EXPECT_EQ(attrs[i].minimum.value_or(-99), attr.value("min", int64_t{-99}));
    std::set<std::string> allowed(attrs[i].allowed_strings.begin(),
                                  attrs[i].allowed_strings.end());
    for (const DType type : attrs[i].allowed_types) allowed.emplace(DTypeName(type));
    EXPECT_EQ(allowed, attr.value("allowed", std::set<std::string>()));
    ASSERT_EQ(attrs[i].default_value.has_value(), attr.contains("default"));
    if (attr.contains("default")) {
      const AttrValue value = ValueOf(attrs[i].type, attr["default"]);
      EXPECT_TRUE(attrs[i].default_value->Equals(value))
          << attrs[i].default_value->ToString() << " instead of " << value.ToString();
    }
  }
}

TEST(OpDefsTest, EveryOpIsAsTensorFlowDefinesIt) {
  const Json defs = LoadOpDefs();
  ASSERT_TRUE(defs.is_array()) << "testdata/op_defs.json cannot be read";
  ASSERT_GE(defs.size(), 525U);
  for (const Json& def : defs) {
    const auto name = def["name"].get<std::string>();
    SCOPED_TRACE("op " + name);
    const OpSchema* op = OpRegistry::Global()->Find(name);
    ASSERT_NE(op, nullptr);
    ExpectArgs(op->inputs, def["inputs"]);
    ExpectArgs(op->outputs, def["outputs"]);
    ExpectAttrs(op->attrs, def["attrs"]);
    EXPECT_EQ(op->is_stateful, def.value("is_stateful", false));
    EXPECT_EQ(op->is_commutative, def.value("is_commutative", false));
    EXPECT_EQ(op->is_aggregate, def.value("is_aggregate", false));
    EXPECT_EQ(op->allows_uninitialized_input,
              def.value("allows_uninitialized_input", false));
    EXPECT_EQ(op->deprecated_since, def.value("deprecated_since", 0));
    EXPECT_EQ(op->deprecation, def.value("deprecation", ""));
  }
}

TEST(OpDefsTest, NoBuiltInOpIsWithoutADefinitionToCompare) {
  const Json defs = LoadOpDefs();
  std::set<std::string> known;
  for (const Json& def : defs) known.insert(def["name"].get<std::string>());
  for (const OpSchema* op : OpRegistry::Global()->List()) {
    EXPECT_TRUE(known.contains(op->name)) << op->name;
  }
}

}  // namespace
}  // namespace berth
