// Contract cases of streams, events and the use of a device from many threads.
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "conformance/suite/device/contract.h"

namespace berth::conformance {
namespace {

class Event {
 public:
  static Result<std::unique_ptr<Event>> Make(const Subject& subject) {
    if (subject.api().create_event == nullptr) {
      return Unimplemented("the device computes synchronously and has no events");
    }
    std::unique_ptr<Event> event(new Event(subject));
    berth_error error = EmptyError();
    BERTH_RETURN_IF_ERROR(
        Taken(subject.api().create_event(subject.device(), &event->event_, &error),
              &error, "create_event"));
    return event;
  }
  ~Event() {
    if (event_ != nullptr) subject_.api().destroy_event(event_);
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  Status Record(const Stream& stream) {
    berth_error error = EmptyError();
    return Taken(subject_.api().record_event(stream.get(), event_, &error), &error,
                 "record_event");
  }
  Status MakeWait(const Stream& stream) {
    berth_error error = EmptyError();
    return Taken(subject_.api().stream_wait_event(stream.get(), event_, &error), &error,
                 "stream_wait_event");
  }
  Status Wait() {
    berth_error error = EmptyError();
    return Taken(subject_.api().wait_event(event_, &error), &error, "wait_event");
  }
  bool IsDone() { return subject_.api().query_event(event_) != 0; }
  berth_event* get() const { return event_; }

 private:
  explicit Event(const Subject& subject) : subject_(subject) {}
  const Subject& subject_;
  berth_event* event_ = nullptr;
};

// Puts a transfer on the stream without waiting; `bytes` must stay.
Status Enqueue(const Stream& stream, const Memory& memory, std::vector<char>* bytes,
               berth_copy_direction direction) {
  berth_copy_args args = {};
  args.struct_size = sizeof(args);
  args.direction = direction;
  args.size = bytes->size();
  if (direction == BERTH_COPY_HOST_TO_DEVICE) {
    args.source_host = bytes->data();
    args.target = memory.get();
  } else {
    args.target_host = bytes->data();
    args.source = memory.get();
  }
  return stream.Copy(args);
}

// What is put on a stream later sees what was put there earlier.
Result<Finding> Order(const Subject& subject) {
  BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> stream, Stream::Make(subject));
  constexpr size_t kSize = 1 << 18;
  BERTH_ASSIGN_OR_RETURN(const Memory memory, Memory::Make(subject, kSize));
  std::vector<std::vector<char>> written;
  std::vector<std::vector<char>> read(20, std::vector<char>(kSize));
  for (unsigned i = 0; i < read.size(); ++i) written.push_back(Pattern(kSize, i));
  for (size_t i = 0; i < read.size(); ++i) {
    BERTH_RETURN_IF_ERROR(
        Enqueue(*stream, memory, &written[i], BERTH_COPY_HOST_TO_DEVICE));
    BERTH_RETURN_IF_ERROR(Enqueue(*stream, memory, &read[i], BERTH_COPY_DEVICE_TO_HOST));
  }
  BERTH_RETURN_IF_ERROR(stream->Synchronize());
  for (size_t i = 0; i < read.size(); ++i) {
    if (read[i] != written[i]) {
      return Finding{fault::kContract,
                     "transfer " + std::to_string(i) +
                         " of one stream did not see the one before it"};
    }
  }
  return Finding{};
}

// One stream writes, another waits for the event and reads; both ways round, many times.
Result<Finding> WaitAcross(const Subject& subject) {
  BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> a, Stream::Make(subject));
  BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> b, Stream::Make(subject));
  BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Event> event, Event::Make(subject));
  constexpr size_t kSize = 1 << 18;
  BERTH_ASSIGN_OR_RETURN(const Memory memory, Memory::Make(subject, kSize));
  for (unsigned i = 0; i < 20; ++i) {
    const Stream& writer = i % 2 == 0 ? *a : *b;
    const Stream& reader = i % 2 == 0 ? *b : *a;
    std::vector<char> written = Pattern(kSize, i);
    std::vector<char> read(kSize);
    BERTH_RETURN_IF_ERROR(Enqueue(writer, memory, &written, BERTH_COPY_HOST_TO_DEVICE));
    BERTH_RETURN_IF_ERROR(event->Record(writer));
    BERTH_RETURN_IF_ERROR(event->MakeWait(reader));
    BERTH_RETURN_IF_ERROR(Enqueue(reader, memory, &read, BERTH_COPY_DEVICE_TO_HOST));
    BERTH_RETURN_IF_ERROR(reader.Synchronize());
    if (read != written) {
      return Finding{fault::kContract,
                     "a stream that waited for an event did not see the work before it"};
    }
  }
  return Finding{};
}

