#include <utility>

#include "core/formats/graphdef.h"
#include "core/session/session_state.h"

namespace berth {
namespace {

int64_t TimeoutOf(const RunSettings& settings, const SessionOptions& options) {
  return settings.timeout_ms > 0 ? settings.timeout_ms : options.operation_timeout_ms;
}

class CallableImpl : public Session::Callable {
 public:
  CallableImpl(std::shared_ptr<SessionState> state,
               std::shared_ptr<executor::Executor> executor)
      : state_(std::move(state)), executor_(std::move(executor)) {}

  Status Run(std::span<const Tensor> inputs, std::span<Tensor> outputs,
             const RunSettings& settings, RunTrace* trace) override {
    return executor_->Run(inputs, outputs, TimeoutOf(settings, state_->options()),
                          settings.trace ? trace : nullptr);
  }

 private:
  // The executor goes first: it works on the state's devices.
  const std::shared_ptr<SessionState> state_;
  const std::shared_ptr<executor::Executor> executor_;
};

class SessionImpl : public Session {
 public:
  explicit SessionImpl(std::shared_ptr<SessionState> state) : state_(std::move(state)) {}
  ~SessionImpl() override { (void)state_->Close().ok(); }

  Status Extend(std::string_view graph_def) override {
    return state_->Extend([graph_def](Graph* graph) {
      return ImportGraphDef(graph_def, ImportOptions(), graph);
    });
  }

  Status ExtendWith(const std::function<Status(Graph*)>& add) override {
    return state_->Extend(add);
  }

  Status Run(const Feeds& feeds, const std::vector<std::string>& fetches,
             const std::vector<std::string>& targets, const RunSettings& settings,
             std::vector<Tensor>* outputs, RunTrace* trace) override {
    Signature signature;
    std::vector<Tensor> inputs;
    for (const auto& [name, tensor] : feeds) {
      signature.feeds.push_back(name);
      inputs.push_back(tensor);
    }
    signature.fetches = fetches;
    signature.targets = targets;
    BERTH_ASSIGN_OR_RETURN(std::shared_ptr<executor::Executor> executor,
                           state_->FindExecutor(signature));
    std::vector<Tensor> results(fetches.size());
    BERTH_RETURN_IF_ERROR(executor->Run(inputs, results,
                                        TimeoutOf(settings, state_->options()),
                                        settings.trace ? trace : nullptr));
    if (outputs != nullptr) *outputs = std::move(results);
    return OkStatus();
  }

  Result<std::shared_ptr<Callable>> MakeCallable(const Signature& signature) override {
    BERTH_ASSIGN_OR_RETURN(std::shared_ptr<executor::Executor> executor,
                           state_->FindExecutor(signature));
    return std::shared_ptr<Callable>(
        std::make_shared<CallableImpl>(state_, std::move(executor)));
  }

  Status Close() override { return state_->Close(); }

  const std::vector<const Device*>& devices() const override { return state_->devices(); }
  Result<std::shared_ptr<const Placement>> GetPlacement() override {
    return state_->GetPlacement();
  }
  Status ViewPlacement(
      const std::function<void(const Graph&, const Placement&)>& view) override {
    return state_->ViewPlacement(view);
  }

 private:
  const std::shared_ptr<SessionState> state_;
};

}  // namespace

Result<std::unique_ptr<Session>> MakeSession(SessionOptions options,
                                             SessionState::Resources resources) {
  BERTH_ASSIGN_OR_RETURN(std::shared_ptr<SessionState> state,
                         SessionState::Create(std::move(options), std::move(resources)));
  return std::unique_ptr<Session>(std::make_unique<SessionImpl>(std::move(state)));
}

}  // namespace berth
