#include "core/formats/checkpoint/checkpoint_state.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "berth/proto/checkpoint.pb.h"
#include "core/formats/checkpoint/bundle_reader.h"
#include "core/formats/file.h"

namespace berth::formats {
namespace {

std::string Quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string Join(const std::string& folder, const std::string& name) {
  if (folder.empty() || folder == ".") return name;
  return folder.back() == '/' ? folder + name : folder + "/" + name;
}

// A name of the state file as the program must use it.
std::string Resolve(const std::string& folder, const std::string& name) {
  if (name.empty() || name.front() != '/') return Join(folder, name);
  if (CheckpointExists(name)) return name;
  const std::string beside = Join(folder, BaseName(name));
  return CheckpointExists(beside) ? beside : name;
}

// The other way; what lies elsewhere keeps its path.
std::string RelativeTo(const std::string& folder, const std::string& prefix) {
  if (FolderOf(prefix) == folder || (folder == "." && prefix.front() != '/')) {
    return folder == "." ? prefix : BaseName(prefix);
  }
  const std::string root = folder.back() == '/' ? folder : folder + "/";
  return prefix.starts_with(root) ? prefix.substr(root.size()) : prefix;
}

// Protobuf's parser of text would print what it finds to stderr.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (!text_.empty()) return;
    text_ = "line " + std::to_string(line + 1) + ", column " +
            std::to_string(column + 1) + ": " + message;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

Status ParseState(const std::string& text, tf::CheckpointState* state) {
  if (text.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return DataLoss("it is too large");
  }
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  google::protobuf::io::ArrayInputStream input(text.data(),
                                               static_cast<int>(text.size()));
  if (!parser.Parse(&input, state)) return DataLoss(error.text());
  if (state->model_checkpoint_path().empty()) {
    return DataLoss("it names no checkpoint (model_checkpoint_path)");
  }
  return OkStatus();
}

}  // namespace

bool CheckpointExists(const std::string& prefix) {
  const auto reader = BundleReader::Open(prefix);
  if (!reader.ok()) return false;
  for (int shard = 0; shard < (*reader)->num_shards(); ++shard) {
    if (!FileExists(DataFileName(prefix, shard, (*reader)->num_shards()))) return false;
  }
  return true;
}

Result<CheckpointState> ReadCheckpointState(const std::string& folder,
                                            const std::string& file_name) {
  const std::string path = Join(folder, file_name);
  Result<std::string> text = ReadFile(path);
  if (text.status().code() == Code::kNotFound) {
    return NotFound("there is no checkpoint in " + Quoted(folder) + ": it has no file " +
                    Quoted(file_name));
  }
  if (!text.ok()) return text.status();
  tf::CheckpointState proto;
  if (Status status = ParseState(*text, &proto); !status.ok()) {
    return status.WithPrefix("the state file " + Quoted(path) + " is damaged: ");
  }
  CheckpointState state;
  state.latest = Resolve(folder, proto.model_checkpoint_path());
  for (const std::string& name : proto.all_model_checkpoint_paths()) {
    state.all.push_back(Resolve(folder, name));
  }
  if (std::find(state.all.begin(), state.all.end(), state.latest) == state.all.end()) {
    state.all.push_back(state.latest);
  }
  const auto& times = proto.all_model_checkpoint_timestamps();
  if (static_cast<size_t>(times.size()) == state.all.size()) {
    state.timestamps.assign(times.begin(), times.end());
  }
  state.last_preserved = proto.last_preserved_timestamp();
  return state;
}

Status WriteCheckpointState(const std::string& folder, const CheckpointState& state,
                            const std::string& file_name) {
  if (state.latest.empty()) return InvalidArgument("a state file names a checkpoint");
  tf::CheckpointState proto;
  proto.set_model_checkpoint_path(RelativeTo(folder, state.latest));
  for (const std::string& prefix : state.all) {
    proto.add_all_model_checkpoint_paths(RelativeTo(folder, prefix));
  }
  for (const double time : state.timestamps) {
    proto.add_all_model_checkpoint_timestamps(time);
  }
  proto.set_last_preserved_timestamp(state.last_preserved);
  std::string text;
  if (!google::protobuf::TextFormat::PrintToString(proto, &text)) {
    return Internal("the state of the checkpoints has no text form");
  }
  return WriteFile(Join(folder, file_name), text);
}

Result<std::string> LatestCheckpoint(const std::string& folder,
                                     const std::string& file_name) {
  BERTH_ASSIGN_OR_RETURN(const CheckpointState state,
                         ReadCheckpointState(folder, file_name));
  if (CheckpointExists(state.latest)) return state.latest;
  std::string message = "the latest checkpoint " + Quoted(state.latest) +
                        ", which the state file in " + Quoted(folder) +
                        " names, is not there or not whole";
  for (auto it = state.all.rbegin(); it != state.all.rend(); ++it) {
    if (CheckpointExists(*it)) {
      message += "; the newest whole one is " + Quoted(*it);
      break;
    }
  }
  return NotFound(message);
}

}  // namespace berth::formats
