#include "core/plugin/testing/fake_device.h"

#include <memory>
#include <string>
#include <utility>

namespace berth::testing {

berth_status_code FakeFill(const Status& status, berth_error* error) {
  if (status.ok()) return BERTH_OK;
  if (error != nullptr) {
    auto* copy = new std::string(status.message());
    error->message = copy->c_str();
    error->private_data = copy;
    error->release = [](berth_error* self) {
      delete static_cast<std::string*>(self->private_data);
    };
  }
  return static_cast<berth_status_code>(status.code());
}

DeferredCompute::DeferredCompute(const berth_compute_context& from) : context(from) {
  Copy(from.inputs, from.num_inputs, &input_pointers);
  Copy(from.outputs, from.num_outputs, &output_pointers);
  context.inputs = input_pointers.data();
  context.outputs = output_pointers.data();
}

void DeferredCompute::Copy(const berth_tensor* const* from, uint32_t count,
                           std::vector<berth_tensor*>* to) {
  for (uint32_t i = 0; i < count; ++i) {
    berth_tensor view = *from[i];
    if (view.rank > 0) {
      view.dims = dims.emplace_back(view.dims, view.dims + view.rank).data();
    }
    to->push_back(&tensors.emplace_back(view));
  }
}

berth_status_code FakeRun(const FakeComputeFn& fn, berth_compute_context* context,
                          berth_error* error) {
  if (context->stream == nullptr) return FakeFill(fn(context), error);
  auto deferred = std::make_shared<DeferredCompute>(*context);
  auto* stream = reinterpret_cast<FakeStream*>(context->stream);
  return FakeFill(stream->Enqueue([deferred, &fn] { return fn(&deferred->context); }),
                  error);
}

}  // namespace berth::testing
