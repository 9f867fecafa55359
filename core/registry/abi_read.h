// Reading ABI structs of any age.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace berth {

// A struct_size beyond this is no size but garbage: no ABI struct comes near it.
constexpr size_t kMaxAbiStruct = size_t{1} << 16;

// Copies an ABI struct that may be older (smaller) or newer (larger) than ours: fields
// past its struct_size read as zero, what it has beyond ours is left alone. The copy's
// struct_size is our own. NULL reads as all zero.
template <typename T>
T ReadAbi(const T* from) {
  T copy = {};
  if (from != nullptr && from->struct_size <= kMaxAbiStruct) {
    std::memcpy(static_cast<void*>(&copy), from, std::min(from->struct_size, sizeof(T)));
  }
  copy.struct_size = sizeof(T);
  return copy;
}

}  // namespace berth
