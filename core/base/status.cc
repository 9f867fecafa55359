#include "core/base/status.h"

#include <cstdio>
#include <cstdlib>

namespace berth {

std::string_view CodeName(Code code) {
  switch (code) {
    case Code::kOk:
      return "OK";
    case Code::kCancelled:
      return "CANCELLED";
    case Code::kUnknown:
      return "UNKNOWN";
    case Code::kInvalidArgument:
      return "INVALID_ARGUMENT";
    case Code::kDeadlineExceeded:
      return "DEADLINE_EXCEEDED";
    case Code::kNotFound:
      return "NOT_FOUND";
    case Code::kAlreadyExists:
      return "ALREADY_EXISTS";
    case Code::kPermissionDenied:
      return "PERMISSION_DENIED";
    case Code::kResourceExhausted:
      return "RESOURCE_EXHAUSTED";
    case Code::kFailedPrecondition:
      return "FAILED_PRECONDITION";
    case Code::kAborted:
      return "ABORTED";
    case Code::kOutOfRange:
      return "OUT_OF_RANGE";
    case Code::kUnimplemented:
      return "UNIMPLEMENTED";
    case Code::kInternal:
      return "INTERNAL";
    case Code::kUnavailable:
      return "UNAVAILABLE";
    case Code::kDataLoss:
      return "DATA_LOSS";
  }
  return "UNKNOWN";
}

Status::Status(Code code, std::string message)
    : rep_(std::make_unique<Rep>(Rep{code, std::move(message)})) {
  BERTH_CHECK(code != Code::kOk);
}

Status::Status(const Status& other)
    : rep_(other.rep_ ? std::make_unique<Rep>(*other.rep_) : nullptr) {}

Status& Status::operator=(const Status& other) {
  if (this != &other) rep_ = other.rep_ ? std::make_unique<Rep>(*other.rep_) : nullptr;
  return *this;
}

std::string Status::ToString() const {
  if (ok()) return "OK";
  return std::string(CodeName(code())) + ": " + rep_->message;
}

Status Status::WithPrefix(std::string_view prefix) const {
  if (ok()) return {};
  return {code(), std::string(prefix) + rep_->message};
}

Status InvalidArgument(std::string message) {
  return {Code::kInvalidArgument, std::move(message)};
}
Status NotFound(std::string message) { return {Code::kNotFound, std::move(message)}; }
Status AlreadyExists(std::string message) {
  return {Code::kAlreadyExists, std::move(message)};
}
Status FailedPrecondition(std::string message) {
  return {Code::kFailedPrecondition, std::move(message)};
}
Status OutOfRange(std::string message) { return {Code::kOutOfRange, std::move(message)}; }
Status Unimplemented(std::string message) {
  return {Code::kUnimplemented, std::move(message)};
}
Status Internal(std::string message) { return {Code::kInternal, std::move(message)}; }
Status Unavailable(std::string message) {
  return {Code::kUnavailable, std::move(message)};
}
Status DataLoss(std::string message) { return {Code::kDataLoss, std::move(message)}; }
Status ResourceExhausted(std::string message) {
  return {Code::kResourceExhausted, std::move(message)};
}
Status PermissionDenied(std::string message) {
  return {Code::kPermissionDenied, std::move(message)};
}
Status Cancelled(std::string message) { return {Code::kCancelled, std::move(message)}; }
Status DeadlineExceeded(std::string message) {
  return {Code::kDeadlineExceeded, std::move(message)};
}

void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: invariant broken: %s\n", file, line, condition);
  std::abort();
}

}  // namespace berth
