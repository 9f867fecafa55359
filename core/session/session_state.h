// What a session and its callables share.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/base/status.h"
#include "core/base/thread_pool.h"
#include "core/executor/executor.h"
#include "core/executor/plan.h"
#include "core/graph/graph.h"
#include "core/graph/shape_refiner.h"
#include "core/placer/device_list.h"
#include "core/placer/placer.h"
#include "core/session/options.h"
#include "core/session/session.h"

namespace berth {

// Thread-safe. The graph, its placement and the plans are guarded by one mutex, which no
// run takes once its plan is there (callables) or found (by name).
class SessionState {
 public:
  // Devices that the session may use, and where its kernels come from. Both outlive it.
  struct Resources {
    DeviceList devices;
    const KernelRegistry* kernels = nullptr;
    std::function<std::string(std::string_view device_type)> why_absent;
  };

  static Result<std::shared_ptr<SessionState>> Create(SessionOptions options,
                                                      Resources resources);
  ~SessionState();
  SessionState(const SessionState&) = delete;
  SessionState& operator=(const SessionState&) = delete;

  const SessionOptions& options() const { return options_; }
  const std::vector<const Device*>& devices() const { return device_views_; }

  Status Extend(const std::function<Status(Graph*)>& add);
  // The executor of a signature, from the cache or made now.
  Result<std::shared_ptr<executor::Executor>> FindExecutor(
      const Session::Signature& signature);
  Status Close();
  Status ViewPlacement(const std::function<void(const Graph&, const Placement&)>& view);
  Result<std::shared_ptr<const Placement>> GetPlacement();

 private:
  SessionState(SessionOptions options, Resources resources);

  Status AcquireDevices();
  Status CheckOpen() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What is known statically of outputs, for the placer; used under the lock.
  std::function<const Shape*(const Node&, int)> ShapeOf() const;
  // Places what was added since the last time.
  void PlaceAll() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // With place_pruned_graph: places what these need.
  void PlaceNeeded(const executor::ResolvedSignature& signature)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Announce(const Placement& placement) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::string SimilarNodes(std::string_view name) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Result<OutputRef> ResolveTensor(const std::string& name, std::string_view role)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Result<Node*> ResolveTarget(const std::string& name)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Result<executor::ResolvedSignature> Resolve(const Session::Signature& signature)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Result<std::shared_ptr<executor::Executor>> MakeExecutor(
      const Session::Signature& signature) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const SessionOptions options_;
  Resources resources_;
  std::vector<const Device*> device_views_;
  size_t num_acquired_ = 0;  // of the devices
  std::unique_ptr<ThreadPool> own_pool_;
  std::unique_ptr<Placer> placer_;
  // In the order in which they are needed: plans refer to all of these.
  std::unique_ptr<executor::DeviceSet> device_set_;
  executor::ResourceManager variables_;
  std::unique_ptr<executor::KernelCache> kernels_;
  executor::Environment env_;

  mutable absl::Mutex mutex_;
  Status closed_ ABSL_GUARDED_BY(mutex_);
  Graph graph_ ABSL_GUARDED_BY(mutex_);
  ShapeRefiner shapes_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const Placement> placement_ ABSL_GUARDED_BY(mutex_);
  int num_placed_ ABSL_GUARDED_BY(mutex_) = 0;
  std::unordered_map<std::string, std::shared_ptr<executor::Executor>> executors_
      ABSL_GUARDED_BY(mutex_);
  std::deque<std::string> keys_ ABSL_GUARDED_BY(mutex_);  // oldest first
  // All that may still run, the ones that fell out of the cache too.
  std::vector<std::weak_ptr<executor::Executor>> all_ ABSL_GUARDED_BY(mutex_);
};

// A session over given devices and kernels: what Session::Create makes from the process's
// plugins, and tests from fakes.
Result<std::unique_ptr<Session>> MakeSession(SessionOptions options,
                                             SessionState::Resources resources);

}  // namespace berth
