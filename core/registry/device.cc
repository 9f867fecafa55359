#include "core/registry/device.h"

#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/registry/abi_read.h"

namespace berth {

namespace {

// Who uses a device, shared with the logical ones made from it.
struct Use {
  absl::Mutex mutex;
  int users ABSL_GUARDED_BY(mutex) = 0;
  bool retired ABSL_GUARDED_BY(mutex) = false;
};

}  // namespace

struct Device::Impl {
  absl::Mutex mutex;
  std::optional<Result<berth_device*>> opened ABSL_GUARDED_BY(mutex);
  std::shared_ptr<Use> use = std::make_shared<Use>();
};

Device::Device(DeviceDesc desc, const berth_plugin* plugin, uint32_t list_index,
               const berth_host* host)
    : desc_(std::move(desc)),
      plugin_(plugin),
      list_index_(list_index),
      host_(host),
      impl_(std::make_unique<Impl>()) {
  if (plugin != nullptr && BERTH_HAS_FIELD(plugin, berth_plugin, devices)) {
    api_ = ReadAbi(plugin->devices);
  }
}

Device::~Device() { Close(); }

std::unique_ptr<Device> Device::Renumbered(int index) const {
  DeviceDesc desc = desc_;
  desc.index = index;
  desc.full_name =
      desc.full_name.substr(0, desc.full_name.rfind(':') + 1) + std::to_string(index);
  auto device = std::make_unique<Device>(std::move(desc), plugin_, list_index_, host_);
  device->impl_->use = impl_->use;
  return device;
}

Result<berth_device*> Device::Open() {
  {
    absl::MutexLock lock(&impl_->use->mutex);
    if (impl_->use->retired) {
      return FailedPrecondition("device " + name() + " was closed: its plugin '" +
                                desc_.plugin_name + "' is being unloaded");
    }
  }
  absl::MutexLock lock(&impl_->mutex);
  if (impl_->opened.has_value()) return *impl_->opened;
  if (plugin_ == nullptr) {
    return FailedPrecondition("device " + name() +
                              " is a description alone: nothing can run there");
  }
  if (api_.open == nullptr) {
    impl_->opened = Unimplemented("plugin '" + desc_.plugin_name + "' lists the device " +
                                  name() + " but its table has no `open`");
    return *impl_->opened;
  }
  berth_open_args args = {};
  args.struct_size = sizeof(args);
  args.device_list_index = list_index_;
  berth_device* handle = nullptr;
  berth_error error = EmptyError();
  const berth_status_code code = api_.open(plugin_->context, &args, &handle, &error);
  if (code != BERTH_OK) {
    impl_->opened = TakeError(code, &error, "opening device " + name());
  } else if (handle == nullptr) {
    impl_->opened = Internal("opening device " + name() + ": plugin '" +
                             desc_.plugin_name + "' answered OK without a device");
  } else {
    impl_->opened = handle;
  }
  return *impl_->opened;
}

Status Device::Acquire() {
  Use& use = *impl_->use;
  absl::MutexLock lock(&use.mutex);
  if (use.retired) {
    return FailedPrecondition("device " + name() + " is gone: its plugin '" +
                              desc_.plugin_name +
                              "' was unloaded; create the session anew");
  }
  ++use.users;
  return OkStatus();
}

void Device::Release() {
  Use& use = *impl_->use;
  absl::MutexLock lock(&use.mutex);
  BERTH_CHECK(use.users > 0);
  --use.users;
}

bool Device::in_use() const {
  Use& use = *impl_->use;
  absl::MutexLock lock(&use.mutex);
  return use.users > 0;
}

bool Device::Retire() {
  Use& use = *impl_->use;
  absl::MutexLock lock(&use.mutex);
  if (use.users > 0) return false;
  use.retired = true;
  return true;
}

void Device::Restore() {
  Use& use = *impl_->use;
  absl::MutexLock lock(&use.mutex);
  use.retired = false;
}

void Device::Close() {
  absl::MutexLock lock(&impl_->mutex);
  if (impl_->opened.has_value() && impl_->opened->ok() && api_.close != nullptr) {
    api_.close(**impl_->opened);
  }
  impl_->opened.reset();
}

Status TakeError(berth_status_code code, berth_error* error, std::string_view context) {
  std::string text(context);
  if (!text.empty()) text += ": ";
  if (error != nullptr && error->message != nullptr && error->message[0] != '\0') {
    text += error->message;
  } else {
    text += "the plugin gave no reason";
  }
  if (error != nullptr && error->release != nullptr) error->release(error);
  if (error != nullptr) *error = EmptyError();
  if (code == BERTH_OK) return OkStatus();
  const int number = static_cast<int>(code);
  if (number < 0 || number > static_cast<int>(Code::kDataLoss)) {
    return {Code::kUnknown, text + " (code " + std::to_string(number) + ")"};
  }
  return {static_cast<Code>(number), std::move(text)};
}

berth_status_code GiveError(const Status& status, berth_error* error) {
  const auto code = static_cast<berth_status_code>(status.code());
  if (status.ok() || error == nullptr ||
      !BERTH_HAS_FIELD(error, berth_error, private_data)) {
    return code;
  }
  const size_t size = status.message().size();
  char* copy = static_cast<char*>(std::malloc(size + 1));
  if (copy == nullptr) {
    error->message = "out of memory while reporting an error";
    return code;
  }
  std::memcpy(copy, status.message().data(), size);
  copy[size] = '\0';
  error->message = copy;
  error->private_data = copy;
  error->release = [](berth_error* self) { std::free(self->private_data); };
  return code;
}

berth_error EmptyError() {
  berth_error error = {};
  error.struct_size = sizeof(error);
  return error;
}

}  // namespace berth
