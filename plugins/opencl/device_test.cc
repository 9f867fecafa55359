#include "plugins/opencl/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "plugins/opencl/testing/device_fixture.h"

namespace berth::opencl::testing {
namespace {

using ::testing::HasSubstr;

class DeviceTest : public DeviceFixture {
 protected:
  // Bytes 2 to 21 of a memory of the first device go to byte 30 of another device's.
  berth_copy_args PeerArgs(berth_memory* from, berth_memory* to) {
    berth_copy_args args = {};
    args.struct_size = sizeof(args);
    args.direction = BERTH_COPY_PEER;
    args.size = 20;
    args.source = from;
    args.source_offset = 2;
    args.source_device = reinterpret_cast<berth_device*>(devices_[0].get());
    args.target = to;
    args.target_offset = 30;
    return args;
  }
};

std::string Letters(size_t size, char first) {
  std::string text(size, first);
  for (size_t i = 0; i < size; ++i) text[i] = static_cast<char>(first + i % 23);
  return text;
}

struct CopyCase {
  size_t size;
  uint64_t from;
  uint64_t to;
};

TEST_F(DeviceTest, CopiesHonourOffsetsAndSizes) {
  const CopyCase cases[] = {{1, 0, 0}, {7, 3, 64}, {4096, 1, 5}, {100003, 129, 4}};
  for (const CopyCase& each : cases) {
    const size_t room = each.size + 512;
    const ScopedMemory first(devices_[0].get(), room);
    const ScopedMemory second(devices_[0].get(), room);
    const std::string background = Letters(room, '0');
    const std::string data = Letters(each.size, 'a');
    ASSERT_TRUE(Upload(stream_.get(), background, first.get()).ok());
    ASSERT_TRUE(Upload(stream_.get(), background, second.get()).ok());
    ASSERT_TRUE(Upload(stream_.get(), data, first.get(), each.from).ok());
    berth_copy_args args = {};
    args.struct_size = sizeof(args);
    args.direction = BERTH_COPY_DEVICE_TO_DEVICE;
    args.size = each.size;
    args.source = first.get();
    args.source_offset = each.from;
    args.target = second.get();
    args.target_offset = each.to;
    ASSERT_TRUE(stream_->Copy(args).ok());
    std::string part(each.size, '?');
    ASSERT_TRUE(Download(stream_.get(), second.get(), &part, each.to).ok());
    std::string want = background;
    want.replace(each.to, each.size, data);
    EXPECT_EQ(Contents(stream_.get(), second.get(), room), want) << each.size;
    EXPECT_EQ(part, data) << each.size;
  }
}

TEST_F(DeviceTest, CopyOfNothingDoesNothing) {
  const ScopedMemory memory(devices_[0].get(), 16);
  EXPECT_TRUE(Upload(stream_.get(), "", memory.get(), 16).ok());
  EXPECT_TRUE(stream_->Synchronize().ok());
}

TEST_F(DeviceTest, CopyBeyondTheMemoryIsAnErrorAndTheStreamGoesOn) {
  const ScopedMemory memory(devices_[0].get(), 16);
  const Status status = Upload(stream_.get(), Letters(32, 'a'), memory.get());
  EXPECT_THAT(status.message(), HasSubstr("clEnqueueWriteBuffer failed"));
  ASSERT_TRUE(Upload(stream_.get(), "still here", memory.get()).ok());
  EXPECT_EQ(Contents(stream_.get(), memory.get(), 10), "still here");
}

TEST_F(DeviceTest, PeerCopyBetweenPartsOfOneDevice) {
  const ScopedMemory from(devices_[0].get(), 64);
  const ScopedMemory to(devices_[1].get(), 64);
  const std::unique_ptr<sdk::Stream> other = MakeStream(1);
  ASSERT_TRUE(Upload(stream_.get(), Letters(64, 'a'), from.get()).ok());
  ASSERT_TRUE(stream_->Synchronize().ok());
  ASSERT_TRUE(other->Copy(PeerArgs(from.get(), to.get())).ok());
  EXPECT_EQ(Contents(other.get(), to.get(), 64).substr(30, 20),
            Letters(64, 'a').substr(2, 20));
}

TEST_F(DeviceTest, PeerCopyBetweenContexts) {
  auto made = OpenClDevice::Create(MakeContext(), LogicalDevices(physical_, 1)[0]);
  ASSERT_TRUE(made.ok()) << made.status().message();
  const std::unique_ptr<sdk::Device> stranger = std::move(*made);
  const std::unique_ptr<sdk::Stream> stream = std::move(*stranger->CreateStream());
  const ScopedMemory from(devices_[0].get(), 64);
  const ScopedMemory to(stranger.get(), 64);
  Gate gate(*context_, stream_.get());
  ASSERT_TRUE(Upload(stream_.get(), Letters(64, 'a'), from.get()).ok());
  const std::unique_ptr<sdk::Event> uploaded = MakeEvent();
  ASSERT_TRUE(stream_->Record(uploaded.get()).ok());
  ASSERT_TRUE(stream->WaitFor(uploaded.get()).ok());
  EXPECT_FALSE(uploaded->IsDone());
  gate.Open();
  ASSERT_TRUE(stream->Copy(PeerArgs(from.get(), to.get())).ok());
  EXPECT_EQ(Contents(stream.get(), to.get(), 64).substr(30, 20),
            Letters(64, 'a').substr(2, 20));
}

TEST_F(DeviceTest, MoreThanTheLargestAllocationIsRefusedWithBothNumbers) {
  const sdk::DeviceInfo info = LogicalDevices(physical_, 2)[0];
  const auto refused =
      devices_[0]->Allocate(BERTH_MEMORY_DEVICE, info.largest_allocation + 1);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), BERTH_RESOURCE_EXHAUSTED);
  EXPECT_THAT(
      refused.status().message(),
      HasSubstr(std::to_string(info.largest_allocation + 1) + " bytes asked for"));
  EXPECT_THAT(refused.status().message(),
              HasSubstr("at most " + std::to_string(info.largest_allocation)));
}

