// Contract cases of copies between host and device.
#include <algorithm>
#include <cstring>

#include "conformance/suite/device/contract.h"

namespace berth::conformance {
namespace {

constexpr uint64_t kSizes[] = {0, 1, 2, 3, 5, 63, 64, 65, 255, 4095, 4096, 4097, 1 << 20};
constexpr uint64_t kOffsets[] = {0, 1, 3, 64, 67};
constexpr uint64_t kMargin = 128;

// A copy changes its target range and nothing beside it.
Finding CheckRange(const std::vector<char>& now, const std::vector<char>& before,
                   const std::vector<char>& copied, uint64_t offset) {
  for (size_t i = 0; i < now.size(); ++i) {
    const bool inside = i >= offset && i < offset + copied.size();
    const char want = inside ? copied[i - offset] : before[i];
    if (now[i] == want) continue;
    return {inside ? fault::kWrongValue : fault::kOutOfBounds,
            "a copy of " + std::to_string(copied.size()) + " bytes to offset " +
                std::to_string(offset) +
                (inside ? " left a wrong byte at " : " changed byte ") +
                std::to_string(i)};
  }
  return {};
}

Result<Finding> HostToDevice(const Subject& subject) {
  BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> stream, Stream::Make(subject));
  for (const uint64_t size : kSizes) {
    for (const uint64_t offset : kOffsets) {
      const std::vector<char> before = Pattern(size + offset + kMargin, 1);
      BERTH_ASSIGN_OR_RETURN(Memory memory, Memory::Make(subject, before.size()));
      BERTH_RETURN_IF_ERROR(memory.Write(*stream, before));
      const std::vector<char> data = Pattern(size, 2);
      BERTH_RETURN_IF_ERROR(memory.Write(*stream, data, offset));
      std::vector<char> now(before.size());
      BERTH_RETURN_IF_ERROR(memory.Read(*stream, &now));
      const Finding finding = CheckRange(now, before, data, offset);
      if (!finding.ok()) return finding;
    }
  }
  return Finding{};
}

Result<Finding> DeviceToHost(const Subject& subject) {
  BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> stream, Stream::Make(subject));
  for (const uint64_t size : kSizes) {
    for (const uint64_t offset : kOffsets) {
      const std::vector<char> all = Pattern(size + offset + kMargin, 3);
      BERTH_ASSIGN_OR_RETURN(Memory memory, Memory::Make(subject, all.size()));
      BERTH_RETURN_IF_ERROR(memory.Write(*stream, all));
      std::vector<char> part(size);
      BERTH_RETURN_IF_ERROR(memory.Read(*stream, &part, offset));
      if (!std::equal(part.begin(), part.end(),
                      all.begin() + static_cast<std::ptrdiff_t>(offset))) {
        return Finding{fault::kWrongValue, "reading " + std::to_string(size) +
                                               " bytes from offset " +
                                               std::to_string(offset) +
                                               " gives other bytes than were written"};
      }
    }
  }
  return Finding{};
}

Status CopyOnDevice(const Stream& stream, const Memory& from, uint64_t from_offset,
                    const Memory& to, uint64_t to_offset, uint64_t size) {
  berth_copy_args args = {};
  args.struct_size = sizeof(args);
  args.direction = BERTH_COPY_DEVICE_TO_DEVICE;
  args.size = size;
  args.source = from.get();
  args.source_offset = from_offset;
  args.target = to.get();
  args.target_offset = to_offset;
  return stream.Copy(args);
}

Result<Finding> DeviceToDevice(const Subject& subject) {
  BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> stream, Stream::Make(subject));
  for (const uint64_t size : kSizes) {
    for (const uint64_t offset : kOffsets) {
      const uint64_t total = size + offset + kMargin;
      const std::vector<char> source = Pattern(total, 4);
      const std::vector<char> before = Pattern(total, 5);
      BERTH_ASSIGN_OR_RETURN(Memory from, Memory::Make(subject, total));
      BERTH_ASSIGN_OR_RETURN(Memory to, Memory::Make(subject, total));
      BERTH_RETURN_IF_ERROR(from.Write(*stream, source));
      BERTH_RETURN_IF_ERROR(to.Write(*stream, before));
      BERTH_RETURN_IF_ERROR(CopyOnDevice(*stream, from, 7, to, offset, size));
      std::vector<char> now(total);
      BERTH_RETURN_IF_ERROR(to.Read(*stream, &now));
      const std::vector<char> copied(
          source.begin() + 7, source.begin() + 7 + static_cast<std::ptrdiff_t>(size));
      const Finding finding = CheckRange(now, before, copied, offset);
      if (!finding.ok()) return finding;
      std::vector<char> source_now(total);
      BERTH_RETURN_IF_ERROR(from.Read(*stream, &source_now));
      if (source_now != source) {
        return Finding{fault::kInputChanged, "a copy changed its source"};
      }
    }
  }
  return Finding{};
}

