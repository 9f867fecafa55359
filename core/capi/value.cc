// Bytes, values and errors of the C API.
#include <cstdlib>
#include <cstring>

#include "core/base/printable.h"
#include "core/capi/capi_internal.h"

using berth::InvalidArgument;
using berth::Shape;
using berth::Status;
using berth::Tensor;
using berth::capi::Guard;

namespace berth::capi {

berth_status_code ToC(const Status& status, berth_error* error) noexcept {
  const auto code = static_cast<berth_status_code>(status.code());
  if (status.ok() || error == nullptr) return code;
  if (!BERTH_HAS_FIELD(error, berth_error, private_data)) return code;
  const std::string message = Printable(status.message());
  char* copy = static_cast<char*>(std::malloc(message.size() + 1));
  if (copy == nullptr) {
    error->message = "out of memory while reporting an error";
    return code;
  }
  std::memcpy(copy, message.data(), message.size());
  copy[message.size()] = '\0';
  error->message = copy;
  error->private_data = copy;
  error->release = [](berth_error* self) { std::free(self->private_data); };
  return code;
}

Tensor AliasOf(const Tensor& tensor) {
  return {tensor.dtype(), tensor.shape(),
          WrapHostMemory(tensor.raw(), tensor.byte_size(), nullptr, nullptr)};
}

namespace {

// Calls the caller's release with both of its arguments when the last reference goes.
struct WrappedRelease {
  berth_release_fn release;
  void* data;
  void* arg;
  static void Call(void* self) {
    std::unique_ptr<WrappedRelease> wrapped(static_cast<WrappedRelease*>(self));
    if (wrapped->release != nullptr) wrapped->release(wrapped->data, wrapped->arg);
  }
};

Result<Shape> ToShape(const int64_t* dims, int32_t rank) {
  if (rank < 0 || (rank > 0 && dims == nullptr)) {
    return InvalidArgument("a value needs a rank of at least 0 and its sizes, not rank " +
                           std::to_string(rank));
  }
  BERTH_RETURN_IF_ERROR(Shape::CheckedElements(dims, static_cast<size_t>(rank)).status());
  return Shape(dims, static_cast<size_t>(rank));
}

Status Wrap(const berth_wrap_args& args, berth_value** out_value) {
  BERTH_ASSIGN_OR_RETURN(const Shape shape, ToShape(args.dims, args.rank));
  const size_t element = DTypeSize(args.dtype);
  if (element == 0 || IsRefType(args.dtype)) {
    return InvalidArgument("memory of type " + std::string(DTypeName(args.dtype)) +
                           " cannot be wrapped; use berth_value_create");
  }
  uint64_t needed = 0;
  if (__builtin_mul_overflow(static_cast<uint64_t>(shape.num_elements()), element,
                             &needed) ||
      needed > args.size || (args.data == nullptr && needed > 0)) {
    return InvalidArgument(std::string(DTypeName(args.dtype)) + " " + shape.ToString() +
                           " needs more than the " + std::to_string(args.size) +
                           " bytes given");
  }
  auto release = std::make_unique<WrappedRelease>(
      WrappedRelease{args.release, args.data, args.release_arg});
  auto value = std::make_unique<berth_value>();
  value->tensor =
      Tensor(args.dtype, shape,
             WrapHostMemory(args.data, needed, &WrappedRelease::Call, release.release()));
  value->alias = AliasOf(value->tensor);
  value->wraps_caller = true;
  *out_value = value.release();
  return {};
}

Status CheckElement(const berth_value* value, int64_t i) {
  if (value->tensor.dtype() != BERTH_STRING) {
    return InvalidArgument("a value of type " +
                           std::string(DTypeName(value->tensor.dtype())) +
                           " has no strings");
  }
  if (i < 0 || i >= value->tensor.num_elements()) {
    return OutOfRange("element " + std::to_string(i) + " of a value with " +
                      std::to_string(value->tensor.num_elements()) + " elements");
  }
  return {};
}

}  // namespace
}  // namespace berth::capi

extern "C" {

const char* berth_version(void) { return BERTH_VERSION_STRING; }

const void* berth_bytes_data(const berth_bytes* bytes) { return bytes->data.c_str(); }
size_t berth_bytes_size(const berth_bytes* bytes) { return bytes->data.size(); }
void berth_bytes_free(berth_bytes* bytes) { delete bytes; }

berth_status_code berth_value_create(int32_t dtype, const int64_t* dims, int32_t rank,
                                     berth_value** out_value, berth_error* error) {
  return Guard(error, [&]() -> Status {
    BERTH_ASSIGN_OR_RETURN(const Shape shape, berth::capi::ToShape(dims, rank));
    BERTH_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, shape));
    if (dtype != BERTH_STRING && tensor.byte_size() > 0) {
      std::memset(tensor.raw(), 0, tensor.byte_size());
    }
    *out_value = new berth_value{std::move(tensor), {}, false};
    return {};
  });
}

berth_status_code berth_value_wrap(const berth_wrap_args* args, berth_value** out_value,
                                   berth_error* error) {
  return Guard(error, [&] { return berth::capi::Wrap(*args, out_value); });
}

int32_t berth_value_dtype(const berth_value* value) { return value->tensor.dtype(); }
int32_t berth_value_rank(const berth_value* value) {
  return value->tensor.shape().rank();
}
int64_t berth_value_dim(const berth_value* value, int32_t i) {
  return i >= 0 && i < value->tensor.shape().rank() ? value->tensor.shape().dim(i) : -1;
}
int64_t berth_value_num_elements(const berth_value* value) {
  return value->tensor.num_elements();
}
void* berth_value_data(const berth_value* value) {
  return value->tensor.dtype() == BERTH_STRING ? nullptr : value->tensor.raw();
}
uint64_t berth_value_byte_size(const berth_value* value) {
  return value->tensor.dtype() == BERTH_STRING ? 0 : value->tensor.byte_size();
}

berth_status_code berth_value_get_string(const berth_value* value, int64_t i,
                                         berth_string* out_string, berth_error* error) {
  return Guard(error, [&]() -> Status {
    BERTH_RETURN_IF_ERROR(berth::capi::CheckElement(value, i));
    const std::string& text = value->tensor.strings()[i];
    *out_string = {text.data(), text.size()};
    return {};
  });
}

berth_status_code berth_value_set_string(berth_value* value, int64_t i,
                                         berth_string string, berth_error* error) {
  return Guard(error, [&]() -> Status {
    BERTH_RETURN_IF_ERROR(berth::capi::CheckElement(value, i));
    if (!value->tensor.buffer()->IsUnique()) {
      return berth::FailedPrecondition(
          "the value's memory is shared with another value or a run; make a new value");
    }
    value->tensor.mutable_strings()[i].assign(string.data, string.size);
    return {};
  });
}

void berth_value_free(berth_value* value) { delete value; }

}  // extern "C"
