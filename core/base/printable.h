// Text that may hold anything, made fit to be shown.
#pragma once

#include <string>
#include <string_view>

namespace berth {

// `text` as UTF-8 without control characters but '\n' and '\t': bytes that are neither
// become "\x1b". Names out of damaged files must not upset a terminal or a binding.
std::string Printable(std::string_view text);

}  // namespace berth
