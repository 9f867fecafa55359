#include "examples/lenet/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace lenet {

Progress::Progress(int64_t total)
    : total_(total),
      terminal_(isatty(STDOUT_FILENO) != 0),
      start_(std::chrono::steady_clock::now()) {}

double Progress::Seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void Progress::Update(int64_t done, int64_t items, float loss) {
  const double seconds = Seconds();
  const double rate = static_cast<double>(items) / std::max(seconds, 1e-9);
  const auto step = static_cast<long long>(done);
  const auto total = static_cast<long long>(total_);
  if (!terminal_) {
    const int64_t stride = std::max<int64_t>(1, total_ / 20);
    if (done % stride != 0 && done != total_ && done != 1) return;
    std::printf("step %5lld of %lld   loss %.4f   %6.0f images/s\n", step, total,
                static_cast<double>(loss), rate);
    std::fflush(stdout);
    return;
  }
  if (done != total_ && seconds - last_drawn_ < 0.1) return;
  last_drawn_ = seconds;
  constexpr int kWidth = 40;
  const int filled = static_cast<int>(done * kWidth / std::max<int64_t>(total_, 1));
  const std::string bar = std::string(static_cast<size_t>(filled), '=') +
                          std::string(static_cast<size_t>(kWidth - filled), ' ');
  std::printf("\r[%s] %lld/%lld  loss %.4f  %.0f images/s   ", bar.c_str(), step, total,
              static_cast<double>(loss), rate);
  if (done == total_) std::printf("\n");
  std::fflush(stdout);
}

}  // namespace lenet
