#include "core/session/session_state.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "core/base/logging.h"
#include "core/ops/op_schema.h"

namespace berth {
namespace {

// Signatures that Session::Run keeps plans for; callables keep their own.
constexpr size_t kPlansKept = 1024;

// Names of different kinds cannot run together: '\n' is in none.
std::string KeyOf(const Session::Signature& signature) {
  std::string key;
  for (const auto* names : {&signature.feeds, &signature.fetches, &signature.targets}) {
    for (const std::string& name : *names) {
      key += name;
      key += '\n';
    }
    key += "\n\n";
  }
  return key;
}

}  // namespace

SessionState::SessionState(SessionOptions options, Resources resources)
    : options_(std::move(options)),
      resources_(std::move(resources)),
      graph_(OpRegistry::Global()),
      shapes_(&graph_) {}

Result<std::shared_ptr<SessionState>> SessionState::Create(SessionOptions options,
                                                           Resources resources) {
  std::shared_ptr<SessionState> state(
      new SessionState(std::move(options), std::move(resources)));
  BERTH_RETURN_IF_ERROR(state->AcquireDevices());
  const std::vector<Device*>& devices = state->resources_.devices.devices;
  state->device_views_.assign(devices.begin(), devices.end());

  PlacerOptions placer;
  placer.allow_soft_placement = state->options_.allow_soft_placement;
  placer.default_device = state->options_.default_device;
  placer.aliases = state->options_.aliases;
  placer.fallback_allowed_ops = state->options_.fallback_allowed_ops;
  placer.fallback_max_nodes = state->options_.fallback_max_nodes;
  placer.fallback_max_bytes = state->options_.fallback_max_bytes;
  placer.explicit_devices = state->resources_.devices.chosen;
  placer.why_absent = state->resources_.why_absent;
  state->placer_ = std::make_unique<Placer>(state->device_views_,
                                            state->resources_.kernels, std::move(placer));

  if (state->options_.intra_op_threads > 0) {
    state->own_pool_ = std::make_unique<ThreadPool>(state->options_.intra_op_threads);
  }
  executor::DeviceAllocator::Options memory;
  memory.memory_fraction = state->options_.per_process_memory_fraction;
  memory.allow_growth = state->options_.allow_growth;
  state->device_set_ = std::make_unique<executor::DeviceSet>(devices, memory);
  state->kernels_ = std::make_unique<executor::KernelCache>(state->device_set_.get());
  executor::Environment& env = state->env_;
  env.devices = state->device_set_.get();
  env.resources = &state->variables_;
  env.kernels = state->kernels_.get();
  env.registry = state->resources_.kernels;
  env.pool = state->own_pool_ ? state->own_pool_.get() : ThreadPool::Default();
  env.optimize = state->options_.optimize;
  return state;
}

SessionState::~SessionState() {
  (void)Close().ok();
  // Device memory goes before the devices are let go.
  executors_.clear();
  variables_.ClearAll();
  kernels_.reset();
  device_set_.reset();
  for (size_t i = 0; i < num_acquired_; ++i) resources_.devices.devices[i]->Release();
}

Status SessionState::AcquireDevices() {
  for (Device* device : resources_.devices.devices) {
    BERTH_RETURN_IF_ERROR(device->Acquire());
    ++num_acquired_;
  }
  return OkStatus();
}

Status SessionState::CheckOpen() const { return closed_; }

Status SessionState::Extend(const std::function<Status(Graph*)>& add) {
  absl::MutexLock lock(&mutex_);
  BERTH_RETURN_IF_ERROR(CheckOpen());
  const int before = graph_.num_nodes();
  Status status = add(&graph_);
  if (status.ok()) status = shapes_.Update();
  if (!status.ok()) {
    shapes_.TruncateTo(before);
    graph_.TruncateTo(before);
  }
  return status;
}

Status SessionState::Close() {
  std::vector<std::shared_ptr<executor::Executor>> executors;
  {
    absl::MutexLock lock(&mutex_);
    closed_ = Cancelled("the session was closed");
    for (const auto& weak : all_) {
      if (auto executor = weak.lock()) executors.push_back(std::move(executor));
    }
    executors_.clear();
    keys_.clear();
  }
  for (const auto& executor : executors) {
    executor->Close(Cancelled("the session was closed"));
  }
  for (const auto& executor : executors) executor->WaitIdle();
  variables_.ClearAll();
  return OkStatus();
}

// ---- Placement.

std::function<const Shape*(const Node&, int)> SessionState::ShapeOf() const {
  return [this](const Node& node, int output)
             ABSL_NO_THREAD_SAFETY_ANALYSIS { return &shapes_.shape(node, output); };
}

void SessionState::PlaceAll() {
  if (placement_ != nullptr && num_placed_ == graph_.num_nodes()) return;
  PlaceArgs args;
  args.earlier = placement_.get();
  args.shape_of = ShapeOf();
  placement_ = placer_->Place(graph_, args);
  num_placed_ = graph_.num_nodes();
  Announce(*placement_);
}

void SessionState::PlaceNeeded(const executor::ResolvedSignature& signature) {
  std::vector<int> nodes;
  std::vector<const Node*> open;
  std::set<const Node*> seen;
  const auto is_fed = [&](const OutputRef& ref) {
    return std::find(signature.feeds.begin(), signature.feeds.end(), ref) !=
           signature.feeds.end();
  };
  const auto visit = [&](const Node* node) {
    if (seen.insert(node).second) open.push_back(node);
  };
  for (const OutputRef& fetch : signature.fetches) {
    if (!is_fed(fetch)) visit(fetch.node);
  }
  for (const Node* target : signature.targets) visit(target);
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    const bool is_placed = placement_ != nullptr &&
                           static_cast<size_t>(node->id()) < placement_->nodes.size() &&
                           placement_->nodes[node->id()].device != nullptr;
    if (!is_placed) nodes.push_back(node->id());
    for (const OutputRef& input : node->inputs()) {
      if (input.node != nullptr && !is_fed(input)) visit(input.node);
    }
    for (const Node* control : node->control_inputs()) visit(control);
  }
  const bool covers = placement_ != nullptr &&
                      placement_->nodes.size() == static_cast<size_t>(graph_.num_nodes());
  if (nodes.empty() && covers) return;
  std::sort(nodes.begin(), nodes.end());
  PlaceArgs args;
  args.earlier = placement_.get();
  args.nodes = nodes;
  args.shape_of = ShapeOf();
  placement_ = placer_->Place(graph_, args);
  Announce(*placement_);
}

