// Status and Result of the C++ layer, and their way across the ABI.
#pragma once

#include <berth/status.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sdk/cpp/namespace.h"

BERTH_SDK_BEGIN

// A code and a message for a person. OK is one null pointer: returning it costs nothing.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(berth_status_code code, std::string message)
      : rep_(code == BERTH_OK ? nullptr
                              : std::make_unique<Rep>(Rep{code, std::move(message)})) {}
  Status(Status&&) noexcept = default;
  Status& operator=(Status&&) noexcept = default;
  Status(const Status& other)
      : rep_(other.rep_ ? std::make_unique<Rep>(*other.rep_) : nullptr) {}
  Status& operator=(const Status& other) {
    if (this != &other) rep_ = other.rep_ ? std::make_unique<Rep>(*other.rep_) : nullptr;
    return *this;
  }

  bool ok() const { return rep_ == nullptr; }
  berth_status_code code() const { return rep_ ? rep_->code : BERTH_OK; }
  const char* message() const { return rep_ ? rep_->message.c_str() : ""; }

 private:
  struct Rep {
    berth_status_code code;
    std::string message;
  };
  std::unique_ptr<Rep> rep_;
};

inline Status InvalidArgument(std::string message) {
  return {BERTH_INVALID_ARGUMENT, std::move(message)};
}
inline Status OutOfRange(std::string message) {
  return {BERTH_OUT_OF_RANGE, std::move(message)};
}
inline Status ResourceExhausted(std::string message) {
  return {BERTH_RESOURCE_EXHAUSTED, std::move(message)};
}
inline Status FailedPrecondition(std::string message) {
  return {BERTH_FAILED_PRECONDITION, std::move(message)};
}
inline Status Unimplemented(std::string message) {
  return {BERTH_UNIMPLEMENTED, std::move(message)};
}
inline Status Internal(std::string message) {
  return {BERTH_INTERNAL, std::move(message)};
}

// A value or the reason why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {}

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  T& operator*() { return *value_; }
  T* operator->() { return &*value_; }

 private:
  Status status_;
  std::optional<T> value_;
};

// Copies `message` into an error of the caller's. For the layer's own trampolines and for
// plugins that implement a table by hand.
inline berth_status_code FillError(berth_error* error, berth_status_code code,
                                   const char* message) noexcept {
  if (error == nullptr || !BERTH_HAS_FIELD(error, berth_error, private_data)) return code;
  const size_t size = std::strlen(message) + 1;
  char* copy = static_cast<char*>(std::malloc(size));
  if (copy == nullptr) {
    error->message = "out of memory while reporting an error";
    return code;
  }
  std::memcpy(copy, message, size);
  error->message = copy;
  error->private_data = copy;
  error->release = [](berth_error* self) { std::free(self->private_data); };
  return code;
}

// Hands a Status over the ABI.
inline berth_status_code ToAbi(const Status& status, berth_error* error) noexcept {
  if (status.ok()) return BERTH_OK;
  return FillError(error, status.code(), status.message());
}

// Runs `body` (returning Status) behind the catch-all that every entry of a table needs.
template <typename Body>
berth_status_code Guard(berth_error* error, Body&& body) noexcept {
  try {
    return ToAbi(body(), error);
  } catch (const std::bad_alloc&) {
    return FillError(error, BERTH_RESOURCE_EXHAUSTED, "out of host memory in the plugin");
  } catch (const std::exception& e) {
    return FillError(error, BERTH_INTERNAL, e.what());
  } catch (...) {
    return FillError(error, BERTH_INTERNAL,
                     "the plugin threw something that is no exception");
  }
}

BERTH_SDK_END

#define BERTH_SDK_RETURN_IF_ERROR(expr)                                   \
  do {                                                                    \
    if (::berth::sdk::Status berth_status_ = (expr); !berth_status_.ok()) \
      return berth_status_;                                               \
  } while (0)
