// A plugin that links libprotobuf and carries messages generated from its own
// tensorflow/core/framework/graph.proto. Its version is what it read back.
#include "conformance/bad_plugins/layer_plugin.h"
#include "tensorflow/core/framework/graph.pb.h"

namespace {

std::unique_ptr<berth::sdk::Plugin> Make(berth::sdk::Host) {
  tensorflow::GraphDef graph;
  graph.add_node()->set_name("its own");
  tensorflow::GraphDef back;
  back.ParseFromString(graph.SerializeAsString());
  static const std::string version = back.node(0).name();
  return std::make_unique<layer_plugin::Plugin>("own_protobuf", version.c_str(), "PROTO");
}

}  // namespace

BERTH_PLUGIN(&Make)