// Within one allocation, without overlap.
Result<Finding> WithinOneAllocation(const Subject& subject) {
  BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> stream, Stream::Make(subject));
  const std::vector<char> before = Pattern(3000, 6);
  BERTH_ASSIGN_OR_RETURN(Memory memory, Memory::Make(subject, before.size()));
  BERTH_RETURN_IF_ERROR(memory.Write(*stream, before));
  BERTH_RETURN_IF_ERROR(CopyOnDevice(*stream, memory, 100, memory, 1500, 1200));
  std::vector<char> now(before.size());
  BERTH_RETURN_IF_ERROR(memory.Read(*stream, &now));
  return CheckRange(now, before, {before.begin() + 100, before.begin() + 1300}, 1500);
}

// A second device of the same plugin.
Result<Finding> Peer(const Subject& subject) {
  const Device* other = nullptr;
  for (const std::unique_ptr<Device>& device : subject.plugin().devices) {
    if (device->desc().full_name != subject.desc().full_name) other = device.get();
  }
  if (other == nullptr) return Unimplemented("the plugin has one device");
  BERTH_ASSIGN_OR_RETURN(berth_device * peer, const_cast<Device*>(other)->Open());
  BERTH_ASSIGN_OR_RETURN(const std::unique_ptr<Stream> stream, Stream::Make(subject));
  const std::vector<char> data = Pattern(5000, 8);
  berth_memory* source = nullptr;
  berth_error error = EmptyError();
  BERTH_RETURN_IF_ERROR(Taken(
      other->api()->allocate(peer, BERTH_MEMORY_DEVICE, data.size(), &source, &error),
      &error, "allocate"));
  const auto release = [&](berth_memory* memory) { other->api()->free(peer, memory); };
  const std::unique_ptr<berth_memory, decltype(release)> guard(source, release);
  berth_stream* peer_stream = nullptr;
  error = EmptyError();
  BERTH_RETURN_IF_ERROR(Taken(other->api()->create_stream(peer, &peer_stream, &error),
                              &error, "create_stream"));
  berth_copy_args args = {};
  args.struct_size = sizeof(args);
  args.direction = BERTH_COPY_HOST_TO_DEVICE;
  args.size = data.size();
  args.source_host = data.data();
  args.target = source;
  error = EmptyError();
  Status filled = Taken(other->api()->copy(peer_stream, &args, &error), &error, "copy");
  other->api()->destroy_stream(peer_stream);
  BERTH_RETURN_IF_ERROR(filled);

  BERTH_ASSIGN_OR_RETURN(Memory target, Memory::Make(subject, data.size()));
  args = {};
  args.struct_size = sizeof(args);
  args.direction = BERTH_COPY_PEER;
  args.size = data.size();
  args.source = source;
  args.source_device = peer;
  args.target = target.get();
  const Status copied = stream->Copy(args);
  if (copied.code() == Code::kUnimplemented) {
    return Unimplemented("copies between its devices go through the host: " +
                         std::string(copied.message()));
  }
  BERTH_RETURN_IF_ERROR(copied);
  std::vector<char> now(data.size());
  BERTH_RETURN_IF_ERROR(target.Read(*stream, &now));
  if (now == data) return Finding{};
  return Finding{fault::kWrongValue, "a copy from a peer gives other bytes"};
}

}  // namespace

void AddCopyCases(const std::shared_ptr<SubjectHolder>& holder,
                  std::vector<Case>* cases) {
  cases->push_back(ContractCase(holder, "copy/host-to-device", HostToDevice));
  cases->push_back(ContractCase(holder, "copy/device-to-host", DeviceToHost));
  cases->push_back(ContractCase(holder, "copy/device-to-device", DeviceToDevice));
  cases->push_back(
      ContractCase(holder, "copy/within-one-allocation", WithinOneAllocation));
  cases->push_back(ContractCase(holder, "copy/peer", Peer, Tier::kOptional));
}

}  // namespace berth::conformance
