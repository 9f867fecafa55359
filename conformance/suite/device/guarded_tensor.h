// A tensor on the device with guard bytes on both sides.
#pragma once

#include <berth/tensor.h>

#include <memory>
#include <optional>
#include <vector>

#include "conformance/reference/host_tensor.h"
#include "conformance/suite/device/finding.h"
#include "conformance/suite/device/subject.h"

namespace berth::conformance {

// The tensor lies at an offset of a larger allocation, between bytes that nobody may
// touch. Host arguments lie in host memory in the same way.
class GuardedTensor {
 public:
  enum class Place { kDevice, kHost };

  // Holds `tensor`'s dims and bytes. An empty tensor on the device has no memory at all.
  static Result<std::unique_ptr<GuardedTensor>> Make(const Stream& stream,
                                                     const HostTensor& tensor,
                                                     Place place);
  GuardedTensor(const GuardedTensor&) = delete;
  GuardedTensor& operator=(const GuardedTensor&) = delete;

  const berth_tensor& view() const { return view_; }
  berth_tensor* mutable_view() { return &view_; }
  const HostTensor& initial() const { return initial_; }

  // The tensor as it is now. `finding` says so where a guard was overwritten.
  Result<HostTensor> Read(Finding* finding) const;

 private:
  GuardedTensor(const Stream& stream, HostTensor tensor)
      : stream_(stream), initial_(std::move(tensor)) {}
  Status Fill(Place place);
  Result<std::vector<char>> ReadAll() const;

  const Stream& stream_;
  const HostTensor initial_;
  uint64_t guard_ = 0;  // bytes on either side
  std::optional<Memory> memory_;
  std::vector<char> host_;
  berth_tensor view_ = {};
};

}  // namespace berth::conformance