Result<Finding> QueryAndWait(const Subject& subject) {
  BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> stream, Stream::Make(subject));
  BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Event> event, Event::Make(subject));
  BERTH_ASSIGN_OR_RETURN(const Memory memory, Memory::Make(subject, 1 << 20));
  std::vector<char> data = Pattern(1 << 20, 1);
  for (int i = 0; i < 5; ++i) {
    BERTH_RETURN_IF_ERROR(Enqueue(*stream, memory, &data, BERTH_COPY_HOST_TO_DEVICE));
    BERTH_RETURN_IF_ERROR(event->Record(*stream));
    BERTH_RETURN_IF_ERROR(event->Wait());
    if (!event->IsDone()) {
      return Finding{fault::kContract,
                     "after wait_event returned, query_event says the event is not done"};
    }
    // A done event may be waited for again, and by a stream.
    BERTH_RETURN_IF_ERROR(event->Wait());
    BERTH_RETURN_IF_ERROR(event->MakeWait(*stream));
  }
  BERTH_RETURN_IF_ERROR(stream->Synchronize());
  return Finding{};
}

// Without anyone waiting, the work is done some time.
Result<Finding> DoneUnasked(const Subject& subject) {
  BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> stream, Stream::Make(subject));
  BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Event> event, Event::Make(subject));
  BERTH_ASSIGN_OR_RETURN(const Memory memory, Memory::Make(subject, 4096));
  std::vector<char> data = Pattern(4096, 1);
  BERTH_RETURN_IF_ERROR(Enqueue(*stream, memory, &data, BERTH_COPY_HOST_TO_DEVICE));
  BERTH_RETURN_IF_ERROR(event->Record(*stream));
  if (subject.api().flush != nullptr) {
    berth_error error = EmptyError();
    BERTH_RETURN_IF_ERROR(
        Taken(subject.api().flush(stream->get(), &error), &error, "flush"));
  }
  for (int i = 0; i < 1000 && !event->IsDone(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const bool done = event->IsDone();
  BERTH_RETURN_IF_ERROR(stream->Synchronize());
  if (done) return Finding{};
  return Finding{fault::kContract,
                 "5 s after a flush a 4 KiB copy's event is still not done"};
}

Result<Finding> OnReadyIsCalledOnce(const Subject& subject) {
  BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> stream, Stream::Make(subject));
  BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Event> event, Event::Make(subject));
  if (subject.api().on_ready == nullptr) return Unimplemented("on_ready is absent");
  BERTH_ASSIGN_OR_RETURN(const Memory memory, Memory::Make(subject, 4096));
  std::vector<char> data = Pattern(4096, 1);
  // Kept after the case: a second call would come later.
  static std::atomic<int> calls;
  calls = 0;
  const auto count = [](void*, berth_status_code, const char*) { calls.fetch_add(1); };
  for (int i = 1; i <= 10; ++i) {
    BERTH_RETURN_IF_ERROR(Enqueue(*stream, memory, &data, BERTH_COPY_HOST_TO_DEVICE));
    BERTH_RETURN_IF_ERROR(event->Record(*stream));
    // Odd rounds: the event is done already.
    if (i % 2 == 1) BERTH_RETURN_IF_ERROR(event->Wait());
    if (subject.api().on_ready(event->get(), count, nullptr) != BERTH_OK) {
      return Finding{fault::kContract, "on_ready fails on a recorded event"};
    }
    BERTH_RETURN_IF_ERROR(event->Wait());
    for (int k = 0; k < 400 && calls.load() < i; ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    if (calls.load() != i) {
      return Finding{fault::kContract, "after " + std::to_string(i) +
                                           " registrations on_ready was called " +
                                           std::to_string(calls.load()) + " times"};
    }
  }
  return Finding{};
}

