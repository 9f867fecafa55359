// The device: memory and copies. Replace the bodies with calls of your driver.
#pragma once

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "sdk/cpp/plugin.h"

namespace mydevice {

using berth::sdk::Result;
using berth::sdk::Status;

inline constexpr uint64_t kAlignment = 64;

// This device computes on the calling thread, in host memory: its stream is a formality.
class Stream : public berth::sdk::Stream {
 public:
  Status Copy(const berth_copy_args& args) override {
    const char* from = args.source_host != nullptr
                           ? static_cast<const char*>(args.source_host)
                           : reinterpret_cast<char*>(args.source) + args.source_offset;
    char* to = args.target_host != nullptr
                   ? static_cast<char*>(args.target_host)
                   : reinterpret_cast<char*>(args.target) + args.target_offset;
    if (args.size > 0) std::memcpy(to, from, args.size);
    return {};
  }
  Status Synchronize() override { return {}; }
  Status Record(berth::sdk::Event*) override { return {}; }
  Status WaitFor(berth::sdk::Event*) override { return {}; }
};

class Event : public berth::sdk::Event {
 public:
  bool IsDone() override { return true; }
  Status Wait() override { return {}; }
};

class Device : public berth::sdk::Device {
 public:
  Result<berth_memory*> Allocate(berth_memory_kind, uint64_t size) override {
    const uint64_t padded = (size + kAlignment - 1) / kAlignment * kAlignment;
    void* memory = padded < size ? nullptr : std::aligned_alloc(kAlignment, padded);
    if (memory == nullptr) {
      return berth::sdk::ResourceExhausted("no " + std::to_string(size) +
                                           " bytes of host memory are left");
    }
    return static_cast<berth_memory*>(memory);
  }
  void Free(berth_memory* memory) override { std::free(memory); }
  void* HostAddress(berth_memory* memory) override { return memory; }
  Result<std::unique_ptr<berth::sdk::Stream>> CreateStream() override {
    return std::unique_ptr<berth::sdk::Stream>(std::make_unique<Stream>());
  }
  Result<std::unique_ptr<berth::sdk::Event>> CreateEvent() override {
    return std::unique_ptr<berth::sdk::Event>(std::make_unique<Event>());
  }
  Status Synchronize() override { return {}; }
};

}  // namespace mydevice
