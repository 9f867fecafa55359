#include "conformance/suite/device/op_run.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace berth::conformance {
namespace {

// "[2,3]" of what prepare wrote.
std::string ShapeText(const berth_shape& shape) {
  return DimsString({shape.dims, shape.dims + std::clamp(shape.rank, 0, BERTH_MAX_RANK)});
}

}  // namespace

Finding FindingOf(const OpOutcome& outcome) {
  if (outcome.status.ok() || !outcome.finding.ok()) return outcome.finding;
  const std::string text = std::string(outcome.stage) + ": " + outcome.status.ToString();
  if (outcome.stage == std::string("copy")) {
    return {fault::kLateError, "the wait for the run said OK; then, " + text};
  }
  switch (outcome.status.code()) {
    case Code::kUnimplemented:
      return {fault::kRefusedAtRun, "claimed at placement, refused in " + text};
    case Code::kResourceExhausted:
      return {fault::kOutOfMemory, text};
    default:
      return {fault::kFails, text};
  }
}

Status OpRun::Call(berth_compute_context* context) {
  if ((def_.flags & BERTH_KERNEL_ASYNC) == 0) {
    berth_error error = EmptyError();
    return Taken(def_.compute(kernel_, prepared_, context, &error), &error, "compute");
  }
  Done& done = dones_.emplace_back();
  const auto on_done = [](void* arg, berth_status_code code, const char* message) {
    auto* self = static_cast<Done*>(arg);
    if (self->calls.fetch_add(1) > 0) return;
    self->status.set_value(code == BERTH_OK ? OkStatus()
                                            : Status(static_cast<Code>(code),
                                                     message != nullptr ? message : ""));
  };
  def_.compute_async(kernel_, prepared_, context, on_done, &done);
  return done.status.get_future().get();
}

OpRun::OpRun(const Stream& stream, const OpNode& node, const KernelEntry& entry,
             const OpCall& call)
    : stream_(stream),
      node_(node),
      def_(*entry.def),
      entry_(entry),
      call_(call),
      shape_at_run_((def_.flags & BERTH_KERNEL_SHAPE_AT_RUN) != 0) {}

OpRun::~OpRun() {
  if (state_ != nullptr) def_.destroy_state(state_);
  if (prepared_ != nullptr && def_.release_prepared != nullptr) {
    def_.release_prepared(kernel_, prepared_);
  }
  if (kernel_ != nullptr) def_.destroy(kernel_);
}

bool OpRun::IsHost(const char* argument, const char* const* names, uint32_t count) const {
  return std::any_of(names, names + count,
                     [&](const char* name) { return std::strcmp(name, argument) == 0; });
}

GuardedTensor::Place OpRun::PlaceOf(const berth_value_info& info) const {
  return IsHost(info.arg_name, def_.host_args, def_.num_host_args)
             ? GuardedTensor::Place::kHost
             : GuardedTensor::Place::kDevice;
}

