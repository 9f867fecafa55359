#include "core/formats/problems.h"

#include <utility>

namespace berth::formats {

void Problems::Add(std::string text) {
  if (count_++ < kShown) shown_.push_back(std::move(text));
}

std::string Problems::Summary(std::string_view what) const {
  std::string text(what);
  for (size_t i = 0; i < shown_.size(); ++i) text += (i == 0 ? ": " : "; ") + shown_[i];
  if (count_ > kShown) text += "; … and " + std::to_string(count_ - kShown) + " more";
  return text;
}

}  // namespace berth::formats
