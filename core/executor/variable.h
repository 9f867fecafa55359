// Variables and the containers they live in.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/base/status.h"
#include "core/base/tensor.h"
#include "core/graph/graph.h"

namespace berth::executor {

struct DeviceContext;

// A variable of a session: a name, a home and a value that may not be there yet.
// Thread-safe. The value's buffer is shared with the runs that use it: whoever replaces
// the value leaves the old buffer to them.
//
// Two kinds exist. A reference variable (VariableV2) is written in place whoever reads
// it. A resource variable (VarHandleOp) is copied on write while a reader holds its
// buffer.
class Variable {
 public:
  struct Desc {
    std::string name;       // for messages
    std::string container;  // "localhost" unless the node names one
    DType dtype = BERTH_INVALID_DTYPE;
    Shape shape;  // as declared; may be unknown
    bool is_resource = false;
  };

  // `shape_changes` counts, over all variables of a session, values whose shape is not
  // the declared one; it outlives the variable.
  Variable(Desc desc, DeviceContext* home, std::atomic<uint64_t>* shape_changes)
      : desc_(std::move(desc)), home_(home), shape_changes_(shape_changes) {}
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

  const Desc& desc() const { return desc_; }
  const std::string& name() const { return desc_.name; }
  // Where the value lies; outlives the variable.
  DeviceContext* home() const { return home_; }

  bool IsInitialized() const {
    absl::MutexLock lock(&mutex_);
    return value_.is_valid();
  }
  // The value, sharing its buffer; not valid when uninitialised.
  Tensor value() const {
    absl::MutexLock lock(&mutex_);
    return value_;
  }
  void Set(Tensor value) {
    absl::MutexLock lock(&mutex_);
    const bool is_odd = value.is_valid() && !(value.shape() == desc_.shape);
    if (is_odd || was_odd_) shape_changes_->fetch_add(1, std::memory_order_relaxed);
    was_odd_ = is_odd;
    std::swap(value_, value);
  }
  // Back to uninitialised.
  void Clear() { Set(Tensor()); }
  // As value(), but only when nobody else holds the buffer (the caller may then write it
  // while it holds update_mutex()); not valid otherwise.
  Tensor ValueIfUnshared() const {
    absl::MutexLock lock(&mutex_);
    if (!value_.is_valid() || !value_.buffer() || !value_.buffer()->IsUnique()) return {};
    return value_;
  }

  // Held while a kernel that asks for it (use_locking, or any resource) updates the
  // value. Several are taken in address order.
  absl::Mutex& update_mutex() { return update_mutex_; }

 private:
  const Desc desc_;
  DeviceContext* const home_;
  std::atomic<uint64_t>* const shape_changes_;
  absl::Mutex update_mutex_;
  mutable absl::Mutex mutex_;  // short: guards the pointer, not the contents
  Tensor value_ ABSL_GUARDED_BY(mutex_);
  bool was_odd_ ABSL_GUARDED_BY(mutex_) = false;
};

// FAILED_PRECONDITION in TensorFlow's words for one uninitialised variable; several are
// listed together.
Status UninitializedError(const std::vector<const Variable*>& variables);

// The variables of a session, by device, container and name. Thread-safe.
class ResourceManager {
 public:
  // The variable of a VariableV2, Variable or VarHandleOp node, made on first sight.
  // Nodes on one device that agree in kind, container and name share it. INVALID_ARGUMENT
  // when the name is taken by a variable of another dtype.
  Result<std::shared_ptr<Variable>> FindOrCreate(const Node& node, DeviceContext* home);

  // Drops every value.
  void ClearAll();
  // Changes when a variable gets a value of another shape than declared, or had one: what
  // was planned for its shape is to be looked at again.
  uint64_t shape_changes() const {
    return shape_changes_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<uint64_t> shape_changes_{0};
  absl::Mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Variable>> variables_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace berth::executor
