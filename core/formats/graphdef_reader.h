// The first look at a GraphDef: which nodes there are and where their parts lie in the
// bytes. Nothing is copied and nothing is looked up yet.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/status.h"

namespace berth::formats {

// A piece of the file.
struct Span {
  std::string_view bytes;
  uint64_t offset = 0;
};

// One NodeDef. The inputs and attributes are ranges of the graph's lists.
struct RawNode {
  std::string_view name;
  std::string_view op;
  std::string_view device;
  uint64_t offset = 0;
  uint32_t inputs_begin = 0;
  uint32_t inputs_end = 0;
  uint32_t attrs_begin = 0;
  uint32_t attrs_end = 0;
};

// All views point into the bytes that were read.
struct RawGraph {
  struct Attr {
    std::string_view name;
    Span value;  // a serialized AttrValue
  };
  std::vector<RawNode> nodes;
  std::vector<std::string_view> inputs;
  std::vector<Attr> attrs;
  std::vector<std::string_view> library;  // pieces of a FunctionDefLibrary
  int32_t producer = 0;
  int32_t min_consumer = 0;
  std::vector<int32_t> bad_consumers;
};

// DATA_LOSS with the offset for bytes that are no GraphDef, INVALID_ARGUMENT for nodes
// without a name or an op, RESOURCE_EXHAUSTED above 2 GiB. Linear in the bytes.
Result<RawGraph> ReadGraphDef(std::string_view bytes);

}  // namespace berth::formats