void SessionState::Announce(const Placement& placement) {
  for (const std::string& warning : placement.warnings) {
    Log(LogLevel::kWarning, warning);
  }
  if (!options_.log_device_placement) return;
  for (const std::string& line : PlacementLogLines(graph_, placement)) {
    PlacementLogLine(line);
  }
}

Result<std::shared_ptr<const Placement>> SessionState::GetPlacement() {
  absl::MutexLock lock(&mutex_);
  BERTH_RETURN_IF_ERROR(CheckOpen());
  PlaceAll();
  return placement_;
}

Status SessionState::ViewPlacement(
    const std::function<void(const Graph&, const Placement&)>& view) {
  absl::MutexLock lock(&mutex_);
  BERTH_RETURN_IF_ERROR(CheckOpen());
  PlaceAll();
  view(graph_, *placement_);
  return OkStatus();
}

// ---- Signatures.

// "; did you mean 'scope/sum'?": names that differ in case or in the scopes before them.
std::string SessionState::SimilarNodes(std::string_view name) const {
  constexpr int kShown = 3;
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  const std::string_view last = name.substr(name.rfind('/') + 1);
  std::string text;
  int count = 0;
  for (int id = 0; id < graph_.num_nodes() && count < kShown; ++id) {
    const std::string_view other = graph_.node(id)->name();
    const std::string_view other_last = other.substr(other.rfind('/') + 1);
    if (!std::equal(last.begin(), last.end(), other_last.begin(), other_last.end(),
                    same)) {
      continue;
    }
    text += (count++ == 0 ? "; did you mean '" : ", '") + std::string(other) + "'";
  }
  return count == 0 ? text : text + "?";
}

