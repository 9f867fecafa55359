#include "core/executor/variable.h"

#include "core/executor/device_set.h"

namespace berth::executor {

Status UninitializedError(const std::vector<const Variable*>& variables) {
  std::string message;
  if (variables.size() == 1) {
    const Variable& variable = *variables[0];
    message = variable.desc().is_resource
                  ? "Error while reading resource variable " + variable.name() +
                        " from Container: " + variable.desc().container +
                        ". This could mean that the variable was uninitialized"
                  : "Attempting to use uninitialized value " + variable.name();
  } else {
    message = "Attempting to use " + std::to_string(variables.size()) +
              " uninitialized values:";
    for (const Variable* variable : variables) message += " " + variable->name();
  }
  return FailedPrecondition(message + "; run their initializers first");
}

Result<std::shared_ptr<Variable>> ResourceManager::FindOrCreate(const Node& node,
                                                                DeviceContext* home) {
  const AttrMap& attrs = node.attrs();
  Variable::Desc desc;
  desc.is_resource = node.op() == "VarHandleOp";
  desc.name = std::string(attrs.GetString("shared_name"));
  if (desc.name.empty()) desc.name = node.name();
  desc.container = std::string(attrs.GetString("container"));
  if (desc.container.empty()) desc.container = "localhost";
  desc.dtype = attrs.GetType("dtype");
  const Shape* shape = attrs.GetShape("shape");
  desc.shape = shape != nullptr ? *shape : Shape::UnknownRank();

  std::string key = desc.is_resource ? "resource/" : "ref/";
  key += desc.container;
  key += '/';
  key += desc.name;
  // As in TensorFlow every device has its own: a name says nothing across devices.
  key += '\n';
  key += home->name();

  absl::MutexLock lock(&mutex_);
  std::shared_ptr<Variable>& slot = variables_[key];
  if (slot == nullptr) {
    slot = std::make_shared<Variable>(std::move(desc), home, &shape_changes_);
  } else if (slot->desc().dtype != desc.dtype) {
    return InvalidArgument(
        "node '" + node.name() + "' (" + node.op() + ") asks for the variable '" +
        desc.name + "' in container '" + desc.container + "' with dtype " +
        std::string(DTypeName(desc.dtype)) + ", but it exists with dtype " +
        std::string(DTypeName(slot->desc().dtype)) +
        "; give one a shared_name of its own");
  }
  return slot;
}

void ResourceManager::ClearAll() {
  absl::MutexLock lock(&mutex_);
  for (auto& [key, variable] : variables_) variable->Clear();
}

}  // namespace berth::executor
