// What this process holds.
#pragma once

#include <cstdint>

namespace berth::conformance {

struct Footprint {
  static Footprint Now();

  int64_t threads = 0;
  int64_t files = 0;  // open descriptors
  int64_t heap = 0;   // bytes that malloc has given out, large blocks included
};

}  // namespace berth::conformance
