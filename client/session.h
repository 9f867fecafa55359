// Running what scopes have built.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/scope.h"
#include "core/session/options.h"

namespace berth {
class Session;
}

namespace berth::client {

// A session over one graph. The graph may grow between runs: what is new is added (and
// placed) by the next run. Movable; runs may come from several threads as long as nobody
// builds.
class Session {
 public:
  using Feed = std::pair<Output, Tensor>;

  // Devices, soft placement, aliases and limits are in `options`; see
  // core/session/options.h.
  static Result<Session> Create(const Scope& scope, SessionOptions options = {});
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  // The values of `fetches`, after `targets` have run too. An error names node, op and
  // device.
  Result<std::vector<Tensor>> Run(const std::vector<Feed>& feeds,
                                  const std::vector<Output>& fetches,
                                  const std::vector<Operation>& targets = {});
  Result<Tensor> Run(const std::vector<Feed>& feeds, Output fetch);
  Status Run(const std::vector<Feed>& feeds, Operation target);
  Status Run(Operation target) { return Run({}, target); }

  // A signature that is run many times: no name is looked up and nothing is built again.
  class Step;
  Result<Step> MakeStep(const std::vector<Output>& feeds,
                        const std::vector<Output>& fetches,
                        const std::vector<Operation>& targets = {});

  // Who runs where and why: the table of all nodes, or a page for a browser.
  Result<std::string> PlacementReport();
  Result<std::string> PlacementPage(std::string_view title);
  // The same by kind of op, one line each: how many, device, reason; then the warnings.
  Result<std::string> PlacementSummary();
  // Only what is not where it was asked for, one line a node; empty when nothing fell
  // back.
  Result<std::string> FallbackReport();

  // Cancels what runs, and releases the variables. Further runs fail with CANCELLED.
  Status Close();
  berth::Session* core() const;

 private:
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  Status Sync();

  std::unique_ptr<Impl> impl_;
};

// See Session::MakeStep. Thread-safe; must not outlive its session.
class Session::Step {
 public:
  // `inputs` and `outputs` in the signature's order. Outputs that already have memory of
  // the right size are reused.
  Status Run(const std::vector<Tensor>& inputs, std::vector<Tensor>* outputs);

 private:
  friend class Session;
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace berth::client
