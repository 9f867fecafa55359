// Reading a node's attributes and static shapes.
#pragma once

#include <berth/node.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "sdk/cpp/namespace.h"

BERTH_SDK_BEGIN

// A loan of a berth_node with typed attribute access. An attribute that is absent or of
// another kind reads as the fallback; the host has filled in every default of the OpDef,
// so for an op of the schema that is a matter of taste.
class NodeView {
 public:
  explicit NodeView(const berth_node& node) : node_(node) {}

  const char* name() const { return node_.name; }
  const char* op() const { return node_.op; }
  const char* device() const { return node_.device; }
  int num_inputs() const { return static_cast<int>(node_.num_inputs); }
  int num_outputs() const { return static_cast<int>(node_.num_outputs); }
  const berth_value_info& input(int i) const { return *node_.inputs[i]; }
  const berth_value_info& output(int i) const { return *node_.outputs[i]; }
  const berth_node& abi() const { return node_; }

  const berth_attr* Find(const char* name) const {
    uint32_t low = 0;
    uint32_t high = node_.num_attrs;
    while (low < high) {
      const uint32_t mid = (low + high) / 2;
      const int order = std::strcmp(node_.attrs[mid]->name, name);
      if (order == 0) return node_.attrs[mid];
      if (order < 0) {
        low = mid + 1;
      } else {
        high = mid;
      }
    }
    return nullptr;
  }

  int64_t Int(const char* name, int64_t fallback = 0) const {
    const berth_attr* attr = Of(name, BERTH_ATTR_INT);
    return attr ? attr->i : fallback;
  }
  float Float(const char* name, float fallback = 0) const {
    const berth_attr* attr = Of(name, BERTH_ATTR_FLOAT);
    return attr ? attr->f : fallback;
  }
  bool Bool(const char* name, bool fallback = false) const {
    const berth_attr* attr = Of(name, BERTH_ATTR_BOOL);
    return attr ? attr->i != 0 : fallback;
  }
  berth_dtype Type(const char* name) const {
    const berth_attr* attr = Of(name, BERTH_ATTR_TYPE);
    return attr ? static_cast<berth_dtype>(attr->i) : BERTH_INVALID_DTYPE;
  }
  std::string_view String(const char* name, std::string_view fallback = {}) const {
    const berth_attr* attr = Of(name, BERTH_ATTR_STRING);
    return attr ? std::string_view(attr->s.data, attr->s.size) : fallback;
  }
  std::vector<int64_t> Ints(const char* name) const {
    const berth_attr* attr = Of(name, BERTH_ATTR_LIST_INT);
    if (attr == nullptr) return {};
    return {attr->ints, attr->ints + attr->count};
  }

 private:
  const berth_attr* Of(const char* name, berth_attr_kind kind) const {
    const berth_attr* attr = Find(name);
    return attr != nullptr && attr->kind == kind ? attr : nullptr;
  }

  const berth_node& node_;
};

BERTH_SDK_END
