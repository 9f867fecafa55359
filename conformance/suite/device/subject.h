// The plugin under test: loaded through berth's own loader, with one device open.
#pragma once

#include <berth/plugin.h>

#include <memory>
#include <string>
#include <vector>

#include "conformance/suite/case.h"
#include "core/base/status.h"
#include "core/plugin/loader.h"
#include "core/registry/device.h"
#include "core/registry/kernel_registry.h"

namespace berth::conformance {

// Stays loaded for the process's life once opened. Its members may be called from any
// thread.
class Subject {
 public:
  // Loads the plugin and opens the device that the options name (the plugin's first one
  // where they name none). Errors carry the loader's stage, text and remedy.
  static Result<std::unique_ptr<Subject>> Open(const SuiteOptions& options);

  const LoadedPlugin& plugin() const { return *plugin_; }
  const berth_device_api& api() const { return *device_->api(); }
  const berth_host* host() const { return plugin_->host; }
  const DeviceDesc& desc() const { return device_->desc(); }
  berth_device* device() const { return handle_; }
  bool is_host() const { return device_->is_host(); }
  bool is_synchronous() const { return device_->is_synchronous(); }
  // The rows for this device's type, fastest first, as the host would try them.
  const std::vector<const KernelEntry*>& rows() const { return rows_; }
  SubjectInfo Describe() const;

 private:
  Subject() = default;
  void SetOptions(const std::string& plugin, const SuiteOptions& options);

  PluginManager manager_;
  const LoadedPlugin* plugin_ = nullptr;
  Device* device_ = nullptr;
  berth_device* handle_ = nullptr;
  std::vector<const KernelEntry*> rows_;
};

// Turns a call's code and error into a Status that names the call; releases the error.
Status Taken(berth_status_code code, berth_error* error, const char* call);

// A stream of the subject's device; NULL inside on devices that compute synchronously.
class Stream {
 public:
  static Result<std::unique_ptr<Stream>> Make(const Subject& subject);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  berth_stream* get() const { return stream_; }
  const Subject& subject() const { return subject_; }
  Status Synchronize() const;
  Status Copy(const berth_copy_args& args) const;

 private:
  explicit Stream(const Subject& subject) : subject_(subject) {}

  const Subject& subject_;
  berth_stream* stream_ = nullptr;
};

// Device memory that frees itself.
class Memory {
 public:
  // REQUIRES: size > 0.
  static Result<Memory> Make(const Subject& subject, uint64_t size,
                             berth_memory_kind kind = BERTH_MEMORY_DEVICE);
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&& other) noexcept;
  ~Memory();

  berth_memory* get() const { return memory_; }
  uint64_t size() const { return size_; }
  // NULL where the host cannot address it.
  char* address() const;

  // Whole transfers, waited for.
  Status Write(const Stream& stream, const std::vector<char>& bytes, uint64_t offset = 0);
  Status Read(const Stream& stream, std::vector<char>* bytes, uint64_t offset = 0) const;

 private:
  Memory(const Subject& subject, berth_memory* memory, uint64_t size)
      : subject_(&subject), memory_(memory), size_(size) {}

  const Subject* subject_;
  berth_memory* memory_;
  uint64_t size_;
};

}  // namespace berth::conformance
