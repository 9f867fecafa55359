// Status and Result: how every call inside berth reports failure.
//
// OK is a null pointer, so success costs nothing. A message is for a person: it names the
// node, op, dtype and device it is about, what exists instead, and the way out.
// Thread rule: a Status is a value; distinct objects may be used from distinct threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace berth {

// TensorFlow's error codes (tensorflow/core/protobuf/error_codes.proto), as in the ABI.
enum class Code : int32_t {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
};

// "INVALID_ARGUMENT".
std::string_view CodeName(Code code);

class [[nodiscard]] Status {
 public:
  Status() = default;
  // REQUIRES: code != kOk.
  Status(Code code, std::string message);
  Status(const Status& other);
  Status& operator=(const Status& other);
  Status(Status&&) noexcept = default;
  Status& operator=(Status&&) noexcept = default;

  bool ok() const { return rep_ == nullptr; }
  Code code() const { return rep_ ? rep_->code : Code::kOk; }
  // Empty when ok. The view lives as long as this object.
  std::string_view message() const {
    return rep_ ? std::string_view(rep_->message) : std::string_view();
  }
  // "INVALID_ARGUMENT: message" or "OK".
  std::string ToString() const;
  // The same failure with `prefix` in front of its message; OK stays OK.
  Status WithPrefix(std::string_view prefix) const;

 private:
  struct Rep {
    Code code;
    std::string message;
  };
  std::unique_ptr<Rep> rep_;
};

inline Status OkStatus() { return {}; }
Status InvalidArgument(std::string message);
Status NotFound(std::string message);
Status AlreadyExists(std::string message);
Status FailedPrecondition(std::string message);
Status OutOfRange(std::string message);
Status Unimplemented(std::string message);
Status Internal(std::string message);
Status Unavailable(std::string message);
Status DataLoss(std::string message);
Status ResourceExhausted(std::string message);
Status PermissionDenied(std::string message);
Status Cancelled(std::string message);
Status DeadlineExceeded(std::string message);

// A value, or the Status that says why there is none (never OK).
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {}

  bool ok() const { return value_.has_value(); }
  const Status& status() const& { return status_; }
  Status status() && { return std::move(status_); }
  // REQUIRES: ok().
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return *std::move(value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  Status status_;
  std::optional<T> value_;
};

// Prints file, line and condition and stops the process. Used by BERTH_CHECK only.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

}  // namespace berth

#define BERTH_RETURN_IF_ERROR(expr)                                  \
  do {                                                               \
    if (::berth::Status berth_status_ = (expr); !berth_status_.ok()) \
      return berth_status_;                                          \
  } while (0)

#define BERTH_CONCAT_IMPL_(a, b) a##b
#define BERTH_CONCAT_(a, b) BERTH_CONCAT_IMPL_(a, b)
// BERTH_ASSIGN_OR_RETURN(auto x, F()): x gets F's value, or its Status is returned.
#define BERTH_ASSIGN_OR_RETURN(lhs, expr) \
  BERTH_ASSIGN_OR_RETURN_IMPL_(BERTH_CONCAT_(berth_result_, __LINE__), lhs, expr)
#define BERTH_ASSIGN_OR_RETURN_IMPL_(result, lhs, expr) \
  auto result = (expr);                                 \
  if (!result.ok()) return std::move(result).status();  \
  lhs = *std::move(result)

// For invariants of our own code only, never for a caller's or a vendor's input.
#define BERTH_CHECK(condition) \
  ((condition) ? (void)0 : ::berth::CheckFailed(__FILE__, __LINE__, #condition))
