#include "client/session.h"

#include "client/session_impl.h"

namespace berth::client {

struct Session::Step::Impl {
  std::shared_ptr<berth::Session::Callable> callable;
  size_t num_outputs = 0;
};

namespace {

std::vector<std::string> Names(const std::vector<Output>& outputs) {
  std::vector<std::string> names;
  for (const Output& output : outputs) names.push_back(output.name());
  return names;
}

std::vector<std::string> Names(const std::vector<Operation>& operations) {
  std::vector<std::string> names;
  for (const Operation& operation : operations) names.push_back(operation.name());
  return names;
}

// Adds a copy of `node` to the session's graph, whose earlier nodes have the same names.
Status CopyNode(const Node& node, Graph* graph) {
  NodeSpec spec{node.name(), node.op(), node.requested_device(), node.attrs(), {}, {}};
  for (const OutputRef& input : node.inputs()) {
    spec.inputs.push_back({graph->FindNode(input.node->name()), input.index});
  }
  for (const Node* control : node.control_inputs()) {
    spec.control_inputs.push_back(graph->FindNode(control->name()));
  }
  return graph->AddNode(std::move(spec)).status();
}

}  // namespace

Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Result<Session> Session::Create(const Scope& scope, SessionOptions options) {
  BERTH_RETURN_IF_ERROR(options.ApplyEnvironment());
  auto impl = std::make_unique<Impl>();
  impl->builder = scope.shared_builder();
  BERTH_ASSIGN_OR_RETURN(impl->core, berth::Session::Create(std::move(options)));
  return Session(std::move(impl));
}

Status Session::Sync() {
  GraphBuilder& builder = *impl_->builder;
  BERTH_RETURN_IF_ERROR(builder.status());
  const int have = builder.graph().num_nodes();
  if (impl_->synced == have) return {};
  absl::MutexLock lock(&impl_->sync);
  if (impl_->synced == have) return {};
  const auto add = [&](Graph* graph) -> Status {
    for (int id = impl_->synced; id < have; ++id) {
      BERTH_RETURN_IF_ERROR(CopyNode(*builder.graph().node(id), graph));
    }
    return {};
  };
  BERTH_RETURN_IF_ERROR(impl_->core->ExtendWith(add));
  impl_->synced = have;
  return {};
}

Result<std::vector<Tensor>> Session::Run(const std::vector<Feed>& feeds,
                                         const std::vector<Output>& fetches,
                                         const std::vector<Operation>& targets) {
  BERTH_RETURN_IF_ERROR(Sync());
  berth::Session::Feeds named;
  for (const auto& [output, tensor] : feeds) named.emplace_back(output.name(), tensor);
  std::vector<Tensor> outputs;
  BERTH_RETURN_IF_ERROR(
      impl_->core->Run(named, Names(fetches), Names(targets), {}, &outputs, nullptr));
  return outputs;
}

Result<Tensor> Session::Run(const std::vector<Feed>& feeds, Output fetch) {
  BERTH_ASSIGN_OR_RETURN(std::vector<Tensor> outputs,
                         Run(feeds, std::vector<Output>{fetch}));
  return outputs[0];
}

Status Session::Run(const std::vector<Feed>& feeds, Operation target) {
  return Run(feeds, std::vector<Output>{}, {target}).status();
}

Result<Session::Step> Session::MakeStep(const std::vector<Output>& feeds,
                                        const std::vector<Output>& fetches,
                                        const std::vector<Operation>& targets) {
  BERTH_RETURN_IF_ERROR(Sync());
  Step step;
  step.impl_ = std::make_shared<Step::Impl>();
  step.impl_->num_outputs = fetches.size();
  BERTH_ASSIGN_OR_RETURN(
      step.impl_->callable,
      impl_->core->MakeCallable({Names(feeds), Names(fetches), Names(targets)}));
  return step;
}

Status Session::Step::Run(const std::vector<Tensor>& inputs,
                          std::vector<Tensor>* outputs) {
  outputs->resize(impl_->num_outputs);
  return impl_->callable->Run(inputs, *outputs, {}, nullptr);
}

Status Session::Close() { return impl_->core->Close(); }
berth::Session* Session::core() const { return impl_->core.get(); }

}  // namespace berth::client