Result<OutputRef> SessionState::ResolveTensor(const std::string& name,
                                              std::string_view role) {
  const std::string what = std::string(role) + " '" + name + "'";
  Result<TensorName> parsed = ParseTensorName(name);
  if (!parsed.ok()) {
    return Status(parsed.status()).WithPrefix(what + ": ");
  }
  Node* node = graph_.FindNode(parsed->node);
  if (node == nullptr) {
    return NotFound(what + " names the node '" + std::string(parsed->node) +
                    "', which is not in the graph of " +
                    std::to_string(graph_.num_nodes()) + " nodes" +
                    SimilarNodes(parsed->node));
  }
  const int count = node->num_outputs();
  if (parsed->index < 0 || parsed->index >= count) {
    const std::string who = what + ": node '" + node->name() + "' (" + node->op() + ") ";
    if (count == 0) return InvalidArgument(who + "has no outputs; run it as a target");
    if (parsed->index < 0) {
      return InvalidArgument(who + "has no value as a control input; run it as a target");
    }
    return InvalidArgument(who + (count == 1 ? "has one output, '" + node->name() + ":0'"
                                             : "has " + std::to_string(count) +
                                                   " outputs, 0 to " +
                                                   std::to_string(count - 1)));
  }
  if (count > 1 && name.find(':') == std::string::npos) {
    return InvalidArgument(what + ": node '" + node->name() + "' (" + node->op() +
                           ") has " + std::to_string(count) +
                           " outputs: say which, as in '" + name + ":0'");
  }
  return OutputRef{node, parsed->index};
}

Result<Node*> SessionState::ResolveTarget(const std::string& name) {
  std::string_view node_name = name;
  if (Result<TensorName> parsed = ParseTensorName(name); parsed.ok()) {
    node_name = parsed->node;
  }
  Node* node = graph_.FindNode(node_name);
  if (node != nullptr) return node;
  return NotFound("target '" + name + "' is not a node of the graph of " +
                  std::to_string(graph_.num_nodes()) + " nodes" +
                  SimilarNodes(node_name));
}

Result<executor::ResolvedSignature> SessionState::Resolve(
    const Session::Signature& signature) {
  if (graph_.num_nodes() == 0) {
    return FailedPrecondition(
        "The Session graph is empty. Add operations to the graph before calling run().");
  }
  executor::ResolvedSignature resolved;
  std::set<std::pair<int, int>> fed;
  for (const std::string& name : signature.feeds) {
    BERTH_ASSIGN_OR_RETURN(OutputRef feed, ResolveTensor(name, "feed"));
    const DType type = BaseType(feed.node->output_type(feed.index));
    if (type == BERTH_RESOURCE || type == BERTH_VARIANT) {
      return InvalidArgument("feed '" + name + "' has dtype " +
                             std::string(DTypeName(type)) + ", which cannot be fed");
    }
    if (!fed.emplace(feed.node->id(), feed.index).second) {
      return InvalidArgument("'" + name + "' is fed twice");
    }
    resolved.feeds.push_back(feed);
  }
  for (const std::string& name : signature.fetches) {
    BERTH_ASSIGN_OR_RETURN(OutputRef fetch, ResolveTensor(name, "fetch"));
    resolved.fetches.push_back(fetch);
  }
  for (const std::string& name : signature.targets) {
    BERTH_ASSIGN_OR_RETURN(Node * target, ResolveTarget(name));
    resolved.targets.push_back(target);
  }
  if (resolved.fetches.empty() && resolved.targets.empty()) {
    return InvalidArgument("Must specify at least one target to fetch or execute.");
  }
  return resolved;
}

Result<std::shared_ptr<executor::Executor>> SessionState::MakeExecutor(
    const Session::Signature& signature) {
  BERTH_ASSIGN_OR_RETURN(const executor::ResolvedSignature resolved, Resolve(signature));
  if (options_.place_pruned_graph) {
    PlaceNeeded(resolved);
  } else {
    PlaceAll();
  }
  BERTH_ASSIGN_OR_RETURN(std::unique_ptr<executor::Plan> plan,
                         executor::MakePlan(env_, graph_, *placement_, resolved));
  auto executor = std::make_shared<executor::Executor>(std::move(plan));
  std::erase_if(all_, [](const auto& weak) { return weak.expired(); });
  all_.push_back(executor);
  return executor;
}

Result<std::shared_ptr<executor::Executor>> SessionState::FindExecutor(
    const Session::Signature& signature) {
  std::string key = KeyOf(signature);
  absl::MutexLock lock(&mutex_);
  BERTH_RETURN_IF_ERROR(CheckOpen());
  const auto it = executors_.find(key);
  if (it != executors_.end()) return it->second;
  BERTH_ASSIGN_OR_RETURN(std::shared_ptr<executor::Executor> executor,
                         MakeExecutor(signature));
  if (keys_.size() == kPlansKept) {
    executors_.erase(keys_.front());
    keys_.pop_front();
  }
  keys_.push_back(key);
  executors_.emplace(std::move(key), executor);
  return executor;
}

}  // namespace berth