Status OpRun::Prepare(OpOutcome* outcome) {
  outcome->stage = "create";
  BERTH_ASSIGN_OR_RETURN(kernel_, entry_.Create(stream_.subject().device(), node_.abi()));
  if ((def_.flags & BERTH_KERNEL_STATEFUL) != 0) {
    berth_error error = EmptyError();
    BERTH_RETURN_IF_ERROR(
        Taken(def_.create_state(kernel_, &state_, &error), &error, "create_state"));
  }
  outcome->stage = "prepare";
  // Only the values that the row asks for are there.
  std::vector<berth_tensor> views(call_.inputs.size());
  std::vector<const berth_tensor*> view_pointers;
  for (size_t i = 0; i < views.size(); ++i) {
    const HostTensor& input = call_.inputs[i];
    views[i].dims = input.dims.data();
    views[i].rank = input.rank();
    views[i].dtype = input.dtype;
    views[i].byte_size = input.bytes.size();
    if (IsHost(node_.abi().inputs[i]->arg_name, def_.prepare_args,
               def_.num_prepare_args)) {
      views[i].host_data = const_cast<char*>(input.bytes.data());
    }
    view_pointers.push_back(&views[i]);
  }
  std::vector<berth_shape> shapes(static_cast<size_t>(node_.num_outputs()));
  std::vector<berth_shape*> shape_pointers;
  for (int k = 0; k < node_.num_outputs(); ++k) {
    berth_shape& shape = shapes[static_cast<size_t>(k)];
    const Shape& known = node_.output_shape(k);
    shape.rank = known.rank();
    std::copy_n(known.dims(), std::max(known.rank(), 0), shape.dims);
    shape_pointers.push_back(&shape);
  }
  berth_prepare_args args = {};
  args.struct_size = sizeof(args);
  args.num_inputs = static_cast<uint32_t>(views.size());
  args.num_outputs = static_cast<uint32_t>(shapes.size());
  args.inputs = view_pointers.data();
  args.outputs = shape_pointers.data();
  args.num_threads = 2;
  if (def_.prepare != nullptr) {
    berth_error error = EmptyError();
    BERTH_RETURN_IF_ERROR(Taken(def_.prepare(kernel_, &args, &error), &error, "prepare"));
  }
  prepared_ = args.prepared;
  scratch_size_ = args.scratch_size;
  inplace_refused_ = args.inplace_refused;

  for (int k = 0; k < node_.num_outputs(); ++k) {
    HostTensor place;
    place.dtype = node_.output_dtype(k);
    const berth_shape& shape = shapes[static_cast<size_t>(k)];
    const bool open = shape.rank < 0 || std::any_of(shape.dims, shape.dims + shape.rank,
                                                    [](int64_t dim) { return dim < 0; });
    if (open && !shape_at_run_) {
      outcome->finding = {fault::kWrongShape, "prepare leaves the shape of output " +
                                                  std::to_string(k) +
                                                  " open: " + ShapeText(shape)};
      return Internal(outcome->finding.message);
    }
    if (!open) place.dims.assign(shape.dims, shape.dims + shape.rank);
    places_.push_back(std::move(place));
  }
  return OkStatus();
}

bool OpRun::MayShare(int pair) const {
  const berth_inplace_pair& p = def_.inplace_pairs[pair];
  if (p.input < 0 || p.input >= call_.num_inputs() || p.output < 0 ||
      p.output >= node_.num_outputs() || shape_at_run_) {
    return false;
  }
  if (pair < 64 && (inplace_refused_ >> pair & 1) != 0) return false;
  const HostTensor& place = places_[static_cast<size_t>(p.output)];
  const HostTensor& input = call_.input(p.input);
  return !input.bytes.empty() &&
         static_cast<uint64_t>(NumElements(place.dims)) * DTypeSize(place.dtype) ==
             input.bytes.size() &&
         node_.abi().inputs[p.input]->is_ref == 0;
}

Status OpRun::MakeInputs(Buffers* buffers,
                         std::vector<const berth_tensor*>* views) const {
  for (int i = 0; i < call_.num_inputs(); ++i) {
    BERTH_ASSIGN_OR_RETURN(
        std::unique_ptr<GuardedTensor> tensor,
        GuardedTensor::Make(stream_, call_.input(i), PlaceOf(*node_.abi().inputs[i])));
    views->push_back(&tensor->view());
    buffers->inputs.push_back(std::move(tensor));
  }
  return OkStatus();
}

Status OpRun::MakeOutputs(char fill, int inplace, Buffers* buffers,
                          std::vector<berth_tensor*>* views) {
  for (int k = 0; k < node_.num_outputs(); ++k) {
    buffers->outputs.emplace_back();
    int shared = node_.alias_of(k);
    if (inplace >= 0 && def_.inplace_pairs[inplace].output == k) {
      shared = def_.inplace_pairs[inplace].input;
    }
    if (shared >= 0) {
      // The same memory under the output's own shape.
      berth_tensor view = buffers->inputs[static_cast<size_t>(shared)]->view();
      const HostTensor& place = places_[static_cast<size_t>(k)];
      view.dims = place.dims.data();
      view.rank = place.rank();
      view.dtype = place.dtype;
      views->push_back(&late_views_.emplace_back(view));
      continue;
    }
    if (shape_at_run_) {
      berth_tensor view = {};
      view.dtype = node_.output_dtype(k);
      views->push_back(&late_views_.emplace_back(view));
      continue;
    }
    HostTensor tensor = places_[static_cast<size_t>(k)];
    tensor.bytes.assign(
        static_cast<size_t>(NumElements(tensor.dims)) * DTypeSize(tensor.dtype), fill);
    BERTH_ASSIGN_OR_RETURN(
        buffers->outputs.back(),
        GuardedTensor::Make(stream_, tensor, PlaceOf(*node_.abi().outputs[k])));
    views->push_back(buffers->outputs.back()->mutable_view());
  }
  return OkStatus();
}

