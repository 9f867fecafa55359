// Streams and events: order, waiting, and how failures travel.
#include "plugins/opencl/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "plugins/opencl/testing/device_fixture.h"

namespace berth::opencl::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class StreamTest : public DeviceFixture {
 protected:
  // Does what a kernel does that finds a label out of range.
  void FindBadLabel(sdk::Stream* stream, int32_t site, int32_t label) {
    const ErrorWords words = {
        static_cast<cl_int>(DeviceError::kLabelOutOfRange), site, label, 0, 10, 0};
    auto* own = static_cast<OpenClStream*>(stream);
    ASSERT_EQ(clEnqueueWriteBuffer(own->queue(), own->ErrorBuffer(), CL_TRUE, 0,
                                   sizeof(words), words.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
  }
};

TEST_F(StreamTest, AnEventThatWasNeverRecordedIsDone) {
  const std::unique_ptr<sdk::Event> event = MakeEvent();
  EXPECT_TRUE(event->IsDone());
  EXPECT_TRUE(event->Wait().ok());
  EXPECT_EQ(event->TimestampNs(), 0U);
  EXPECT_TRUE(stream_->WaitFor(event.get()).ok());
}

TEST_F(StreamTest, AnEventIsDoneWhenTheWorkBeforeItIs) {
  const ScopedMemory memory(devices_[0].get(), 8);
  const std::unique_ptr<sdk::Event> event = MakeEvent();
  Gate gate(*context_, stream_.get());
  const std::string data = "12345678";
  ASSERT_TRUE(Upload(stream_.get(), data, memory.get()).ok());
  const uint64_t before = host_.NowNs();
  ASSERT_TRUE(stream_->Record(event.get()).ok());
  EXPECT_FALSE(event->IsDone());
  gate.Open();
  EXPECT_TRUE(event->Wait().ok());
  EXPECT_TRUE(event->IsDone());
  const uint64_t at = event->TimestampNs();
  EXPECT_GE(at, before);
  EXPECT_LE(at, host_.NowNs());
}

TEST_F(StreamTest, AnotherStreamWaitsForAnEvent) {
  const std::unique_ptr<sdk::Stream> other = MakeStream(1);
  const ScopedMemory memory(devices_[0].get(), 8);
  ASSERT_TRUE(Upload(stream_.get(), "old data", memory.get()).ok());
  ASSERT_TRUE(stream_->Synchronize().ok());
  Gate gate(*context_, stream_.get());
  const std::string fresh = "new data";
  ASSERT_TRUE(Upload(stream_.get(), fresh, memory.get()).ok());
  const std::unique_ptr<sdk::Event> written = MakeEvent();
  ASSERT_TRUE(stream_->Record(written.get()).ok());
  ASSERT_TRUE(other->WaitFor(written.get()).ok());
  std::string seen(8, '?');
  ASSERT_TRUE(Download(other.get(), memory.get(), &seen).ok());
  const std::unique_ptr<sdk::Event> read = MakeEvent();
  ASSERT_TRUE(other->Record(read.get()).ok());
  EXPECT_FALSE(read->IsDone());
  gate.Open();
  ASSERT_TRUE(read->Wait().ok());
  EXPECT_EQ(seen, fresh);
}

TEST_F(StreamTest, OnReadyIsCalledOnceWhenTheEventIsDone) {
  struct Calls {
    std::atomic<int> count{0};
    std::atomic<int> code{-1};
  } calls;
  const auto note = [](void* arg, berth_status_code code, const char*) {
    auto* noted = static_cast<Calls*>(arg);
    noted->code = code;
    ++noted->count;
  };
  const std::unique_ptr<sdk::Event> event = MakeEvent();
  Gate gate(*context_, stream_.get());
  ASSERT_TRUE(stream_->Record(event.get()).ok());
  event->OnReady(note, &calls);
  EXPECT_EQ(calls.count, 0);
  gate.Open();
  ASSERT_TRUE(event->Wait().ok());
  // The driver calls from a thread of its own, maybe after the wait.
  while (calls.count == 0) {
  }
  EXPECT_EQ(calls.code, BERTH_OK);
  event->OnReady(note, &calls);  // At once: it is done.
  EXPECT_EQ(calls.count, 2);
}

TEST_F(StreamTest, WhatTheDeviceFindsReachesTheEventWithNodeAndValue) {
  const int32_t site = context_->AddErrorSite("loss/xent", "SparseSoftmax");
  FindBadLabel(stream_.get(), site, 12);
  const std::unique_ptr<sdk::Event> event = MakeEvent();
  ASSERT_TRUE(stream_->Record(event.get()).ok());
  const Status status = event->Wait();
  EXPECT_EQ(status.code(), BERTH_INVALID_ARGUMENT);
  EXPECT_THAT(status.message(),
              AllOf(HasSubstr("node \"loss/xent\" (SparseSoftmax)"),
                    HasSubstr("label value of 12"), HasSubstr("valid range of [0, 10)")));
  context_->RemoveErrorSite(site);
}

TEST_F(StreamTest, AFailureTravelsToThoseWhoWaitedAndTheFirstCauseWins) {
  const std::unique_ptr<sdk::Stream> other = MakeStream(1);
  const int32_t first = context_->AddErrorSite("first", "Op");
  const int32_t second = context_->AddErrorSite("second", "Op");
  FindBadLabel(stream_.get(), first, 12);
  const std::unique_ptr<sdk::Event> failed = MakeEvent();
  ASSERT_TRUE(stream_->Record(failed.get()).ok());
  ASSERT_TRUE(other->WaitFor(failed.get()).ok());
  const std::unique_ptr<sdk::Event> after = MakeEvent();
  ASSERT_TRUE(other->Record(after.get()).ok());
  EXPECT_THAT(after->Wait().message(), HasSubstr("node \"first\""));
  // It stays with the stream until Synchronize has told it; later findings do not hide
  // it.
  FindBadLabel(stream_.get(), second, 13);
  EXPECT_FALSE(stream_->Synchronize().ok());
  EXPECT_TRUE(stream_->Synchronize().ok());
  EXPECT_THAT(other->Synchronize().message(), HasSubstr("node \"first\""));
  EXPECT_TRUE(other->Synchronize().ok());
  context_->RemoveErrorSite(first);
  context_->RemoveErrorSite(second);
}

TEST_F(StreamTest, AFailedStreamIsUsableAgain) {
  const int32_t site = context_->AddErrorSite("bad", "Op");
  FindBadLabel(stream_.get(), site, 12);
  EXPECT_EQ(stream_->Synchronize().code(), BERTH_INVALID_ARGUMENT);
  const ScopedMemory memory(devices_[0].get(), 4);
  ASSERT_TRUE(Upload(stream_.get(), "good", memory.get()).ok());
  EXPECT_EQ(Contents(stream_.get(), memory.get(), 4), "good");
  context_->RemoveErrorSite(site);
}

}  // namespace
}  // namespace berth::opencl::testing
