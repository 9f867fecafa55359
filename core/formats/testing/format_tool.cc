// format-tool: berth's readers and writers as commands, for the tests that compare berth
// with TensorFlow (conformance/interop). Not installed.
//
//   graph IN.pb OUT.pb OUT.pbtxt           import and export
//   graph-text IN.pbtxt OUT.pb             import the text form and export
//   config IN.pb                           prints the decoded settings as JSON
//   run-metadata OUT.pb                    a small made-up trace
//   checkpoint-copy PREFIX OUT-PREFIX      reads every tensor and writes it again
//   checkpoint-split PREFIX OUT-PREFIX     the same as two bundles that are merged
//   checkpoint-dump PREFIX FOLDER          each tensor as N.npy or N.tensorproto; prints
//                                          a JSON list of the names
//   latest FOLDER                          prints the prefix of the latest checkpoint
//   save-state FOLDER PREFIX…              writes the state file, the last prefix latest

#include <cstdio>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/formats/checkpoint/bundle_reader.h"
#include "core/formats/checkpoint/bundle_writer.h"
#include "core/formats/checkpoint/checkpoint_state.h"
#include "core/formats/file.h"
#include "core/formats/graphdef.h"
#include "core/formats/npy.h"
#include "core/formats/tensor_proto.h"
#include "core/ops/op_schema.h"
#include "core/session/options.h"
#include "core/session/run_wire.h"

namespace berth::formats {
namespace {

using Arguments = std::vector<std::string>;
using nlohmann::json;

Status Export(const Graph& graph, const std::string& binary, const std::string& text) {
  BERTH_ASSIGN_OR_RETURN(const std::string bytes, ExportGraphDef(graph));
  BERTH_RETURN_IF_ERROR(WriteFile(binary, bytes));
  if (text.empty()) return OkStatus();
  BERTH_ASSIGN_OR_RETURN(const std::string readable, ExportGraphText(graph));
  return WriteFile(text, readable);
}

Status GraphRoundTrip(const Arguments& args) {
  BERTH_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(args[0]));
  Graph graph(OpRegistry::Global());
  BERTH_RETURN_IF_ERROR(ImportGraphDef(bytes, {}, &graph));
  return Export(graph, args[1], args[2]);
}

Status GraphFromText(const Arguments& args) {
  BERTH_ASSIGN_OR_RETURN(const std::string text, ReadFile(args[0]));
  Graph graph(OpRegistry::Global());
  BERTH_RETURN_IF_ERROR(ImportGraphText(text, {}, &graph));
  return Export(graph, args[1], "");
}

Status ShowConfig(const Arguments& args) {
  BERTH_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(args[0]));
  BERTH_ASSIGN_OR_RETURN(const SessionOptions options,
                         SessionOptions::FromConfigProto(bytes));
  json aliases = json::object();
  for (const auto& [from, to] : options.aliases) aliases[from] = to;
  const json shown = {
      {"allow_soft_placement", options.allow_soft_placement},
      {"log_device_placement", options.log_device_placement},
      {"device_count", options.device_count},
      {"intra_op_threads", options.intra_op_threads},
      {"operation_timeout_ms", options.operation_timeout_ms},
      {"per_process_memory_fraction", options.per_process_memory_fraction},
      {"allow_growth", options.allow_growth},
      {"visible_device_list", options.visible_device_list},
      {"optimize", options.optimize},
      {"place_pruned_graph", options.place_pruned_graph},
      {"aliases", aliases}};
  std::puts(shown.dump().c_str());
  return OkStatus();
}

Status WriteRunMetadata(const Arguments& args) {
  RunTrace trace;
  trace.events = {
      {"mul", "MatMul", "/job:localhost/replica:0/task:0/device:CPU:0", 1500, 4500, 0, 1},
      {"sum", "Add", "/job:localhost/replica:0/task:0/device:CPU:0", 5000, 9000, 0, 2}};
  return WriteFile(args[0], EncodeRunMetadata(trace));
}