Status OpRun::AllocateOutput(HostComputeContext& self, uint32_t index,
                             const Shape& shape) {
  auto* run = static_cast<OpRun*>(self.owner);
  HostTensor tensor;
  tensor.dtype = run->node_.output_dtype(static_cast<int>(index));
  tensor.dims = shape.ToVector();
  tensor.bytes.assign(
      static_cast<size_t>(NumElements(tensor.dims)) * DTypeSize(tensor.dtype),
      run->current_fill_);
  std::unique_ptr<GuardedTensor>& place = run->current_->outputs[index];
  BERTH_ASSIGN_OR_RETURN(
      place, GuardedTensor::Make(run->stream_, tensor,
                                 run->PlaceOf(*run->node_.abi().outputs[index])));
  *self.abi.outputs[index] = place->view();
  return OkStatus();
}

Status OpRun::MakeContext(Buffers* buffers,
                          const std::vector<const berth_tensor*>& inputs,
                          const std::vector<berth_tensor*>& outputs,
                          HostComputeContext* context) {
  context->abi.struct_size = sizeof(context->abi);
  context->abi.host = stream_.subject().host();
  context->abi.device = stream_.subject().device();
  context->abi.stream = stream_.subject().is_synchronous() ? nullptr : stream_.get();
  context->abi.num_inputs = static_cast<uint32_t>(inputs.size());
  context->abi.num_outputs = static_cast<uint32_t>(outputs.size());
  context->abi.inputs = inputs.data();
  context->abi.outputs = outputs.data();
  context->abi.state = state_;
  if (scratch_size_ > 0) {
    HostTensor bytes;
    bytes.dtype = BERTH_UINT8;
    bytes.dims = {static_cast<int64_t>(scratch_size_)};
    bytes.bytes.assign(scratch_size_, static_cast<char>(0xcd));
    BERTH_ASSIGN_OR_RETURN(
        buffers->scratch,
        GuardedTensor::Make(stream_, bytes, GuardedTensor::Place::kDevice));
    context->abi.scratch = buffers->scratch->view();
  }
  if (shape_at_run_) context->allocate_output = AllocateOutput;
  context->owner = this;
  current_ = buffers;
  return OkStatus();
}

Status OpRun::CallCompute(Buffers* buffers, HostComputeContext* context,
                          OpOutcome* outcome) {
  outcome->stage = "compute";
  BERTH_RETURN_IF_ERROR(Call(&context->abi));
  outcome->stage = "event";
  BERTH_RETURN_IF_ERROR(stream_.Synchronize());
  for (const Done& done : dones_) {
    if (done.calls.load() != 1) {
      outcome->finding = {
          fault::kContract,
          "compute_async called `done` " + std::to_string(done.calls.load()) + " times"};
    }
  }
  if (buffers->scratch != nullptr) {
    Finding finding;
    BERTH_RETURN_IF_ERROR(buffers->scratch->Read(&finding).status());
    if (!finding.ok()) {
      outcome->finding = {fault::kOutOfBounds,
                          "of the scratch memory: " + finding.message};
    }
  }
  return OkStatus();
}

OpOutcome OpRun::Compute(char fill, int inplace) {
  OpOutcome outcome;
  outcome.stage = "allocate";
  current_fill_ = fill;
  Buffers& buffers = history_.emplace_back();
  std::vector<const berth_tensor*> inputs;
  std::vector<berth_tensor*> outputs;
  HostComputeContext context;
  outcome.status = MakeInputs(&buffers, &inputs);
  if (outcome.status.ok()) {
    outcome.status = MakeOutputs(fill, inplace, &buffers, &outputs);
  }
  if (outcome.status.ok()) {
    outcome.status = MakeContext(&buffers, inputs, outputs, &context);
  }
  if (outcome.status.ok()) outcome.status = CallCompute(&buffers, &context, &outcome);
  if (outcome.status.ok()) {
    outcome.stage = "copy";
    outcome.status = ReadBack(&buffers, inplace, &outcome);
  }
  if (!outcome.status.ok()) {
    // What was put on the stream before the failure may still use the memory.
    (void)stream_.Synchronize().ok();
    history_.pop_back();
  }
  return outcome;
}

