// The report as a JSON value, for the forms that are made of it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "conformance/suite/report.h"

namespace berth::conformance {

nlohmann::ordered_json ReportValue(const Report& report);

// JSON is UTF-8; what a plugin prints may be anything, and is mended.
std::string DumpJson(const nlohmann::ordered_json& value, int indent);

}  // namespace berth::conformance
