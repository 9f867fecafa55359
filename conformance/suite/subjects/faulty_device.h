// The faulty plugin's device: the template's, with a fault of memory or streams.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "conformance/suite/subjects/faults.h"
#include "sdk/template/device.h"

namespace berth::faulty {

class FaultyStream : public mydevice::Stream {
 public:
  explicit FaultyStream(Fault fault) : fault_(fault) {}

  sdk::Status Copy(const berth_copy_args& args) override {
    if (fault_ == Fault::kCopiesTooMuch && args.target != nullptr &&
        args.target_offset > 0) {
      reinterpret_cast<char*>(args.target)[args.target_offset + args.size] = 'x';
    }
    if (fault_ == Fault::kBusyStream && args.size >= (1 << 18)) {
      // Done in order, a moment later, and nobody waits for it.
      for (std::thread& worker : workers_) worker.join();
      workers_.clear();
      workers_.emplace_back([args] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        (void)mydevice::Stream().Copy(args);
      });
      return {};
    }
    return mydevice::Stream::Copy(args);
  }
  sdk::Status Synchronize() override {
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
    // Says OK where its kernel's work failed, and tells of it at the next occasion.
    if (fault_ == Fault::kLateError && failed.exchange(false)) {
      due_ = true;
      return {};
    }
    if (due_) {
      due_ = false;
      return sdk::Internal("an earlier kernel failed");
    }
    return {};
  }
  ~FaultyStream() override {
    for (std::thread& worker : workers_) worker.detach();
  }

  // Set by the kernel; one stream at a time is used with it.
  static inline std::atomic<bool> failed{false};

 private:
  const Fault fault_;
  bool due_ = false;
  std::vector<std::thread> workers_;
};

class FaultyDevice : public mydevice::Device {
 public:
  explicit FaultyDevice(Fault fault) : fault_(fault) {}

  sdk::Result<berth_memory*> Allocate(berth_memory_kind kind, uint64_t size) override {
    if (fault_ == Fault::kOutOfMemory && size > 4000) {
      return sdk::ResourceExhausted("4000 bytes are all there is");
    }
    if (fault_ == Fault::kMisaligned) {
      char* memory = static_cast<char*>(std::malloc(size + 8 + 64));
      return reinterpret_cast<berth_memory*>(memory + 8);
    }
    ++allocations_;
    return mydevice::Device::Allocate(kind, size);
  }
  void Free(berth_memory* memory) override {
    if (fault_ == Fault::kMisaligned) {
      std::free(reinterpret_cast<char*>(memory) - 8);
      return;
    }
    if (fault_ != Fault::kStaleStatistics) --allocations_;
    mydevice::Device::Free(memory);
  }
  sdk::Result<std::unique_ptr<sdk::Stream>> CreateStream() override {
    return std::unique_ptr<sdk::Stream>(std::make_unique<FaultyStream>(fault_));
  }
  void MemoryStats(berth_memory_stats* stats) override {
    // One MiB each, so that the suite's own probe is counted as it should be.
    stats->num_allocations = allocations_.load();
    stats->bytes_in_use = allocations_.load() << 20;
    stats->peak_bytes_in_use = stats->bytes_in_use;
  }

 private:
  const Fault fault_;
  std::atomic<uint64_t> allocations_{0};
};

}  // namespace berth::faulty