TEST_F(DeviceTest, APartHasItsShareOfTheMemory) {
  // A small share, so that the test takes no more.
  sdk::DeviceInfo info = LogicalDevices(physical_, 2)[0];
  info.memory_bytes = 1 << 20;
  auto made = OpenClDevice::Create(context_, info);
  ASSERT_TRUE(made.ok()) << made.status().message();
  sdk::Device* device = made->get();
  berth_memory_stats stats = {};
  {
    const ScopedMemory most(device, 3 << 18);
    const auto refused = device->Allocate(BERTH_MEMORY_DEVICE, (1 << 18) + 1);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.status().code(), BERTH_RESOURCE_EXHAUSTED);
    EXPECT_THAT(refused.status().message(),
                HasSubstr("786432 of 1048576 bytes are in use"));
    const ScopedMemory rest(device, 1 << 18);
    device->MemoryStats(&stats);
    EXPECT_EQ(stats.bytes_in_use, 1U << 20);
    EXPECT_EQ(stats.num_allocations, 2U);
    EXPECT_EQ(stats.bytes_limit, 1U << 20);
  }
  device->MemoryStats(&stats);
  EXPECT_EQ(stats.bytes_in_use, 0U);
  EXPECT_EQ(stats.peak_bytes_in_use, 1U << 20);
}

TEST_F(DeviceTest, WhatTheDriverRefusesIsResourceExhausted) {
  // A device that claims more than its driver gives.
  sdk::DeviceInfo info = LogicalDevices(physical_, 1)[0];
  info.largest_allocation = 0;
  info.memory_bytes = 0;
  auto made = OpenClDevice::Create(context_, info);
  ASSERT_TRUE(made.ok()) << made.status().message();
  const auto refused =
      (*made)->Allocate(BERTH_MEMORY_DEVICE, physical_[0].largest_allocation + 4096);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), BERTH_RESOURCE_EXHAUSTED)
      << refused.status().message();
  EXPECT_THAT(refused.status().message(), HasSubstr("clCreateBuffer failed"));
  berth_memory_stats stats = {};
  (*made)->MemoryStats(&stats);
  EXPECT_EQ(stats.bytes_in_use, 0U);
}

TEST_F(DeviceTest, PinnedMemoryHasAHostAddress) {
  const ScopedMemory pinned(devices_[0].get(), 256, BERTH_MEMORY_PINNED);
  auto* host = static_cast<char*>(devices_[0]->HostAddress(pinned.get()));
  ASSERT_NE(host, nullptr);
  const std::string data = Letters(256, 'a');
  std::copy(data.begin(), data.end(), host);
  const ScopedMemory memory(devices_[0].get(), 256);
  ASSERT_TRUE(Upload(stream_.get(), std::string(host, 256), memory.get()).ok());
  EXPECT_EQ(Contents(stream_.get(), memory.get(), 256), data);
  const ScopedMemory plain(devices_[0].get(), 256);
  EXPECT_EQ(devices_[0]->HostAddress(plain.get()), nullptr);
}

TEST_F(DeviceTest, HostVisibleMemoryIsThereOrSaysWhyNot) {
  auto made = devices_[0]->Allocate(BERTH_MEMORY_HOST_VISIBLE, 256);
  if (!made.ok()) {
    EXPECT_EQ(made.status().code(), BERTH_UNIMPLEMENTED);
    EXPECT_THAT(made.status().message(), HasSubstr("fine-grained shared virtual memory"));
    EXPECT_FALSE(physical_[0].fine_grained_svm);
    return;
  }
  auto* host = static_cast<char*>(devices_[0]->HostAddress(*made));
  ASSERT_NE(host, nullptr);
  std::string data = Letters(256, 'a');
  ASSERT_TRUE(Upload(stream_.get(), data, *made).ok());
  ASSERT_TRUE(stream_->Synchronize().ok());
  EXPECT_EQ(std::string(host, 256), data);
  devices_[0]->Free(*made);
}

TEST_F(DeviceTest, SynchronizeWaitsForEveryStream) {
  const std::unique_ptr<sdk::Stream> other = MakeStream();
  const ScopedMemory memory(devices_[0].get(), 32);
  const std::string data = Letters(32, 'a');
  std::string back(32, '?');
  ASSERT_TRUE(Upload(other.get(), data, memory.get()).ok());
  ASSERT_TRUE(Download(other.get(), memory.get(), &back).ok());
  ASSERT_TRUE(devices_[0]->Synchronize().ok());
  EXPECT_EQ(back, data);
}

}  // namespace
}  // namespace berth::opencl::testing
