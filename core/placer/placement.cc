#include "core/placer/placement.h"

namespace berth {

std::string_view PlaceReasonName(PlaceReason reason) {
  switch (reason) {
    case PlaceReason::kRequested:
      return "requested";
    case PlaceReason::kDefault:
      return "default";
    case PlaceReason::kColocated:
      return "colocated";
    case PlaceReason::kReference:
      return "reference";
    case PlaceReason::kFollowsConsumer:
      return "follows_consumer";
    case PlaceReason::kFollowsInput:
      return "follows_input";
    case PlaceReason::kSoftFallback:
      return "soft_fallback";
    case PlaceReason::kSoftAbsent:
      return "soft_absent";
    case PlaceReason::kFallbackLimit:
      return "fallback_limit";
    case PlaceReason::kAlreadyPlaced:
      return "already_placed";
    case PlaceReason::kUnplaced:
      return "unplaced";
    case PlaceReason::kNotAsked:
      return "not_asked";
  }
  return "unknown";
}

const RejectionList& NodePlacement::rejected() const {
  static const RejectionList kNone;
  return rejections == nullptr ? kNone : *rejections;
}

}  // namespace berth
