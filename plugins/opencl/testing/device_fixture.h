// Devices made in the test itself, without the plugin around them.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "plugins/opencl/context.h"
#include "plugins/opencl/device.h"
#include "plugins/opencl/stream.h"
#include "plugins/opencl/testing/test_host.h"

namespace berth::opencl::testing {

// The first physical device, cut into two logical ones that share a context.
class DeviceFixture : public ::testing::Test {
 protected:
  void SetUp() override {
    std::vector<std::string> problems;
    std::string why_none;
    physical_ = ListPhysicalDevices(&problems, &why_none);
    ASSERT_FALSE(physical_.empty()) << why_none;
    context_ = MakeContext();
    const std::vector<sdk::DeviceInfo> parts = LogicalDevices(physical_, 2);
    for (std::unique_ptr<sdk::Device>& device : devices_) {
      auto made = OpenClDevice::Create(context_, parts[&device - devices_]);
      ASSERT_TRUE(made.ok()) << made.status().message();
      device = std::move(*made);
    }
    stream_ = MakeStream();
  }
  // Streams go before their device.
  void TearDown() override { stream_.reset(); }

  std::shared_ptr<Context> MakeContext() {
    auto made = Context::Create(physical_[0], Settings(), host_);
    EXPECT_TRUE(made.ok()) << made.status().message();
    return made.ok() ? *made : nullptr;
  }
  std::unique_ptr<sdk::Stream> MakeStream(int device = 0) {
    auto made = devices_[device]->CreateStream();
    EXPECT_TRUE(made.ok()) << made.status().message();
    return std::move(*made);
  }
  std::unique_ptr<sdk::Event> MakeEvent() {
    return std::move(*devices_[0]->CreateEvent());
  }

  // Copies of host memory, put on a stream and not waited for.
  Status Upload(sdk::Stream* stream, const std::string& text, berth_memory* to,
                uint64_t offset = 0) {
    const std::string& from = sent_.emplace_back(text);
    berth_copy_args args = {};
    args.struct_size = sizeof(args);
    args.direction = BERTH_COPY_HOST_TO_DEVICE;
    args.size = from.size();
    args.source_host = from.data();
    args.target = to;
    args.target_offset = offset;
    return stream->Copy(args);
  }
  static Status Download(sdk::Stream* stream, berth_memory* from, std::string* to,
                         uint64_t offset = 0) {
    berth_copy_args args = {};
    args.struct_size = sizeof(args);
    args.direction = BERTH_COPY_DEVICE_TO_HOST;
    args.size = to->size();
    args.target_host = to->data();
    args.source = from;
    args.source_offset = offset;
    return stream->Copy(args);
  }
  // What a memory holds, waited for.
  static std::string Contents(sdk::Stream* stream, berth_memory* memory, size_t size) {
    std::string text(size, '?');
    EXPECT_TRUE(Download(stream, memory, &text).ok());
    EXPECT_TRUE(stream->Synchronize().ok());
    return text;
  }

  const sdk::Host host_{TestHost::Get()->table()};
  std::vector<PhysicalDevice> physical_;
  std::shared_ptr<Context> context_;
  std::unique_ptr<sdk::Device> devices_[2];
  std::unique_ptr<sdk::Stream> stream_;
  std::deque<std::string> sent_;  // a source stays until its copy is done
};

// Device memory that frees itself.
class ScopedMemory {
 public:
  ScopedMemory(sdk::Device* device, uint64_t size,
               berth_memory_kind kind = BERTH_MEMORY_DEVICE)
      : device_(device) {
    auto made = device->Allocate(kind, size);
    EXPECT_TRUE(made.ok()) << made.status().message();
    if (made.ok()) memory_ = *made;
  }
  ~ScopedMemory() { device_->Free(memory_); }
  ScopedMemory(const ScopedMemory&) = delete;
  ScopedMemory& operator=(const ScopedMemory&) = delete;
  berth_memory* get() const { return memory_; }

 private:
  sdk::Device* device_;
  berth_memory* memory_ = nullptr;
};

// Holds a stream back until Open.
class Gate {
 public:
  Gate(const Context& context, sdk::Stream* stream) {
    cl_int code = CL_SUCCESS;
    event_.reset(clCreateUserEvent(context.cl(), &code));
    EXPECT_EQ(code, CL_SUCCESS);
    cl_event event = event_.get();
    EXPECT_EQ(clEnqueueBarrierWithWaitList(static_cast<OpenClStream*>(stream)->queue(), 1,
                                           &event, nullptr),
              CL_SUCCESS);
  }
  // A queue that waits for ever would hang the test that failed.
  ~Gate() { Open(); }
  void Open() {
    if (!is_open_) clSetUserEventStatus(event_.get(), CL_COMPLETE);
    is_open_ = true;
  }

 private:
  ClEvent event_;
  bool is_open_ = false;
};

}  // namespace berth::opencl::testing
