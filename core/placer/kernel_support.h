// Which device types can run a node, asked of the registry once per class of nodes.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/base/shape.h"
#include "core/graph/graph.h"
#include "core/placer/placement.h"
#include "core/placer/spec_table.h"
#include "core/registry/kernel_registry.h"

namespace berth {

// The answer for all nodes that look the same to the registry.
struct Support {
  uint64_t types = 0;  // bits of DeviceTable's types that have a kernel
  // One entry for each type that has none, by preference; NULL when all have one.
  std::shared_ptr<const RejectionList> rejections;
};

class KernelSupport {
 public:
  using ShapeOf = std::function<const Shape*(const Node& node, int output)>;

  KernelSupport(const KernelRegistry* kernels, const DeviceTable* devices,
                const ShapeOf* shape_of);

  // Lives as long as this object.
  const Support* Of(const Node& node);

 private:
  // True where a conditional kernel looks at static shapes.
  bool NeedsShapes(const OpSchema& schema);
  const Support* Ask(const Node& node);

  const KernelRegistry* kernels_;
  const DeviceTable* devices_;
  const ShapeOf* shape_of_;
  KernelClasses classes_;
  absl::flat_hash_map<const OpSchema*, bool> needs_shapes_;
  std::vector<const Support*> by_class_;
  absl::flat_hash_map<std::string, const Support*> by_answer_;
  std::deque<Support> kept_;
  std::vector<Shape> shapes_;
};

}  // namespace berth
