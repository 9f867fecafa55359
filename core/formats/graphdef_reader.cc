#include "core/formats/graphdef_reader.h"

#include <string>

#include "core/formats/wire.h"

namespace berth::formats {
namespace {

// Field numbers: of GraphDef and of NodeDef.
enum : uint32_t { kNode = 1, kLibrary = 2, kOldVersion = 3, kVersions = 4 };
enum : uint32_t { kName = 1, kOp = 2, kInput = 3, kDevice = 4, kAttr = 5 };

Status At(const char* what, uint64_t offset) {
  return DataLoss(std::string(what) + " at byte " + std::to_string(offset));
}

Status ReadAttr(const WireReader& field, RawGraph* graph) {
  WireReader entry(field.bytes(), field.offset());
  RawGraph::Attr attr;
  while (entry.Next()) {
    if (!entry.is_bytes()) continue;
    if (entry.field() == 1) {
      attr.name = entry.bytes();
    } else if (entry.field() == 2) {
      attr.value = {entry.bytes(), entry.offset()};
    }
  }
  BERTH_RETURN_IF_ERROR(entry.status());
  if (attr.name.empty()) return At("an attribute without a name", field.offset());
  if (!IsValidUtf8(attr.name)) {
    return At("an attribute's name that is not UTF-8", field.offset());
  }
  graph->attrs.push_back(attr);
  return OkStatus();
}

Status CheckNode(const RawNode& node) {
  const std::string where = " at byte " + std::to_string(node.offset);
  if (node.name.empty()) return InvalidArgument("a node without a name" + where);
  if (!IsValidUtf8(node.name) || !IsValidUtf8(node.op) || !IsValidUtf8(node.device)) {
    return DataLoss("a node's name, op or device that is not UTF-8" + where);
  }
  if (node.op.empty()) {
    return InvalidArgument("node '" + std::string(node.name) + "' has no op" + where);
  }
  return OkStatus();
}

Status ReadNode(const WireReader& field, RawGraph* graph) {
  RawNode node;
  node.offset = field.offset();
  node.inputs_begin = static_cast<uint32_t>(graph->inputs.size());
  node.attrs_begin = static_cast<uint32_t>(graph->attrs.size());
  WireReader reader(field.bytes(), field.offset());
  while (reader.Next()) {
    if (!reader.is_bytes()) continue;
    switch (reader.field()) {
      case kName:
        node.name = reader.bytes();
        break;
      case kOp:
        node.op = reader.bytes();
        break;
      case kInput:
        if (reader.bytes().empty()) return At("an empty input", reader.offset());
        graph->inputs.push_back(reader.bytes());
        break;
      case kDevice:
        node.device = reader.bytes();
        break;
      case kAttr:
        BERTH_RETURN_IF_ERROR(ReadAttr(reader, graph));
        break;
      default:
        break;
    }
  }
  BERTH_RETURN_IF_ERROR(reader.status());
  BERTH_RETURN_IF_ERROR(CheckNode(node));
  node.inputs_end = static_cast<uint32_t>(graph->inputs.size());
  node.attrs_end = static_cast<uint32_t>(graph->attrs.size());
  graph->nodes.push_back(node);
  return OkStatus();
}

Status ReadVersions(const WireReader& field, RawGraph* graph) {
  WireReader reader(field.bytes(), field.offset());
  while (reader.Next()) {
    if (reader.field() == 3 && reader.is_bytes()) {
      PackedVarints packed(reader.bytes());
      uint64_t value = 0;
      while (packed.Next(&value)) {
        graph->bad_consumers.push_back(static_cast<int32_t>(value));
      }
      if (!packed.ok()) return At("a cut list of versions", reader.offset());
    }
    if (!reader.is_varint()) continue;
    const auto value = static_cast<int32_t>(reader.value());
    if (reader.field() == 1) graph->producer = value;
    if (reader.field() == 2) graph->min_consumer = value;
    if (reader.field() == 3) graph->bad_consumers.push_back(value);
  }
  return reader.status();
}

}  // namespace

Result<RawGraph> ReadGraphDef(std::string_view bytes) {
  if (bytes.size() >= kMaxMessageBytes) {
    return ResourceExhausted("the graph has " + std::to_string(bytes.size()) +
                             " bytes; a GraphDef must stay below 2 GiB: keep large "
                             "constants in a checkpoint");
  }
  RawGraph graph;
  // Typical nodes have 50 bytes and more; growing from here costs little.
  graph.nodes.reserve(bytes.size() / 128 + 1);
  WireReader reader(bytes);
  while (reader.Next()) {
    if (reader.field() == kOldVersion && reader.is_varint() && graph.producer == 0) {
      graph.producer = static_cast<int32_t>(reader.value());
    }
    if (!reader.is_bytes()) continue;
    if (reader.field() == kNode) {
      BERTH_RETURN_IF_ERROR(ReadNode(reader, &graph));
    } else if (reader.field() == kLibrary) {
      graph.library.push_back(reader.bytes());
    } else if (reader.field() == kVersions) {
      BERTH_RETURN_IF_ERROR(ReadVersions(reader, &graph));
    }
  }
  if (!reader.ok()) return reader.status().WithPrefix("not a GraphDef: ");
  return graph;
}

}  // namespace berth::formats
