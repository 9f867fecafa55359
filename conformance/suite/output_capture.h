// Keeps the beginning and the end of what a plugin prints, however much that is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace berth::conformance {

class OutputCapture {
 public:
  // Of the beginning and of the end each.
  static constexpr size_t kPart = 4096;

  void Add(std::string_view text);
  // What was added since the last Take; what was left out in between is said in its
  // place.
  std::string Take();

 private:
  std::string head_;
  std::string tail_;
  size_t left_out_ = 0;
};

}  // namespace berth::conformance
