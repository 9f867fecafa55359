// The objects behind the C API's handles. Internal to core/capi.
#pragma once

#include <berth/c_api.h>

#include <exception>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "core/base/status.h"
#include "core/base/tensor.h"
#include "core/session/session.h"

struct berth_bytes {
  std::string data;
};

struct berth_value {
  berth::Tensor tensor;
  // Only when the memory is the caller's: a second tensor over it that no one else holds,
  // for a run to write into without an allocation while `tensor` keeps the memory alive.
  berth::Tensor alias;
  bool wraps_caller = false;
};

struct berth_session {
  std::shared_ptr<berth::Session> session;
};

struct berth_callable {
  std::shared_ptr<berth::Session> session;  // kept alive by its callables
  std::shared_ptr<berth::Session::Callable> callable;
  size_t num_inputs = 0;
  size_t num_outputs = 0;
};

namespace berth::capi {

// Copies code and message out. Never throws.
berth_status_code ToC(const Status& status, berth_error* error) noexcept;

// Runs `body` (returning Status) with a catch-all: nothing is thrown over the C API.
template <typename Body>
berth_status_code Guard(berth_error* error, Body&& body) noexcept {
  try {
    return ToC(body(), error);
  } catch (const std::bad_alloc&) {
    return ToC(ResourceExhausted("out of host memory"), error);
  } catch (const std::exception& e) {
    return ToC(Internal(e.what()), error);
  } catch (...) {
    return ToC(Internal("something that is no exception was thrown"), error);
  }
}

// A tensor over the same memory that does not keep it alive.
Tensor AliasOf(const Tensor& tensor);

inline berth_bytes* MakeBytes(std::string data) {
  return new berth_bytes{std::move(data)};
}

}  // namespace berth::capi