Result<double> OpRun::Time(int times) {
  Buffers& buffers = history_.emplace_back();
  std::vector<const berth_tensor*> inputs;
  std::vector<berth_tensor*> outputs;
  HostComputeContext context;
  BERTH_RETURN_IF_ERROR(MakeInputs(&buffers, &inputs));
  BERTH_RETURN_IF_ERROR(MakeOutputs(0, -1, &buffers, &outputs));
  BERTH_RETURN_IF_ERROR(MakeContext(&buffers, inputs, outputs, &context));
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i) {
    BERTH_RETURN_IF_ERROR(Call(&context.abi));
  }
  BERTH_RETURN_IF_ERROR(stream_.Synchronize());
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  history_.pop_back();
  return spent.count();
}

Status OpRun::ReadBack(Buffers* buffers, int inplace, OpOutcome* outcome) const {
  const int shared = inplace >= 0 ? def_.inplace_pairs[inplace].input : -1;
  for (int i = 0; i < call_.num_inputs(); ++i) {
    Finding finding;
    BERTH_ASSIGN_OR_RETURN(HostTensor now,
                           buffers->inputs[static_cast<size_t>(i)]->Read(&finding));
    if (node_.abi().inputs[i]->is_ref != 0) {
      outcome->written.emplace_back(i, now);
    } else if (i != shared && now.bytes != call_.input(i).bytes) {
      finding = {fault::kInputChanged, "input " + std::to_string(i) + " (" +
                                           node_.abi().inputs[i]->arg_name +
                                           ") has other values after the run"};
    }
    if (outcome->finding.ok()) outcome->finding = finding;
    buffers->inputs_after.push_back(std::move(now));
  }
  for (int k = 0; k < node_.num_outputs(); ++k) {
    const GuardedTensor* place = buffers->outputs[static_cast<size_t>(k)].get();
    int source = node_.alias_of(k);
    if (inplace >= 0 && def_.inplace_pairs[inplace].output == k) source = shared;
    Finding finding;
    if (place != nullptr) {
      BERTH_ASSIGN_OR_RETURN(HostTensor now, place->Read(&finding));
      outcome->outputs.push_back(std::move(now));
    } else if (source >= 0) {
      HostTensor now = places_[static_cast<size_t>(k)];
      now.bytes = buffers->inputs_after[static_cast<size_t>(source)].bytes;
      outcome->outputs.push_back(std::move(now));
    } else {
      outcome->finding = {
          fault::kContract,
          "compute returned without asking for output " + std::to_string(k)};
      outcome->outputs.emplace_back();
    }
    if (outcome->finding.ok()) outcome->finding = finding;
  }
  buffers->outputs_after = outcome->outputs;
  return OkStatus();
}

Finding OpRun::StreamIsFree() const {
  HostTensor probe;
  probe.dtype = BERTH_UINT8;
  probe.dims = {64};
  probe.bytes.assign(64, 'p');
  const Result<std::unique_ptr<GuardedTensor>> place =
      GuardedTensor::Make(stream_, probe, GuardedTensor::Place::kDevice);
  Finding finding;
  const Result<HostTensor> now =
      place.ok() ? (*place)->Read(&finding) : Result<HostTensor>(place.status());
  if (!now.ok()) {
    return {fault::kLateError,
            "after an error that was returned, a copy on the stream says " +
                now.status().ToString()};
  }
  if (now->bytes == probe.bytes) return finding;
  return {fault::kContract, "after an error that was returned, a copy gives other bytes"};
}

Finding OpRun::CheckEarlierBuffers() const {
  for (const Buffers& buffers : history_) {
    for (size_t k = 0; k < buffers.outputs.size(); ++k) {
      if (buffers.outputs[k] == nullptr) continue;
      Finding finding;
      const Result<HostTensor> now = buffers.outputs[k]->Read(&finding);
      if (!now.ok()) return {fault::kContract, now.status().ToString()};
      if (!finding.ok() || now->bytes != buffers.outputs_after[k].bytes) {
        return {fault::kBufferKept,
                "output " + std::to_string(k) +
                    " of an earlier run has changed since it was done"};
      }
    }
    for (size_t i = 0; i < buffers.inputs.size(); ++i) {
      Finding finding;
      const Result<HostTensor> now = buffers.inputs[i]->Read(&finding);
      if (!now.ok()) return {fault::kContract, now.status().ToString()};
      if (!finding.ok() || now->bytes != buffers.inputs_after[i].bytes) {
        return {fault::kBufferKept,
                "input " + std::to_string(i) +
                    " of an earlier run has changed since it was done"};
      }
    }
  }
  return {};
}

}  // namespace berth::conformance
