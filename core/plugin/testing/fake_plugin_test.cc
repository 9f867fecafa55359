#include "core/plugin/testing/fake_plugin.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "core/registry/device.h"

namespace berth::testing {
namespace {

class FakePluginTest : public ::testing::Test {
 protected:
  void Open(FakeDevices devices) {
    plugin_ = std::make_unique<FakePlugin>("fake", std::vector<FakeDevices>{devices},
                                           std::vector<FakeKernel>{});
    DeviceDesc desc;
    desc.full_name = "/device:GPU:0";
    device_ = std::make_unique<Device>(desc, plugin_->table(), 0);
    ASSERT_TRUE(device_->Open().ok());
    handle_ = *device_->Open();
    api_ = device_->api();
    ASSERT_EQ(api_->create_stream(handle_, &stream_, nullptr), BERTH_OK);
    ASSERT_EQ(api_->create_event(handle_, &event_, nullptr), BERTH_OK);
  }
  ~FakePluginTest() override {
    if (plugin_ == nullptr) return;
    plugin_->ReleaseStreams();
    api_->destroy_stream(stream_);
    api_->destroy_event(event_);
  }
  berth_memory* Allocate(uint64_t size) {
    berth_memory* memory = nullptr;
    EXPECT_EQ(api_->allocate(handle_, BERTH_MEMORY_DEVICE, size, &memory, nullptr),
              BERTH_OK);
    return memory;
  }
  void Copy(const void* from, berth_memory* source, void* to, berth_memory* target,
            uint64_t size) {
    berth_copy_args args = {};
    args.struct_size = sizeof(args);
    args.direction = source == nullptr   ? BERTH_COPY_HOST_TO_DEVICE
                     : target == nullptr ? BERTH_COPY_DEVICE_TO_HOST
                                         : BERTH_COPY_DEVICE_TO_DEVICE;
    args.size = size;
    args.source_host = from;
    args.target_host = to;
    args.source = source;
    args.target = target;
    ASSERT_EQ(api_->copy(stream_, &args, nullptr), BERTH_OK);
  }

  std::unique_ptr<FakePlugin> plugin_;
  std::unique_ptr<Device> device_;
  berth_device* handle_ = nullptr;
  const berth_device_api* api_ = nullptr;
  berth_stream* stream_ = nullptr;
  berth_event* event_ = nullptr;
};

TEST_F(FakePluginTest, HeldStreamRunsNothingUntilReleased) {
  Open({});
  berth_memory* memory = Allocate(8);
  EXPECT_EQ(api_->host_address(handle_, memory), nullptr);
  plugin_->HoldStreams();
  const int64_t in = 42;
  int64_t out = 0;
  Copy(&in, nullptr, nullptr, memory, 8);
  Copy(nullptr, memory, &out, nullptr, 8);
  ASSERT_EQ(api_->record_event(stream_, event_, nullptr), BERTH_OK);
  EXPECT_EQ(api_->query_event(event_), 0);
  EXPECT_EQ(out, 0);
  plugin_->ReleaseStreams();
  EXPECT_EQ(api_->wait_event(event_, nullptr), BERTH_OK);
  EXPECT_EQ(out, 42);
  EXPECT_NE(api_->event_timestamp(event_), 0U);
  const FakeCounters counters = plugin_->counters();
  EXPECT_EQ(counters.copies_to_device, 1);
  EXPECT_EQ(counters.copies_to_host, 1);
  EXPECT_EQ(counters.host_waits, 1);
  EXPECT_EQ(counters.bytes_in_use, 8);
  api_->free(handle_, memory);
  EXPECT_EQ(plugin_->counters().bytes_in_use, 0);
}

TEST_F(FakePluginTest, StreamsWaitForEventsOfOthers) {
  Open({});
  berth_stream* other = nullptr;
  ASSERT_EQ(api_->create_stream(handle_, &other, nullptr), BERTH_OK);
  berth_event* done = nullptr;
  ASSERT_EQ(api_->create_event(handle_, &done, nullptr), BERTH_OK);
  berth_memory* memory = Allocate(8);
  const int64_t in = 7;
  Copy(&in, nullptr, nullptr, memory, 8);
  ASSERT_EQ(api_->record_event(stream_, event_, nullptr), BERTH_OK);
  ASSERT_EQ(api_->stream_wait_event(other, event_, nullptr), BERTH_OK);
  ASSERT_EQ(api_->record_event(other, done, nullptr), BERTH_OK);
  EXPECT_EQ(api_->wait_event(done, nullptr), BERTH_OK);
  EXPECT_EQ(api_->query_event(event_), 1);
  int calls = 0;
  ASSERT_EQ(api_->on_ready(
                done,
                [](void* arg, berth_status_code code, const char*) {
                  EXPECT_EQ(code, BERTH_OK);
                  ++*static_cast<int*>(arg);
                },
                &calls),
            BERTH_OK);
  EXPECT_EQ(calls, 1);
  api_->destroy_stream(other);
  api_->destroy_event(done);
  api_->free(handle_, memory);
}

TEST_F(FakePluginTest, MemoryLimitIsKept) {
  FakeDevices devices;
  devices.memory_bytes = 100;
  Open(devices);
  berth_memory* memory = Allocate(60);
  berth_memory* second = nullptr;
  berth_error error = EmptyError();
  const berth_status_code code =
      api_->allocate(handle_, BERTH_MEMORY_DEVICE, 60, &second, &error);
  EXPECT_EQ(code, BERTH_RESOURCE_EXHAUSTED);
  EXPECT_NE(std::string(TakeError(code, &error, "").message()).find("60"),
            std::string::npos);
  plugin_->LimitMemory(200);
  ASSERT_EQ(api_->allocate(handle_, BERTH_MEMORY_DEVICE, 60, &second, nullptr), BERTH_OK);
  api_->free(handle_, memory);
  api_->free(handle_, second);
}

TEST_F(FakePluginTest, FailureTravelsWithEventsUntilTheStreamIsSynchronised) {
  FakeKernel failing;
  failing.op = "Relu";
  failing.device_type = "GPU";
  failing.compute = [](berth_compute_context*) { return OutOfRange("bad index"); };
  plugin_ = std::make_unique<FakePlugin>("fake", std::vector<FakeDevices>{FakeDevices{}},
                                         std::vector<FakeKernel>{failing});
  device_ = std::make_unique<Device>(DeviceDesc(), plugin_->table(), 0);
  handle_ = *device_->Open();
  api_ = device_->api();
  ASSERT_EQ(api_->create_stream(handle_, &stream_, nullptr), BERTH_OK);
  ASSERT_EQ(api_->create_event(handle_, &event_, nullptr), BERTH_OK);
  const berth_kernel_def* def = plugin_->table()->kernels[0];
  const berth_node node = {};
  berth_kernel* kernel = nullptr;
  ASSERT_EQ(def->create(def, handle_, &node, &kernel, nullptr), BERTH_OK);
  berth_compute_context context = {};
  context.struct_size = sizeof(context);
  context.stream = stream_;
  EXPECT_EQ(def->compute(kernel, nullptr, &context, nullptr), BERTH_OK);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(api_->record_event(stream_, event_, nullptr), BERTH_OK);
    EXPECT_EQ(api_->wait_event(event_, nullptr), BERTH_OUT_OF_RANGE);
  }
  EXPECT_EQ(api_->synchronize_stream(stream_, nullptr), BERTH_OUT_OF_RANGE);
  EXPECT_EQ(api_->synchronize_stream(stream_, nullptr), BERTH_OK);
  def->destroy(kernel);
}

}  // namespace
}  // namespace berth::testing
