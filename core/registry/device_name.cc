#include "core/registry/device_name.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace berth {
namespace {

bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A letter, then letters, digits and '_': job names and device types.
bool IsName(std::string_view text) {
  if (text.empty() || !IsAlpha(text[0])) return false;
  for (const char c : text) {
    if (!IsAlpha(c) && !IsDigit(c) && c != '_') return false;
  }
  return true;
}

Status Malformed(std::string_view text, std::string_view why) {
  return InvalidArgument("Malformed device specification '" + std::string(text) +
                         "': " + std::string(why) +
                         ". A device is written /job:NAME/replica:N/task:N/device:TYPE:N,"
                         " /cpu:N or /gpu:N; each field may be left out");
}

bool Consume(std::string_view* rest, std::string_view prefix) {
  if (!rest->starts_with(prefix)) return false;
  rest->remove_prefix(prefix.size());
  return true;
}

// Reads digits up to the first other character. Empty, or why not.
std::string_view ConsumeNumber(std::string_view* rest, int* number) {
  size_t size = 0;
  int64_t value = 0;
  while (size < rest->size() && IsDigit((*rest)[size])) {
    value = value * 10 + ((*rest)[size++] - '0');
    if (value > std::numeric_limits<int>::max()) return "a number exceeds 2147483647";
  }
  if (size == 0) return "a number is expected behind ':'";
  rest->remove_prefix(size);
  *number = static_cast<int>(value);
  return {};
}

std::string_view ConsumeNumberOrStar(std::string_view* rest, std::optional<int>* field) {
  field->reset();
  if (Consume(rest, "*")) return {};
  int number = 0;
  const std::string_view why = ConsumeNumber(rest, &number);
  if (why.empty()) *field = number;
  return why;
}

// Reads a name that ends at '/' (or at ':' where `until_colon`).
std::string_view ConsumeNameOrStar(std::string_view* rest, bool until_colon,
                                   std::optional<std::string>* field) {
  field->reset();
  if (Consume(rest, "*")) return {};
  const size_t end = rest->find_first_of(until_colon ? "/:" : "/");
  const std::string_view name = rest->substr(0, end);
  if (!IsName(name)) {
    return until_colon ? "a device type begins with a letter and has letters, digits "
                         "and '_' only"
                       : "a job name begins with a letter and has letters, digits and "
                         "'_' only";
  }
  field->emplace(name);
  rest->remove_prefix(name.size());
  return {};
}

// Reads one "/field:value". Empty, or why not.
std::string_view ConsumeField(std::string_view* rest, DeviceSpec* spec) {
  if (Consume(rest, "/job:")) return ConsumeNameOrStar(rest, false, &spec->job);
  if (Consume(rest, "/replica:")) return ConsumeNumberOrStar(rest, &spec->replica);
  if (Consume(rest, "/task:")) return ConsumeNumberOrStar(rest, &spec->task);
  if (Consume(rest, "/device:")) {
    const std::string_view why = ConsumeNameOrStar(rest, true, &spec->type);
    if (!why.empty()) return why;
    if (Consume(rest, ":")) return ConsumeNumberOrStar(rest, &spec->index);
    spec->index.reset();
    return {};
  }
  if (Consume(rest, "/cpu:") || Consume(rest, "/CPU:")) {
    spec->type = "CPU";
    return ConsumeNumberOrStar(rest, &spec->index);
  }
  if (Consume(rest, "/gpu:") || Consume(rest, "/GPU:")) {
    spec->type = "GPU";
    return ConsumeNumberOrStar(rest, &spec->index);
  }
  return "a field must be /job:, /replica:, /task:, /device:, /cpu: or /gpu:";
}

std::string UpperIfLegacy(std::string_view type) {
  std::string upper;
  for (const char c : type) {
    upper += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  }
  return upper == "CPU" || upper == "GPU" ? upper : std::string(type);
}

// The whole of `text` is a number or "*". Empty, or why not.
std::string_view WholeNumberOrStar(std::string_view text, std::optional<int>* field) {
  const std::string_view why = ConsumeNumberOrStar(&text, field);
  if (!why.empty()) return why;
  return text.empty() ? std::string_view() : "a number is expected behind ':'";
}

// One piece between slashes, split at ':' into `words`. Empty, or why not.
std::string_view ParseScopePiece(const std::string_view (&words)[3], size_t num_words,
                                 DeviceSpec* spec) {
  if (num_words == 2 && words[0] == "job") {
    if (!IsName(words[1])) {
      return "a job name begins with a letter and has letters, digits and '_' only";
    }
    spec->job = std::string(words[1]);
    return {};
  }
  if (num_words == 2 && words[0] == "replica") {
    return WholeNumberOrStar(words[1], &spec->replica);
  }
  if (num_words == 2 && words[0] == "task") {
    return WholeNumberOrStar(words[1], &spec->task);
  }
  const bool legacy =
      UpperIfLegacy(words[0]) == "CPU" || UpperIfLegacy(words[0]) == "GPU";
  const bool device = words[0] == "device" && num_words == 3;
  if (!device && !(legacy && num_words <= 2)) {
    return "a field must be /job:, /replica:, /task:, /device:TYPE:N, /cpu: or /gpu:";
  }
  if (spec->type) return "multiple device types are not allowed";
  const std::string_view type = device ? words[1] : words[0];
  if (!IsName(type)) {
    return "a device type begins with a letter and has letters, digits and '_' only";
  }
  spec->type = UpperIfLegacy(type);
  if (num_words == 1) return {};
  return WholeNumberOrStar(words[num_words - 1], &spec->index);
}

template <typename T>
bool Differ(const std::optional<T>& a, const std::optional<T>& b) {
  return a && b && *a != *b;
}

template <typename T>
void FillFrom(std::optional<T>* field, const std::optional<T>& from) {
  if (!*field) *field = from;
}

}  // namespace

