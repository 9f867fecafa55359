// The page of ExplainHtml, made from explain_page.html when it is built.
#pragma once

#include <string_view>

namespace berth {

// With "{{TITLE}}" and, later, "{{DATA}}" where these belong.
extern const std::string_view kExplainPage;

}  // namespace berth
