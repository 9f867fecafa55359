#include "conformance/suite/device/guarded_tensor.h"

#include <algorithm>
#include <cstring>

namespace berth::conformance {
namespace {

constexpr char kGuardByte = 0x5a;
// More than a vector or a work group writes beyond its end by a slip of one.
constexpr uint64_t kLeastGuard = 256;

}  // namespace

Result<std::unique_ptr<GuardedTensor>> GuardedTensor::Make(const Stream& stream,
                                                           const HostTensor& tensor,
                                                           Place place) {
  std::unique_ptr<GuardedTensor> made(new GuardedTensor(stream, tensor));
  BERTH_RETURN_IF_ERROR(made->Fill(place));
  return made;
}

Status GuardedTensor::Fill(Place place) {
  view_.dims = initial_.dims.data();
  view_.rank = initial_.rank();
  view_.dtype = initial_.dtype;
  view_.byte_size = initial_.bytes.size();
  if (place == Place::kDevice && initial_.bytes.empty()) return OkStatus();

  const Subject& subject = stream_.subject();
  const uint64_t alignment = std::max<uint64_t>(subject.desc().base_alignment, 1);
  guard_ = (kLeastGuard + alignment - 1) / alignment * alignment;
  std::vector<char> all(initial_.bytes.size() + 2 * guard_, kGuardByte);
  std::copy(initial_.bytes.begin(), initial_.bytes.end(),
            all.begin() + static_cast<std::ptrdiff_t>(guard_));
  if (place == Place::kHost) {
    host_ = std::move(all);
    view_.host_data = host_.data() + guard_;
    return OkStatus();
  }
  BERTH_ASSIGN_OR_RETURN(Memory memory, Memory::Make(subject, all.size()));
  memory_.emplace(std::move(memory));
  BERTH_RETURN_IF_ERROR(memory_->Write(stream_, all));
  view_.memory = memory_->get();
  view_.offset = guard_;
  char* address = memory_->address();
  if (address != nullptr) view_.host_data = address + guard_;
  return OkStatus();
}

Result<std::vector<char>> GuardedTensor::ReadAll() const {
  if (!memory_.has_value()) return host_;
  std::vector<char> all(memory_->size());
  BERTH_RETURN_IF_ERROR(memory_->Read(stream_, &all));
  return all;
}

Result<HostTensor> GuardedTensor::Read(Finding* finding) const {
  HostTensor now = initial_;
  BERTH_ASSIGN_OR_RETURN(const std::vector<char> all, ReadAll());
  if (all.empty()) return now;
  const size_t size = initial_.bytes.size();
  for (size_t i = 0; i < all.size(); ++i) {
    if (i == guard_) i += size;
    if (i >= all.size() || all[i] == kGuardByte) continue;
    const bool before = i < guard_;
    *finding = {fault::kOutOfBounds,
                "byte " + std::to_string(before ? guard_ - i : i - guard_ - size + 1) +
                    (before ? " before" : " behind the end of") + " a tensor " +
                    initial_.ShapeString() + " was overwritten"};
    break;
  }
  std::memcpy(now.bytes.data(), all.data() + guard_, size);
  return now;
}

}  // namespace berth::conformance
