// place: where every node of a graph goes, and why.
#include <memory>
#include <string>
#include <vector>

#include "core/executor/core_op.h"
#include "core/graph/graph.h"
#include "core/placer/explain.h"
#include "core/placer/placer.h"
#include "tools/berth/commands.h"
#include "tools/berth/common.h"

namespace berth::tool {
namespace {

struct PlaceFlags {
  GraphFlags graph;
  std::vector<std::string> fetches;
  std::string format = "text";
};

// Ids of the nodes that the fetches need; all nodes without a fetch.
Result<std::vector<int>> NodesOf(const Graph& graph,
                                 const std::vector<std::string>& names) {
  std::vector<int> ids;
  if (names.empty()) {
    for (int id = 0; id < graph.num_nodes(); ++id) ids.push_back(id);
    return ids;
  }
  std::vector<bool> seen(static_cast<size_t>(graph.num_nodes()));
  std::vector<const Node*> stack;
  const auto visit = [&](const Node* node) {
    if (seen[static_cast<size_t>(node->id())]) return;
    seen[static_cast<size_t>(node->id())] = true;
    stack.push_back(node);
  };
  for (const std::string& name : names) {
    BERTH_ASSIGN_OR_RETURN(const TensorName parsed, ParseTensorName(name));
    const Node* node = graph.FindNode(parsed.node);
    if (node == nullptr) {
      return NotFound("--fetch " + name + ": the graph has no node '" +
                      std::string(parsed.node) + "'");
    }
    visit(node);
  }
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    ids.push_back(node->id());
    for (const OutputRef& input : node->inputs()) visit(input.node);
    for (const Node* control : node->control_inputs()) visit(control);
  }
  return ids;
}

// Nodes that have a place, but that this version of the core does not run.
Status NotWrittenYet(const Graph& graph, const Placement& placement,
                     const std::vector<int>& ids) {
  Status first;
  int count = 0;
  for (const int id : ids) {
    const Node& node = *graph.node(id);
    const Device* device = placement.nodes[static_cast<size_t>(id)].device;
    if (device == nullptr || !IsCoreOp(node.op()) || executor::CoreRuns(node.op())) {
      continue;
    }
    // A plugin may bring a kernel of its own for an op of the core.
    const KernelMatch match = KernelRegistry::Global()->Find(node, device->type());
    if (match.ok() && !match.entry->runs_in_core()) continue;
    if (count++ == 0) first = executor::NotWrittenYet(node);
  }
  if (count < 2) return first;
  return first.WithPrefix(std::to_string(count) + " nodes cannot run. The first: ");
}

std::string Explain(const PlaceFlags& flags, const Graph& graph,
                    const Placement& placement) {
  if (flags.format == "json") return ExplainJson(graph, placement);
  if (flags.format == "html") return ExplainHtml(graph, placement, flags.graph.graph);
  return ExplainText(graph, placement);
}

Status Place(const PlaceFlags& flags) {
  BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session,
                         OpenSession(flags.graph));
  Status result;
  BERTH_RETURN_IF_ERROR(
      session->ViewPlacement([&](const Graph& graph, const Placement& placement) {
        Result<std::vector<int>> nodes = NodesOf(graph, flags.fetches);
        if (!nodes.ok()) {
          result = nodes.status();
          return;
        }
        // Shown also when nodes could not be placed: the page is how one finds out why.
        Print(Explain(flags, graph, placement));
        result = PlacementErrors(graph, placement, *nodes);
        if (result.ok()) result = NotWrittenYet(graph, placement, *nodes);
      }));
  return result;
}

}  // namespace

void AddPlace(CLI::App* app, int* exit_code) {
  CLI::App* command =
      app->add_subcommand("place", "Place a graph and explain every choice");
  auto flags = std::make_shared<PlaceFlags>();
  AddGraphFlags(command, &flags->graph);
  command
      ->add_option("--fetch", flags->fetches,
                   "Fail only for errors of what these tensors need (one or more)")
      ->type_name("NAME");
  command->add_option("--explain", flags->format, "text (the default), json or html")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"text", "json", "html"}).description(""));
  command->callback([flags, exit_code] { *exit_code = Report(Place(*flags)); });
}

}  // namespace berth::tool
