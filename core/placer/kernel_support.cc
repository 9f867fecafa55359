#include "core/placer/kernel_support.h"

#include <utility>

#include "core/ops/op_schema.h"

namespace berth {
namespace {

// Equal for equal answers.
std::string KeyOf(uint64_t types, const RejectionList& rejections) {
  std::string key = std::to_string(types);
  for (const Rejection& rejection : rejections) {
    key += '\n' + rejection.device + ':' +
           std::to_string(static_cast<int>(rejection.code)) + ':' + rejection.message;
  }
  return key;
}

}  // namespace

KernelSupport::KernelSupport(const KernelRegistry* kernels, const DeviceTable* devices,
                             const ShapeOf* shape_of)
    : kernels_(kernels), devices_(devices), shape_of_(shape_of), classes_(kernels) {}

bool KernelSupport::NeedsShapes(const OpSchema& schema) {
  const auto [it, added] = needs_shapes_.try_emplace(&schema, false);
  if (added) it->second = kernels_->TraitsOf(schema.name).is_conditional;
  return it->second;
}

const Support* KernelSupport::Of(const Node& node) {
  shapes_.clear();
  if (*shape_of_ && NeedsShapes(node.schema())) {
    for (const OutputRef& input : node.inputs()) {
      const Shape* shape =
          input.node == nullptr ? nullptr : (*shape_of_)(*input.node, input.index);
      shapes_.push_back(shape != nullptr ? *shape : Shape::UnknownRank());
    }
  }
  const size_t node_class = classes_.ClassOf(node, shapes_);
  if (node_class >= by_class_.size()) by_class_.resize(node_class + 1);
  if (by_class_[node_class] == nullptr) by_class_[node_class] = Ask(node);
  return by_class_[node_class];
}

const Support* KernelSupport::Ask(const Node& node) {
  Support support;
  RejectionList rejections;
  for (size_t i = 0; i < devices_->types().size(); ++i) {
    const std::string& type = devices_->types()[i];
    KernelMatch match = kernels_->Find(node, type, shapes_);
    if (match.ok()) {
      support.types |= uint64_t{1} << i;
    } else {
      rejections.push_back({type, match.code, std::move(match.reason)});
    }
  }
  const Support*& known = by_answer_[KeyOf(support.types, rejections)];
  if (known == nullptr) {
    if (!rejections.empty()) {
      support.rejections = std::make_shared<const RejectionList>(std::move(rejections));
    }
    kept_.push_back(std::move(support));
    known = &kept_.back();
  }
  return known;
}

}  // namespace berth
