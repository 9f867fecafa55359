// Sessions: a graph on devices, run with feeds and fetches.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/base/tensor.h"
#include "core/executor/run_trace.h"
#include "core/graph/graph.h"
#include "core/placer/placement.h"
#include "core/session/options.h"

namespace berth {

// What a run may also say or give. See RunOptions / RunMetadata in core/formats for the
// wire.
struct RunSettings {
  int64_t timeout_ms = 0;  // 0 = the session's
  bool trace = false;      // fill `RunTrace`
};

// Thread-safe: any number of threads may run, extend and close. A failed call leaves the
// session usable.
class Session {
 public:
  // A prepared signature. Thread-safe; keeps what it needs of the session alive.
  class Callable;

  // Uses the process's plugins, loading them first if nobody has.
  static Result<std::unique_ptr<Session>> Create(SessionOptions options);
  virtual ~Session() = default;

  // Adds nodes. GraphDef bytes, binary. All or nothing.
  virtual Status Extend(std::string_view graph_def) = 0;
  // Runs `add` on the session's graph under its lock: how the client library grows it. A
  // failure inside undoes what it added.
  virtual Status ExtendWith(const std::function<Status(Graph*)>& add) = 0;

  using Feeds = std::vector<std::pair<std::string, Tensor>>;
  virtual Status Run(const Feeds& feeds, const std::vector<std::string>& fetches,
                     const std::vector<std::string>& targets, const RunSettings& settings,
                     std::vector<Tensor>* outputs, RunTrace* trace) = 0;

  struct Signature {
    std::vector<std::string> feeds;
    std::vector<std::string> fetches;
    std::vector<std::string> targets;
  };
  virtual Result<std::shared_ptr<Callable>> MakeCallable(const Signature& signature) = 0;

  // Cancels what runs, waits for it, releases variables. Later calls fail with CANCELLED.
  virtual Status Close() = 0;

  virtual const std::vector<const Device*>& devices() const = 0;
  // The placement of everything added so far (placing it now if need be).
  virtual Result<std::shared_ptr<const Placement>> GetPlacement() = 0;
  // Calls `view` with the graph and its placement under the session's lock.
  virtual Status ViewPlacement(
      const std::function<void(const Graph&, const Placement&)>& view) = 0;
};

class Session::Callable {
 public:
  virtual ~Callable() = default;
  // `inputs` in the signature's order. `outputs` has one entry per fetch: an entry that
  // already holds a host tensor of the right dtype and shape whose buffer is unique is
  // written in place (nothing is allocated); others are replaced.
  virtual Status Run(std::span<const Tensor> inputs, std::span<Tensor> outputs,
                     const RunSettings& settings, RunTrace* trace) = 0;
};

}  // namespace berth
