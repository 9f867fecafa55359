// What parent and worker say to each other, one line a message.
//
// The parent sends words on the worker's descriptor kCommandFd: "list", "run NAME"; the
// end of the stream means "unload and exit". The worker answers on kReportFd with one
// JSON object a line; stdout and stderr are the plugin's. Both descriptors are the
// worker's own: nothing that a plugin prints gets between them.
#pragma once

#include <string>
#include <string_view>

#include "conformance/suite/report.h"

namespace berth::conformance {

inline constexpr int kCommandFd = 3;
inline constexpr int kReportFd = 4;

enum class MessageKind {
  kReady,    // the plugin is loaded, commands are awaited
  kRefused,  // it could not be loaded: `text` says why; the worker exits
  kSubject,  // first answer to "list"
  kCase,     // one for each case
  kListed,   // the last answer to "list"
  kBegin,    // of the case named `text`
  kEnd,      // with its result
  kSignal,   // a deadly signal, `number`, has come; its stack follows on stderr
  kMemory,   // an allocation has failed
};

struct Message {
  MessageKind kind = MessageKind::kReady;
  std::string text;
  int number = 0;
  SubjectInfo subject;
  CaseInfo info;
  CaseResult result;
};

// One line, with its line break. Text that is no UTF-8 is mended.
std::string EncodeMessage(const Message& message);
// DATA_LOSS for a line that no worker of this version writes.
Result<Message> DecodeMessage(std::string_view line);

// For the worker's signal handler and its handler of failed allocations, which may build
// no string: whole lines, that of a signal for numbers of two digits.
inline constexpr std::string_view kMemoryLine = "{\"t\":\"memory\"}\n";
inline constexpr std::string_view kSignalLine = "{\"t\":\"signal\",\"number\":\"00\"}\n";
inline constexpr size_t kSignalDigits = kSignalLine.size() - 5;

}  // namespace berth::conformance