// Adds a tensor, or each of its slices.
Status CopyTensor(const BundleReader& reader, const std::string& name,
                  BundleWriter* writer) {
  const BundleEntry& entry = *reader.Find(name);
  if (entry.slices.empty()) {
    BERTH_ASSIGN_OR_RETURN(const Tensor tensor, reader.Lookup(name));
    return writer->Add(name, tensor);
  }
  for (const TensorSlice& slice : entry.slices) {
    BERTH_ASSIGN_OR_RETURN(const Tensor part, reader.Lookup(name, slice));
    BERTH_RETURN_IF_ERROR(writer->AddSlice(name, entry.shape, slice, part));
  }
  return OkStatus();
}

Status CopyCheckpoint(const Arguments& args) {
  BERTH_ASSIGN_OR_RETURN(const auto reader, BundleReader::Open(args[0]));
  BERTH_ASSIGN_OR_RETURN(const auto writer, BundleWriter::Create(args[1]));
  for (const auto& [name, entry] : reader->List()) {
    BERTH_RETURN_IF_ERROR(CopyTensor(*reader, name, writer.get()));
  }
  return writer->Finish();
}

Status SplitCheckpoint(const Arguments& args) {
  BERTH_ASSIGN_OR_RETURN(const auto reader, BundleReader::Open(args[0]));
  const std::string parts[] = {args[1] + "_part0", args[1] + "_part1"};
  for (size_t part = 0; part < 2; ++part) {
    BERTH_ASSIGN_OR_RETURN(const auto writer, BundleWriter::Create(parts[part]));
    size_t index = 0;
    for (const auto& [name, entry] : reader->List()) {
      if (index++ % 2 != part) continue;
      BERTH_RETURN_IF_ERROR(CopyTensor(*reader, name, writer.get()));
    }
    BERTH_RETURN_IF_ERROR(writer->Finish());
  }
  return MergeBundles(parts, args[1], false);
}

Status DumpCheckpoint(const Arguments& args) {
  BERTH_ASSIGN_OR_RETURN(const auto reader, BundleReader::Open(args[0]));
  json names = json::array();
  for (const auto& [name, entry] : reader->List()) {
    BERTH_ASSIGN_OR_RETURN(const Tensor tensor, reader->Lookup(name));
    const std::string path = args[1] + "/" + std::to_string(names.size());
    if (tensor.dtype() == BERTH_STRING) {
      std::string bytes;
      AppendTensor(tensor, &bytes);
      BERTH_RETURN_IF_ERROR(WriteFile(path + ".tensorproto", bytes));
    } else {
      BERTH_RETURN_IF_ERROR(WriteNpy(path + ".npy", tensor));
    }
    names.push_back(name);
  }
  std::puts(names.dump().c_str());
  return OkStatus();
}

Status ShowLatest(const Arguments& args) {
  BERTH_ASSIGN_OR_RETURN(const std::string prefix, LatestCheckpoint(args[0]));
  std::puts(prefix.c_str());
  return OkStatus();
}

Status SaveState(const Arguments& args) {
  CheckpointState state;
  state.all.assign(args.begin() + 1, args.end());
  state.latest = args.back();
  return WriteCheckpointState(args[0], state);
}

struct Command {
  size_t min_arguments;
  Status (*run)(const Arguments& args);
};

int Main(int argc, char** argv) {
  const std::map<std::string, Command> commands = {
      {"graph", {3, GraphRoundTrip}},
      {"graph-text", {2, GraphFromText}},
      {"config", {1, ShowConfig}},
      {"run-metadata", {1, WriteRunMetadata}},
      {"checkpoint-copy", {2, CopyCheckpoint}},
      {"checkpoint-split", {2, SplitCheckpoint}},
      {"checkpoint-dump", {2, DumpCheckpoint}},
      {"latest", {1, ShowLatest}},
      {"save-state", {2, SaveState}}};
  const auto command = commands.find(argc > 1 ? argv[1] : "");
  if (command == commands.end() ||
      static_cast<size_t>(argc - 2) < command->second.min_arguments) {
    std::fputs("usage: see the head of core/formats/testing/format_tool.cc\n", stderr);
    return 2;
  }
  const Status status = command->second.run(Arguments(argv + 2, argv + argc));
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace berth::formats

int main(int argc, char** argv) { return berth::formats::Main(argc, argv); }