Result<Finding> TimestampsGrow(const Subject& subject) {
  BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> stream, Stream::Make(subject));
  BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Event> event, Event::Make(subject));
  if (subject.api().event_timestamp == nullptr) {
    return Unimplemented("event_timestamp is absent");
  }
  BERTH_ASSIGN_OR_RETURN(const Memory memory, Memory::Make(subject, 4096));
  std::vector<char> data = Pattern(4096, 1);
  uint64_t last = 0;
  for (int i = 0; i < 10; ++i) {
    BERTH_RETURN_IF_ERROR(Enqueue(*stream, memory, &data, BERTH_COPY_HOST_TO_DEVICE));
    BERTH_RETURN_IF_ERROR(event->Record(*stream));
    BERTH_RETURN_IF_ERROR(event->Wait());
    const uint64_t now = subject.api().event_timestamp(event->get());
    if (now != 0 && now < last) {
      return Finding{fault::kContract, "event_timestamp runs backwards"};
    }
    if (now != 0) last = now;
  }
  return Finding{};
}

// Objects that go while their work is under way.
Result<Finding> DestroyBusy(const Subject& subject) {
  for (int i = 0; i < 20; ++i) {
    std::vector<char> data = Pattern(1 << 18, 1);
    std::vector<char> back(1 << 18);
    BERTH_ASSIGN_OR_RETURN(const Memory memory, Memory::Make(subject, data.size()));
    {
      BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> stream, Stream::Make(subject));
      BERTH_RETURN_IF_ERROR(Enqueue(*stream, memory, &data, BERTH_COPY_HOST_TO_DEVICE));
      BERTH_RETURN_IF_ERROR(Enqueue(*stream, memory, &back, BERTH_COPY_DEVICE_TO_HOST));
    }
    if (back != data) {
      return Finding{fault::kUnloadBusy,
                     "destroy_stream returned before its work was done"};
    }
  }
  return Finding{};
}

// Transfers of one thread, with objects of its own. False where a byte is wrong.
Result<bool> WorkAlone(const Subject& subject, unsigned seed) {
  BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> stream, Stream::Make(subject));
  for (unsigned i = 0; i < 25; ++i) {
    const std::vector<char> data = Pattern(1 + (seed * 977 + i * 4099) % 30000, seed + i);
    BERTH_ASSIGN_OR_RETURN(Memory memory, Memory::Make(subject, data.size()));
    BERTH_RETURN_IF_ERROR(memory.Write(*stream, data));
    std::vector<char> back(data.size());
    BERTH_RETURN_IF_ERROR(memory.Read(*stream, &back));
    if (back != data) return false;
  }
  return true;
}

Result<Finding> ManyThreads(const Subject& subject) {
  std::vector<std::thread> threads;
  std::vector<Result<bool>> results(8, Result<bool>(false));
  for (unsigned t = 0; t < results.size(); ++t) {
    threads.emplace_back([&, t] { results[t] = WorkAlone(subject, t + 1); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Result<bool>& result : results) {
    BERTH_RETURN_IF_ERROR(result.status());
    if (!*result) {
      return Finding{
          fault::kContract,
          "with 8 threads, each on a stream of its own, a copy came back wrong"};
    }
  }
  return Finding{};
}

}  // namespace

void AddStreamCases(const std::shared_ptr<SubjectHolder>& holder,
                    std::vector<Case>* cases) {
  const auto add = [&](const std::string& name, ContractCheck check) {
    // A device that computes synchronously has no events.
    const Tier tier = name.starts_with("event/") ? Tier::kOptional : Tier::kMandatory;
    cases->push_back(ContractCase(holder, name, std::move(check), tier));
  };
  add("stream/order", Order);
  add("stream/destroy-busy", DestroyBusy);
  add("event/wait-across-streams", WaitAcross);
  add("event/query-and-wait", QueryAndWait);
  add("event/done-unasked", DoneUnasked);
  add("event/on-ready-once", OnReadyIsCalledOnce);
  add("event/timestamps", TimestampsGrow);
  add("threads/eight", ManyThreads);
}

}  // namespace berth::conformance
