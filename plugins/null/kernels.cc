// The kernels of the null plugin: one row, whose kernel is still to be written.
#include "plugins/null/kernels.h"

#include <memory>
#include <string>

namespace berth::null_plugin {
namespace {

using sdk::ComputeContext;
using sdk::NodeView;
using sdk::Result;
using sdk::Status;

// Asked at placement for each node of a conditional row: "" takes the node, anything else
// is the reason that the user reads. Sees attributes and static shapes (-1 = unknown: yes
// means yes for every size). Never say yes to what Compute then cannot do: a kernel that
// fails with UNIMPLEMENTED at run time breaks the contract.
std::string SupportsRelu(const NodeView&) {
  return "the null plugin computes nothing: it is a skeleton";
}

// One object a node, made when the node is placed; immutable afterwards.
class ReluKernel {
 public:
  // Read here what the attributes say: node.Int("axis"), node.Type("T"), …
  static Result<std::unique_ptr<ReluKernel>> Create(const NodeView&, berth_device*) {
    return std::make_unique<ReluKernel>();
  }

  // To choose an algorithm per shape, ask for scratch memory, or give output shapes that
  // the op's shape function does not know, add
  //   struct Prepared {…};
  //   Status Prepare(sdk::PrepareContext& context, Prepared* prepared) const;
  // and give Compute a `const Prepared&` as its first parameter.

  // Runs on many threads at once; allocates nothing, keeps nothing. On a device with
  // streams it only puts work on sdk::StreamFrom(context.stream()) and returns.
  Status Compute(ComputeContext&) const {
    return sdk::Unimplemented("the null plugin computes nothing: it is a skeleton");
  }
};

}  // namespace

void RegisterKernels(sdk::KernelTable& table) {
  // Op, the types it takes, arguments in host memory, outputs that may reuse an input.
  // Fastest rows first: the first one that accepts the node wins.
  table.Op("Relu")
      .Type("T", {BERTH_FLOAT})
      .InPlace(0, 0)
      .If(&SupportsRelu)  // leave out where the row alone is the promise
      .Use<ReluKernel>();
}

}  // namespace berth::null_plugin
