// Views of a placement for people and programs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/placer/placement.h"

namespace berth {

// A table in creation order (node, op, dtype, asked, got, reason), then what each device
// got, what fell back and why, and the bytes between devices.
std::string ExplainText(const Graph& graph, const Placement& placement);

// {"nodes":[{"name","op","requested","device","reason","detail","rejected":[{"device",
// "code","message"}],"error"}],"edges":[{"from","to","output","bytes"}],"summary":{…}}
// as UTF-8; `indent` < 0 = one line. "device" is "" where there is none, "bytes" -1 where
// the shape is unknown; "detail" and "error" are left out when empty.
std::string ExplainJson(const Graph& graph, const Placement& placement, int indent = 1);

// One self-contained page: no network, styles and script inline. `title` is shown on top.
std::string ExplainHtml(const Graph& graph, const Placement& placement,
                        std::string_view title);

}  // namespace berth
