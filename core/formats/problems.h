// One error for many faults.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::formats {

// Collects what is wrong, so that one error can say all of it.
class Problems {
 public:
  void Add(std::string text);
  bool empty() const { return count_ == 0; }
  // "what: first; second; … and 7 more".
  std::string Summary(std::string_view what) const;

 private:
  static constexpr int kShown = 20;
  std::vector<std::string> shown_;
  int count_ = 0;
};

}  // namespace berth::formats
