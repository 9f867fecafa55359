// The compile hook of a fake plugin: it runs what it claimed by the rows of the single
// ops, so that a group must give what they give.
#pragma once

#include <berth/compile.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/plugin/testing/fake_plugin.h"

namespace berth::testing {

// What the hook answers.
struct FakeCompiler {
  // One number a node; see berth_compile_api. NULL = the plugin has no hook.
  std::function<Result<std::vector<int32_t>>(const berth_group& offer)> claim = nullptr;
  // Looks at a group and may refuse to compile it.
  std::function<Status(const berth_group& group)> inspect = nullptr;
  // What the compiled kernels fail with.
  Status compute_failure = OkStatus();
  // Flags of the compiled kernels' row.
  uint32_t flags = 0;
};

// Claims every node of an offer for one group.
FakeCompiler ClaimEverything();

// The hook as it hangs on the device table's chain. Outlives the plugin's devices.
class FakeHook {
 public:
  // The compute of the plugin's row for an op; NULL when it has none.
  using FindRow = std::function<const FakeComputeFn*(std::string_view op)>;
  FakeHook(FakeCompiler compiler, FindRow find_row);

  const berth_extension* extension() const { return &api_.head; }
  const FakeCompiler& compiler() const { return compiler_; }
  const FindRow& find_row() const { return find_row_; }
  const berth_kernel_def* def() const { return &def_; }

 private:
  FakeCompiler compiler_;
  FindRow find_row_;
  berth_kernel_def def_ = {};
  berth_compile_api api_ = {};
};

}  // namespace berth::testing
