// The page's data; the page itself is report_page.html.
#include <nlohmann/json.hpp>

#include "conformance/suite/report_json.h"
#include "conformance/suite/report_page.h"

namespace berth::conformance {

std::string ReportHtml(const Report& report) {
  constexpr std::string_view kMark = "{{DATA}}";
  std::string page(kReportPage.substr(0, kReportPage.find(kMark)));
  // Inside a script element nothing may look like a tag.
  for (const char c : DumpJson(ReportValue(report), -1)) {
    if (c == '<') {
      page += "\\u003c";
    } else {
      page += c;
    }
  }
  return page.append(kReportPage.substr(kReportPage.find(kMark) + kMark.size()));
}

}  // namespace berth::conformance
