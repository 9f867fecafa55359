// GraphDef to Graph and back, binary and text.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/graph/graph.h"

namespace berth {

// The GraphDef version that berth reads and writes: TensorFlow 2.21's. See
// docs/FORMATS.md, "Versions".
inline constexpr int kGraphDefVersion = 2474;

struct ImportOptions {
  // Every node's device is merged under it, as inside a scope: the node's own fields win,
  // empty ones are filled.
  std::string device_scope;
  // Put before every node's name, with a '/' between; "" = none.
  std::string prefix;
  // Forget the devices that the graph asks for (device_scope still applies).
  bool clear_devices = false;
  // What stands in for a node of the file: {"x:0", "z:0"} replaces a data input, {"^x",
  // "^z"} a control input; "x" is "x:0". The right side names nodes that `graph` has
  // already. A key that nothing uses is an error.
  std::vector<std::pair<std::string, std::string>> input_map;
  // The producer's ops as serialized OpList (MetaGraphDef's stripped_op_list), or empty.
  // An attribute that this berth does not know is dropped if the producer has it and the
  // node gives it its default value.
  std::string producer_op_list;
};

// Adds the nodes of a serialized GraphDef to `graph`, in any order they come in. An input
// or colocation that the file does not have is looked up in `graph` when there is no
// prefix. On failure the graph is as before. All unknown ops, all missing inputs and all
// doubled names are reported in one error.
//
// DATA_LOSS with the offset: damaged bytes. NOT_FOUND: unknown ops. UNIMPLEMENTED: ops
// that this version has dropped. RESOURCE_EXHAUSTED: 2 GiB and more. INVALID_ARGUMENT:
// everything else that is wrong with the graph. Linear in nodes, inputs and bytes.
Status ImportGraphDef(std::string_view bytes, const ImportOptions& options, Graph* graph);

// The same from the text form. INVALID_ARGUMENT with line and column for bad text.
Status ImportGraphText(std::string_view text, const ImportOptions& options, Graph* graph);

// The binary form of a GraphDef in text form. INVALID_ARGUMENT with line and column.
Result<std::string> GraphTextToBinary(std::string_view text);

// A serialized GraphDef of all nodes, in the order of addition, attributes sorted by
// name. RESOURCE_EXHAUSTED when it would reach 2 GiB.
Result<std::string> ExportGraphDef(const Graph& graph);
// The text form.
Result<std::string> ExportGraphText(const Graph& graph);

}  // namespace berth
