// Reading ABI structs of any age.
#pragma once

#include <berth/extension.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace berth {

// A struct_size beyond this is no size but garbage: no ABI struct comes near it.
constexpr size_t kMaxAbiStruct = size_t{1} << 16;

// Copies an ABI struct that may be older (smaller) or newer (larger) than ours: fields
// past its struct_size read as zero, what it has beyond ours is left alone. The copy's
// struct_size is our own. NULL reads as all zero. No size ends inside a pointer: one that
// does counts as ending before it.
template <typename T>
T ReadAbi(const T* from) {
  T copy = {};
  if (from != nullptr && from->struct_size <= kMaxAbiStruct) {
    const size_t whole = from->struct_size / alignof(T) * alignof(T);
    std::memcpy(static_cast<void*>(&copy), from, std::min(whole, sizeof(T)));
  }
  copy.struct_size = sizeof(T);
  return copy;
}

// The entry called `name` of a chain, or NULL. Entries of other names are skipped; a
// chain that bites its tail ends.
template <typename T>
const T* FindExtension(const berth_extension* chain, std::string_view name) {
  constexpr int kMaxEntries = 1000;
  for (int i = 0; chain != nullptr && i < kMaxEntries; ++i, chain = chain->next) {
    if (chain->name != nullptr && name == chain->name) {
      return reinterpret_cast<const T*>(chain);
    }
  }
  return nullptr;
}

// A copy in a struct of our size of the optional table called `name` of a chain; all zero
// where there is none. T begins with its berth_extension `head`.
template <typename T>
T ReadExtension(const berth_extension* chain, std::string_view name) {
  T copy = {};
  const T* found = FindExtension<T>(chain, name);
  if (found == nullptr || found->head.struct_size > kMaxAbiStruct) return copy;
  const size_t whole = found->head.struct_size / alignof(T) * alignof(T);
  std::memcpy(static_cast<void*>(&copy), found, std::min(whole, sizeof(T)));
  copy.head.struct_size = sizeof(T);
  return copy;
}

}  // namespace berth
