// A device for test plugins on the C++ layer: host memory, work done at once.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "sdk/cpp/plugin.h"

namespace layer_plugin {

class Device : public berth::sdk::Device {
 public:
  berth::sdk::Result<berth_memory*> Allocate(berth_memory_kind, uint64_t size) override {
    return reinterpret_cast<berth_memory*>(std::aligned_alloc(64, (size + 63) / 64 * 64));
  }
  void Free(berth_memory* memory) override { std::free(memory); }
  void* HostAddress(berth_memory* memory) override { return memory; }
  berth::sdk::Result<std::unique_ptr<berth::sdk::Stream>> CreateStream() override {
    return berth::sdk::Unimplemented("no streams here");
  }
  berth::sdk::Result<std::unique_ptr<berth::sdk::Event>> CreateEvent() override {
    return berth::sdk::Unimplemented("no events here");
  }
  berth::sdk::Status Synchronize() override { return {}; }
};

// One host device of the given type; no kernels.
class Plugin : public berth::sdk::Plugin {
 public:
  Plugin(const char* name, const char* version, const char* type)
      : name_(name), version_(version), type_(type) {}
  Identity identity() const override { return {name_, version_, "berth"}; }
  berth::sdk::Status Enumerate(std::vector<berth::sdk::DeviceInfo>* out,
                               std::string*) override {
    berth::sdk::DeviceInfo info;
    info.type = type_;
    info.name = name_;
    info.flags = BERTH_DEVICE_IS_HOST | BERTH_DEVICE_SYNCHRONOUS;
    out->push_back(info);
    return {};
  }
  berth::sdk::Result<std::unique_ptr<berth::sdk::Device>> Open(uint32_t) override {
    return std::unique_ptr<berth::sdk::Device>(std::make_unique<Device>());
  }
  const std::vector<const berth_kernel_def*>& kernels() override { return kernels_; }

 private:
  const char* name_;
  const char* version_;
  const char* type_;
  std::vector<const berth_kernel_def*> kernels_;
};

}  // namespace layer_plugin