Result<DeviceSpec> DeviceSpec::Parse(std::string_view text) {
  DeviceSpec spec;
  if (text == "/") return spec;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view why = ConsumeField(&rest, &spec);
    if (!why.empty()) return Malformed(text, why);
  }
  return spec;
}

Result<DeviceSpec> DeviceSpec::ParseScope(std::string_view text) {
  DeviceSpec spec;
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('/'), rest.size());
    std::string_view piece = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (piece.empty()) continue;
    std::string_view words[3];
    size_t num_words = 0;
    bool more = true;
    while (more && num_words < 3) {
      const size_t colon = piece.find(':');
      more = colon != std::string_view::npos;
      words[num_words++] = piece.substr(0, colon);
      if (more) piece.remove_prefix(colon + 1);
    }
    const std::string_view why = more ? std::string_view("a field has too many ':'")
                                      : ParseScopePiece(words, num_words, &spec);
    if (!why.empty()) return Malformed(text, why);
  }
  return spec;
}

std::string DeviceSpec::ToString() const {
  std::string text;
  if (job) text += "/job:" + *job;
  if (replica) text += "/replica:" + std::to_string(*replica);
  if (task) text += "/task:" + std::to_string(*task);
  if (type || index) {
    text += "/device:" + type.value_or("*") + ":";
    text += index ? std::to_string(*index) : "*";
  }
  return text;
}

DeviceSpec DeviceSpec::MergedWith(const DeviceSpec& inner) const {
  DeviceSpec merged = inner;
  FillFrom(&merged.job, job);
  FillFrom(&merged.replica, replica);
  FillFrom(&merged.task, task);
  FillFrom(&merged.type, type);
  FillFrom(&merged.index, index);
  return merged;
}

Status DeviceSpec::Intersect(const DeviceSpec& other, bool soft) {
  const char* field = nullptr;
  if (Differ(job, other.job)) field = "jobs";
  if (Differ(replica, other.replica)) field = "replicas";
  if (Differ(task, other.task)) field = "tasks";
  if (!soft && Differ(type, other.type)) field = "types";
  if (!soft && field == nullptr && Differ(index, other.index)) field = "ids";
  if (field != nullptr) {
    return InvalidArgument("Cannot merge devices with incompatible " +
                           std::string(field) + ": '" + ToString() + "' and '" +
                           other.ToString() + "'");
  }
  FillFrom(&job, other.job);
  FillFrom(&replica, other.replica);
  FillFrom(&task, other.task);
  if (Differ(type, other.type)) {
    type.reset();
    index.reset();
    return OkStatus();
  }
  FillFrom(&type, other.type);
  if (Differ(index, other.index)) {
    index.reset();
  } else {
    FillFrom(&index, other.index);
  }
  return OkStatus();
}

bool DeviceSpec::CompatibleWith(const DeviceSpec& other) const {
  return !Differ(job, other.job) && !Differ(replica, other.replica) &&
         !Differ(task, other.task) && !Differ(type, other.type) &&
         !Differ(index, other.index);
}

bool DeviceSpec::Matches(const DeviceSpec& full) const { return CompatibleWith(full); }

}  // namespace berth
