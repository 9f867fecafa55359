#include "core/executor/allocator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "core/plugin/testing/fake_plugin.h"
#include "core/registry/device.h"

namespace berth::executor {
namespace {

using ::testing::HasSubstr;

class AllocatorTest : public ::testing::Test {
 protected:
  static constexpr uint64_t kMiB = uint64_t{1} << 20;

  void Make(const DeviceAllocator::Options& options, uint64_t memory_bytes = 64 * kMiB,
            uint64_t largest = 0) {
    testing::FakeDevices devices;
    devices.memory_bytes = memory_bytes;
    devices.largest_allocation = largest;
    plugin_ = std::make_unique<testing::FakePlugin>("fake", std::vector{devices},
                                                    std::vector<testing::FakeKernel>());
    DeviceDesc desc;
    desc.type = "GPU";
    desc.full_name = "/device:GPU:0";
    desc.memory_bytes = memory_bytes;
    desc.largest_allocation = largest;
    desc.base_alignment = 256;
    device_ = std::make_unique<Device>(desc, plugin_->table(), 0);
    Result<berth_device*> handle = device_->Open();
    ASSERT_TRUE(handle.ok()) << handle.status().ToString();
    allocator_ = std::make_shared<DeviceAllocator>(device_.get(), *handle, options);
  }

  BufferRef Take(uint64_t size, std::string_view holder = "test") {
    Result<BufferRef> buffer = allocator_->Allocate(size, holder);
    EXPECT_TRUE(buffer.ok()) << buffer.status().ToString();
    return buffer.ok() ? *std::move(buffer) : BufferRef();
  }

  std::unique_ptr<testing::FakePlugin> plugin_;
  std::unique_ptr<Device> device_;
  std::shared_ptr<DeviceAllocator> allocator_;
};

TEST_F(AllocatorTest, BuffersAreAlignedAndApart) {
  Make({});
  const BufferRef a = Take(100);
  const BufferRef b = Take(300);
  const BufferRef c = Take(0);
  EXPECT_EQ(a->offset() % 256, 0U);
  EXPECT_EQ(b->offset() % 256, 0U);
  EXPECT_EQ(a->memory(), b->memory());
  EXPECT_NE(a->offset(), b->offset());
  EXPECT_NE(b->offset(), c->offset());
  EXPECT_EQ(a->size(), 100U);
  EXPECT_EQ(allocator_->stats().bytes_in_use, 256U + 512U + 256U);
}

TEST_F(AllocatorTest, FreedNeighboursJoin) {
  Make({});
  std::vector<BufferRef> buffers;
  for (int i = 0; i < 4; ++i) buffers.push_back(Take(kMiB / 4));
  const uint64_t reserved = allocator_->stats().bytes_reserved;
  // In an order that joins with the next, the previous and both.
  buffers[1] = BufferRef();
  buffers[3] = BufferRef();
  buffers[2] = BufferRef();
  buffers[0] = BufferRef();
  EXPECT_EQ(allocator_->stats().bytes_in_use, 0U);
  const BufferRef whole = Take(kMiB);
  EXPECT_EQ(allocator_->stats().bytes_reserved, reserved);
  EXPECT_EQ(allocator_->stats().peak_bytes_in_use, kMiB);
}

TEST_F(AllocatorTest, TheBestFitIsTaken) {
  Make({});
  BufferRef large = Take(kMiB / 2);
  const BufferRef wall = Take(256);
  BufferRef small = Take(1024);
  const BufferRef other_wall = Take(256);
  const uint64_t small_offset = small->offset();
  large = BufferRef();
  small = BufferRef();
  EXPECT_EQ(Take(1000)->offset(), small_offset);
}

TEST_F(AllocatorTest, TheFractionIsOfTheTotalMemory) {
  DeviceAllocator::Options options;
  options.memory_fraction = 0.25;
  Make(options, 64 * kMiB);
  EXPECT_EQ(allocator_->stats().bytes_limit, 16 * kMiB);
  const BufferRef most = Take(12 * kMiB, "weights");
  const Result<BufferRef> more = allocator_->Allocate(8 * kMiB, "conv1");
  ASSERT_EQ(more.status().code(), Code::kResourceExhausted);
  const std::string message(more.status().message());
  EXPECT_THAT(message, HasSubstr("conv1"));
  EXPECT_THAT(message, HasSubstr("/device:GPU:0"));
  EXPECT_THAT(message, HasSubstr("Largest holders: weights 12 MiB"));
}

TEST_F(AllocatorTest, NoAllocationExceedsTheDevicesLargest) {
  Make({}, 64 * kMiB, 4 * kMiB);
  std::vector<BufferRef> buffers;
  for (int i = 0; i < 5; ++i) buffers.push_back(Take(3 * kMiB));
  const Result<BufferRef> larger = allocator_->Allocate(5 * kMiB, "x");
  EXPECT_EQ(larger.status().code(), Code::kResourceExhausted);
  EXPECT_THAT(std::string(larger.status().message()), HasSubstr("4 MiB"));
}

TEST_F(AllocatorTest, WithoutGrowthEverythingIsTakenAtOnce) {
  DeviceAllocator::Options options;
  options.allow_growth = false;
  Make(options, 8 * kMiB);
  const BufferRef first = Take(256);
  EXPECT_EQ(allocator_->stats().bytes_reserved, 8 * kMiB);
  const BufferRef second = Take(4 * kMiB);
  EXPECT_EQ(plugin_->counters().allocations, 1);
}

TEST_F(AllocatorTest, BuffersKeepTheAllocatorAlive) {
  Make({});
  BufferRef buffer = Take(100);
  allocator_.reset();
  EXPECT_GT(plugin_->counters().bytes_in_use, 0);
  buffer = BufferRef();
  EXPECT_EQ(plugin_->counters().bytes_in_use, 0);
}

TEST_F(AllocatorTest, ThreadsMayShareIt) {
  Make({});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      std::vector<BufferRef> mine;
      for (int i = 0; i < 200; ++i) {
        mine.push_back(Take(static_cast<uint64_t>(256 * (1 + (i * 7 + t) % 13))));
        if (i % 3 == 0) mine.erase(mine.begin());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(allocator_->stats().bytes_in_use, 0U);
}

}  // namespace
}  // namespace berth::executor
