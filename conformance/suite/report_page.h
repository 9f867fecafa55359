// The page of ReportHtml, made from report_page.html when it is built.
#pragma once

#include <string_view>

namespace berth::conformance {

// With "{{DATA}}" where the report's JSON belongs.
extern const std::string_view kReportPage;

}  // namespace berth::conformance
