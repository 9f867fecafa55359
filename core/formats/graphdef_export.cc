#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include "berth/proto/graph.pb.h"
#include "core/formats/attr_wire.h"
#include "core/formats/graphdef.h"
#include "core/formats/tensor_proto.h"
#include "core/formats/wire.h"

namespace berth {
namespace {

using formats::AppendBytesField;
using formats::AppendVarintField;

std::string InputName(const OutputRef& ref) {
  if (ref.index == 0) return ref.node->name();
  return ref.node->name() + ":" + std::to_string(ref.index);
}

std::string EncodeNode(const Node& node) {
  std::string out;
  AppendBytesField(1, node.name(), &out);
  AppendBytesField(2, node.op(), &out);
  for (const OutputRef& input : node.inputs()) {
    // A Merge whose back edge has not come yet has an input without a node.
    if (input.node != nullptr) AppendBytesField(3, InputName(input), &out);
  }
  for (const Node* input : node.control_inputs()) {
    AppendBytesField(3, "^" + input->name(), &out);
  }
  if (!node.requested_device().empty()) {
    AppendBytesField(4, node.requested_device(), &out);
  }
  for (const auto& [name, value] : node.attrs()) {
    std::string encoded;
    formats::AppendAttrValue(value, &encoded);
    std::string entry;
    AppendBytesField(1, name, &entry);
    AppendBytesField(2, encoded, &entry);
    AppendBytesField(5, entry, &out);
  }
  return out;
}

// Keeps the first thing that the parser of text complains about.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (!text_.empty()) return;
    text_ = "line " + std::to_string(line + 1) + ", column " +
            std::to_string(column + 1) + ": " + message;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

Result<std::string> ExportGraphDef(const Graph& graph) {
  std::string out;
  for (int id = 0; id < graph.num_nodes(); ++id) {
    AppendBytesField(1, EncodeNode(*graph.node(id)), &out);
    if (out.size() >= formats::kMaxMessageBytes) {
      return ResourceExhausted(
          "the graph exceeds the 2 GiB that a GraphDef can have at "
          "node '" +
          graph.node(id)->name() + "': keep large constants in a checkpoint");
    }
  }
  if (!graph.function_library().empty()) {
    AppendBytesField(2, graph.function_library(), &out);
  }
  std::string versions;
  if (graph.producer_version() != 0) {
    AppendVarintField(1, static_cast<uint64_t>(graph.producer_version()), &versions);
  }
  if (graph.min_consumer_version() != 0) {
    AppendVarintField(2, static_cast<uint64_t>(graph.min_consumer_version()), &versions);
  }
  if (!versions.empty()) AppendBytesField(4, versions, &out);
  return out;
}

Result<std::string> ExportGraphText(const Graph& graph) {
  BERTH_ASSIGN_OR_RETURN(const std::string binary, ExportGraphDef(graph));
  tf::GraphDef def;
  std::string text;
  if (!def.ParseFromString(binary) ||
      !google::protobuf::TextFormat::PrintToString(def, &text)) {
    return Internal("the graph has no text form");
  }
  return text;
}

Result<std::string> GraphTextToBinary(std::string_view text) {
  if (text.size() >= formats::kMaxMessageBytes) {
    return ResourceExhausted("a graph's text must stay below 2 GiB");
  }
  tf::GraphDef def;
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  google::protobuf::io::ArrayInputStream input(text.data(),
                                               static_cast<int>(text.size()));
  if (!parser.Parse(&input, &def)) {
    return InvalidArgument("not a GraphDef in text form: " + error.text());
  }
  return def.SerializeAsString();
}

Status ImportGraphText(std::string_view text, const ImportOptions& options,
                       Graph* graph) {
  BERTH_ASSIGN_OR_RETURN(const std::string binary, GraphTextToBinary(text));
  return ImportGraphDef(binary, options, graph);
}

}  // namespace berth
