#include "conformance/suite/wire.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

namespace berth::conformance {
namespace {

using nlohmann::json;

constexpr std::array<std::pair<MessageKind, const char*>, 9> kKinds = {{
    {MessageKind::kReady, "ready"},
    {MessageKind::kRefused, "refused"},
    {MessageKind::kSubject, "subject"},
    {MessageKind::kCase, "case"},
    {MessageKind::kListed, "listed"},
    {MessageKind::kBegin, "begin"},
    {MessageKind::kEnd, "end"},
    {MessageKind::kSignal, "signal"},
    {MessageKind::kMemory, "memory"},
}};

// JSON has no infinity and no NaN; a margin or a metric may be either.
std::string NumberText(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return json(value).dump();
}

double ParseNumber(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

std::string Text(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

json SubjectJson(const SubjectInfo& subject) {
  return {{"plugin_path", subject.plugin_path},
          {"plugin_name", subject.plugin_name},
          {"plugin_version", subject.plugin_version},
          {"plugin_hash", subject.plugin_hash},
          {"abi_version", subject.abi_version},
          {"device", subject.device},
          {"driver", subject.driver},
          {"device_type", subject.device_type}};
}

SubjectInfo ParseSubject(const json& object) {
  return {.plugin_path = Text(object, "plugin_path"),
          .plugin_name = Text(object, "plugin_name"),
          .plugin_version = Text(object, "plugin_version"),
          .plugin_hash = Text(object, "plugin_hash"),
          .abi_version = Text(object, "abi_version"),
          .device = Text(object, "device"),
          .driver = Text(object, "driver"),
          .device_type = Text(object, "device_type")};
}

void AddResult(const CaseResult& result, json* line) {
  json metrics = json::object();
  for (const auto& [key, value] : result.metrics) metrics[key] = NumberText(value);
  line->update({{"verdict", VerdictName(result.verdict)},
                {"fault", result.fault},
                {"message", result.message},
                {"margin", NumberText(result.margin)},
                {"metrics", std::move(metrics)}});
}

Status ParseResult(const json& line, CaseResult* result) {
  BERTH_ASSIGN_OR_RETURN(result->verdict, ParseVerdict(Text(line, "verdict")));
  result->fault = Text(line, "fault");
  result->message = Text(line, "message");
  result->margin = ParseNumber(Text(line, "margin"));
  const auto metrics = line.find("metrics");
  if (metrics == line.end() || !metrics->is_object()) return OkStatus();
  for (const auto& [key, value] : metrics->items()) {
    if (value.is_string()) result->metrics[key] = ParseNumber(value.get<std::string>());
  }
  return OkStatus();
}

Status ParseInfo(const json& line, CaseInfo* info) {
  info->name = Text(line, "name");
  info->op = Text(line, "op");
  info->dtype = Text(line, "dtype");
  BERTH_ASSIGN_OR_RETURN(info->tier, ParseTier(Text(line, "tier")));
  info->limit_seconds = ParseNumber(Text(line, "limit"));
  return OkStatus();
}

const char* KindName(MessageKind kind) {
  for (const auto& [known, name] : kKinds) {
    if (known == kind) return name;
  }
  return "";
}

}  // namespace

std::string EncodeMessage(const Message& message) {
  json line = {{"t", KindName(message.kind)}};
  switch (message.kind) {
    case MessageKind::kSubject:
      line["subject"] = SubjectJson(message.subject);
      break;
    case MessageKind::kCase:
      line.update({{"name", message.info.name},
                   {"op", message.info.op},
                   {"dtype", message.info.dtype},
                   {"tier", TierName(message.info.tier)},
                   {"limit", NumberText(message.info.limit_seconds)}});
      break;
    case MessageKind::kEnd:
      line["text"] = message.text;
      AddResult(message.result, &line);
      break;
    case MessageKind::kSignal:
      line["number"] = std::to_string(message.number);
      break;
    default:
      line["text"] = message.text;
  }
  return line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<Message> DecodeMessage(std::string_view text) {
  const json line = json::parse(text, nullptr, false);
  const std::string kind = line.is_object() ? Text(line, "t") : "";
  for (const auto& [known, name] : kKinds) {
    if (kind != name) continue;
    Message message;
    message.kind = known;
    message.text = Text(line, "text");
    message.number = std::atoi(Text(line, "number").c_str());
    if (known == MessageKind::kSubject && line.contains("subject")) {
      message.subject = ParseSubject(line["subject"]);
    }
    if (known == MessageKind::kCase) {
      BERTH_RETURN_IF_ERROR(ParseInfo(line, &message.info));
    }
    if (known == MessageKind::kEnd) {
      BERTH_RETURN_IF_ERROR(ParseResult(line, &message.result));
    }
    return message;
  }
  return DataLoss("no message of a worker: '" + std::string(text.substr(0, 200)) + "'");
}

}  // namespace berth::conformance
