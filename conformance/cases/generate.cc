#include "conformance/cases/generate.h"

#include <cstdio>

#include "conformance/cases/generators.h"
#include "conformance/cases/op_schema.h"

namespace berth::conformance {
namespace {

GeneratorTable MakeTable() {
  GeneratorTable table;
  RegisterElementwiseCases(table);
  RegisterBinaryCases(table);
  RegisterReduceCases(table);
  RegisterMatrixCases(table);
  RegisterImageCases(table);
  RegisterNormCases(table);
  RegisterSoftmaxCases(table);
  RegisterMoveCases(table);
  RegisterJoinCases(table);
  RegisterSliceCases(table);
  RegisterSequenceCases(table);
  RegisterUpdateCases(table);
  return table;
}

// FNV-1a: the seed of a case depends on its name, not on the cases before it.
uint64_t SeedOf(const std::string& name, uint64_t seed) {
  uint64_t hash = 0xcbf29ce484222325ULL ^ seed;
  for (const char c : name) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  return hash;
}

}  // namespace

CaseList::CaseList(std::string op, DType dtype, uint64_t seed)
    : op_(std::move(op)), dtype_(dtype), seed_(seed) {}

OpCase& CaseList::Append(const std::string& label, Maker maker) {
  char number[8];
  std::snprintf(number, sizeof(number), "%03zu", cases_.size());
  std::string name = "op/" + op_ + "/";
  name += DTypeName(dtype_);
  name += "/" + std::string(number) + "-" + label;
  const uint64_t seed = SeedOf(name, seed_);
  const DType index_type = cases_.size() % 2 == 0 ? BERTH_INT32 : BERTH_INT64;
  const auto make = [op = op_, dtype = dtype_, seed, index_type,
                     maker = std::move(maker)] {
    Values values(op, dtype, seed);
    values.set_index_type(index_type);
    return maker(values);
  };
  cases_.push_back({std::move(name), make});
  return cases_.back();
}

std::vector<OpCase> GenerateCases(const std::string& op, DType dtype, uint64_t seed) {
  static const GeneratorTable table = MakeTable();
  const auto found = table.find(op);
  const OpSchema* schema = FindSchema(op);
  if (found == table.end() || schema == nullptr) return {};
  for (const DType known : DTypesOf(*schema)) {
    if (known != dtype) continue;
    CaseList list(op, dtype, seed);
    found->second(list);
    return list.Take();
  }
  return {};
}

std::string Label(const Dims& dims) {
  if (dims.empty()) return "scalar";
  std::string label;
  for (const int64_t dim : dims) {
    label += (label.empty() ? "" : "x") + std::to_string(dim);
  }
  return label;
}

const std::vector<Dims>& CommonShapes() {
  static const std::vector<Dims> shapes = {{},
                                           {0},
                                           {1},
                                           {2},
                                           {7},
                                           {17},
                                           {1, 1},
                                           {3, 5},
                                           {0, 3},
                                           {2, 0},
                                           {31, 33},
                                           {2, 3, 4, 5},
                                           {1, 2, 1, 3, 1},
                                           {257, 19},
                                           {65537}};
  return shapes;
}

}  // namespace berth::conformance
