// Progress of a long loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace lenet {

// On a terminal one line that is drawn again (at most ten times a second), elsewhere a
// plain line at every twentieth of the way.
class Progress {
 public:
  explicit Progress(int64_t total);
  // Step `done` of the total is done; `items` were worked on in all.
  void Update(int64_t done, int64_t items, float loss);

 private:
  double Seconds() const;

  int64_t total_;
  bool terminal_;
  std::chrono::steady_clock::time_point start_;
  double last_drawn_ = -1;
};

}  // namespace lenet
