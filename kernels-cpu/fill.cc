// fill.cc — Fill on the CPU, by the size of the element.
#include <cstring>

#include "kernels-cpu/common.h"
#include "kernels-cpu/families.h"
#include "kernels-cpu/shape_arg.h"
#include "kernels-cpu/word.h"

namespace berth::cpu {
namespace {

template <typename Word>
void FillWords(void* out, const void* value, int64_t begin, int64_t end) {
  Word word;
  std::memcpy(&word, value, sizeof(word));
  std::fill(static_cast<Word*>(out) + begin, static_cast<Word*>(out) + end, word);
}

class FillKernel {
 public:
  explicit FillKernel(const NodeView& node)
      : size_(static_cast<int64_t>(sdk::DtypeSize(node.output(0).dtype))) {}
  static Result<std::unique_ptr<FillKernel>> Create(const NodeView& node, berth_device*) {
    return Make<FillKernel>(node);
  }
  Status Prepare(PrepareContext& context) const {
    return ShapeArg(context.input(0), &context.output(0));
  }
  Status Compute(ComputeContext& context) const {
    const void* value = context.input(1).host_data;
    void* out = context.output(0).host_data;
    context.ParallelFor(NumElements(context.output(0)), GrainFor(size_),
                        [&](int64_t begin, int64_t end) { Run(value, out, begin, end); });
    return {};
  }

 private:
  void Run(const void* value, void* out, int64_t begin, int64_t end) const {
    WithWord(size_,
             [&](auto word) { FillWords<decltype(word)>(out, value, begin, end); });
  }

  int64_t size_;  // bytes an element
};

}  // namespace

void RegisterFill(KernelTable& table) {
  table.Op("Fill")
      .Type("T", {kF32, kF64, kI32, kI64, kI16, kI8, kU8, kU16, kU32, kU64, kBool, kHalf,
                  kBf16, kC64, kC128})
      .PrepareArg("dims")
      .Use<FillKernel>();
}

}  // namespace berth::cpu
