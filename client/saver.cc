#include "client/saver.h"

#include <filesystem>
#include <system_error>

#include "client/ops/ops.h"
#include "core/formats/checkpoint/bundle_reader.h"
#include "core/formats/checkpoint/checkpoint_state.h"

namespace berth::client {
namespace fs = std::filesystem;

namespace {

std::string Describe(DType dtype, const Shape& shape) {
  return std::string(DTypeName(dtype)) + " " + shape.ToString();
}

Status MakeParentFolder(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  if (parent.empty()) return {};
  std::error_code error;
  fs::create_directories(parent, error);
  if (error) {
    return FailedPrecondition("cannot make the folder '" + parent.string() +
                              "' for the checkpoint '" + path + "': " + error.message());
  }
  return {};
}

void RemoveCheckpoint(const std::string& prefix) {
  const fs::path path(prefix);
  const std::string stem = path.filename().string() + ".";
  std::error_code error;
  std::vector<fs::path> doomed;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(path.has_parent_path() ? path.parent_path() : ".", error)) {
    const std::string name = entry.path().filename().string();
    if (name == stem + "index" || name.rfind(stem + "data-", 0) == 0) {
      doomed.push_back(entry.path());
    }
  }
  for (const fs::path& file : doomed) fs::remove(file, error);
}

}  // namespace

Saver::Saver(const Scope& scope, std::vector<Variable> variables, Options options)
    : variables_(variables.empty() ? GlobalVariables(scope) : std::move(variables)),
      options_(options) {
  if (variables_.empty() && scope.status().ok()) {
    scope.Fail(InvalidArgument("Saver: the graph has no variables to save"));
    return;
  }
  const Scope s = scope.Absolute().Device("").Device("/cpu:0").Name("save");
  file_ = ops::PlaceholderWithDefault(s, "filename", ops::String(s, "model"), Shape());
  std::vector<std::string> names;
  std::vector<DType> dtypes;
  std::vector<Output> values;
  for (const Variable& variable : variables_) {
    names.push_back(variable.name());
    dtypes.push_back(variable.dtype());
    values.push_back(variable.ref());
  }
  const Output name_list = ops::Strings(s, names, "tensor_names");
  const Output slices =
      ops::Strings(s, std::vector<std::string>(names.size()), "shape_and_slices");
  save_ = OpBuilder(s, "SaveV2")
              .Input(file_)
              .Input(name_list)
              .Input(slices)
              .Inputs(values)
              .TypeListAttr("dtypes", dtypes)
              .Build();
  const Operation values_back = OpBuilder(s, "RestoreV2")
                                    .Input(file_)
                                    .Input(name_list)
                                    .Input(slices)
                                    .TypeListAttr("dtypes", dtypes)
                                    .Build();
  std::vector<Operation> assigns;
  for (size_t i = 0; i < variables_.size(); ++i) {
    const Scope beside = s.Device("").ColocateWith(variables_[i].ref());
    assigns.push_back(OpBuilder(beside, "Assign")
                          .Input(variables_[i].ref())
                          .Input(values_back.output(static_cast<int>(i)))
                          .Build());
  }
  restore_ = ops::Group(s.Device(""), assigns, "restore_all");
}

Result<std::string> Saver::Save(Session* session, const std::string& path, int64_t step) {
  const std::string prefix = step < 0 ? path : path + "-" + std::to_string(step);
  BERTH_RETURN_IF_ERROR(MakeParentFolder(prefix));
  BERTH_RETURN_IF_ERROR(session->Run({{file_, Tensor::String(prefix)}}, save_));
  std::erase(kept_, prefix);
  kept_.push_back(prefix);
  std::vector<std::string> doomed;
  while (options_.max_to_keep > 0 &&
         kept_.size() > static_cast<size_t>(options_.max_to_keep)) {
    doomed.push_back(kept_.front());
    kept_.erase(kept_.begin());
  }
  // The state file first, so that it never names a checkpoint that is gone.
  formats::CheckpointState state;
  state.latest = prefix;
  state.all = kept_;
  const fs::path folder = fs::path(prefix).parent_path();
  BERTH_RETURN_IF_ERROR(
      formats::WriteCheckpointState(folder.empty() ? "." : folder.string(), state));
  for (const std::string& old : doomed) RemoveCheckpoint(old);
  return prefix;
}

Status Saver::CheckFile(const std::string& prefix) const {
  BERTH_ASSIGN_OR_RETURN(const auto reader, formats::BundleReader::Open(prefix));
  std::string problems;
  for (const Variable& variable : variables_) {
    const formats::BundleEntry* entry = reader->Find(variable.name());
    const std::string wanted = Describe(variable.dtype(), variable.shape());
    if (entry == nullptr) {
      problems += "\n  '" + variable.name() + "' (" + wanted + ") is not in the file";
    } else if (entry->dtype != variable.dtype() ||
               !variable.shape().IsCompatibleWith(entry->shape)) {
      problems += "\n  '" + variable.name() + "' is " + wanted + ", in the file " +
                  Describe(entry->dtype, entry->shape);
    }
  }
  if (problems.empty()) return {};
  std::string have;
  for (const auto& [name, entry] : reader->List()) have += " '" + name + "'";
  return InvalidArgument("cannot restore from '" + prefix +
                         "'; no variable was changed:" + problems +
                         "\nThe file has:" + have);
}

Status Saver::Restore(Session* session, const std::string& prefix) {
  BERTH_RETURN_IF_ERROR(CheckFile(prefix));
  return session->Run({{file_, Tensor::String(prefix)}}, restore_);
}

Result<std::string> LatestCheckpoint(const std::string& folder) {
  return formats::LatestCheckpoint(folder);
}

}  // namespace berth::client
