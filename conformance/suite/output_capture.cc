#include "conformance/suite/output_capture.h"

#include <algorithm>
#include <utility>

namespace berth::conformance {

void OutputCapture::Add(std::string_view text) {
  const size_t to_head = std::min(text.size(), kPart - head_.size());
  head_.append(text.substr(0, to_head));
  tail_.append(text.substr(to_head));
  if (tail_.size() > kPart) {
    const size_t excess = tail_.size() - kPart;
    left_out_ += excess;
    tail_.erase(0, excess);
  }
}

std::string OutputCapture::Take() {
  std::string text = std::move(head_);
  if (left_out_ > 0) {
    text += "\n[… " + std::to_string(left_out_) + " bytes left out …]\n";
  }
  text += tail_;
  *this = OutputCapture();
  return text;
}

}  // namespace berth::conformance
