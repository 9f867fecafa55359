// Saving variables in checkpoints of format V2, restoring them from V2 and V1.
#include <sys/stat.h>

#include <string>
#include <utility>

#include "core/executor/core_op.h"
#include "core/formats/checkpoint/bundle_reader.h"
#include "core/formats/checkpoint/bundle_writer.h"
#include "core/formats/checkpoint/tensor_slice.h"
#include "core/formats/file.h"

namespace berth::executor {
namespace {

using formats::BundleReader;
using formats::BundleWriter;
using formats::ShapeAndSlice;
using formats::TensorRequest;

// The one string of an input.
Result<std::string> StringOf(const HostOpContext& context, size_t input,
                             std::string_view what) {
  const Tensor& tensor = context.inputs[input];
  if (tensor.dtype() != BERTH_STRING || tensor.num_elements() != 1) {
    return InvalidArgument(std::string(what) + " must be one string, not " +
                           tensor.DebugString());
  }
  return tensor.strings()[0];
}

// Inputs 1 and 2 of both ops name `count` tensors and their slices.
Status CheckNames(const HostOpContext& context, size_t count) {
  for (const size_t input : {size_t{1}, size_t{2}}) {
    const Tensor& names = context.inputs[input];
    if (names.num_elements() != static_cast<int64_t>(count)) {
      return InvalidArgument(
          std::string(input == 1 ? "tensor_names" : "shape_and_slices") + " has " +
          std::to_string(names.num_elements()) + " entries for " + std::to_string(count) +
          " tensors");
    }
  }
  return OkStatus();
}

// SaveV2(prefix, tensor_names, shape_and_slices, tensors…).
Status Save(HostOpContext& context) {
  const size_t count = context.inputs.size() - 3;
  BERTH_ASSIGN_OR_RETURN(const std::string prefix, StringOf(context, 0, "prefix"));
  BERTH_RETURN_IF_ERROR(CheckNames(context, count));
  // The folder, but not its parents, is made if it is not there.
  (void)::mkdir(formats::FolderOf(prefix).c_str(), 0777);
  BERTH_ASSIGN_OR_RETURN(std::unique_ptr<BundleWriter> writer,
                         BundleWriter::Create(prefix));
  for (size_t i = 0; i < count; ++i) {
    const std::string& name = context.inputs[1].strings()[i];
    const Tensor& tensor = context.inputs[3 + i];
    BERTH_ASSIGN_OR_RETURN(const ShapeAndSlice part,
                           ShapeAndSlice::Parse(context.inputs[2].strings()[i]));
    BERTH_RETURN_IF_ERROR(part.whole
                              ? writer->Add(name, tensor)
                              : writer->AddSlice(name, part.shape, part.slice, tensor));
  }
  return writer->Finish();
}

// RestoreV2(prefix, tensor_names, shape_and_slices) -> tensors.
Status Restore(HostOpContext& context) {
  const size_t count = context.outputs.size();
  BERTH_ASSIGN_OR_RETURN(const std::string prefix, StringOf(context, 0, "prefix"));
  BERTH_RETURN_IF_ERROR(CheckNames(context, count));
  BERTH_ASSIGN_OR_RETURN(std::unique_ptr<BundleReader> reader,
                         BundleReader::Open(prefix));
  std::vector<TensorRequest> requests(count);
  for (size_t i = 0; i < count; ++i) {
    requests[i].name = context.inputs[1].strings()[i];
    requests[i].shape_and_slice = context.inputs[2].strings()[i];
    requests[i].dtype = context.node->output_type(static_cast<int>(i));
  }
  BERTH_ASSIGN_OR_RETURN(context.outputs, reader->Restore(requests));
  return OkStatus();
}

// Restore(file_pattern, tensor_name) and RestoreSlice(…, shape_and_slice) -> tensor.
Status RestoreOne(HostOpContext& context) {
  BERTH_ASSIGN_OR_RETURN(const std::string pattern, StringOf(context, 0, "file_pattern"));
  BERTH_ASSIGN_OR_RETURN(std::unique_ptr<BundleReader> reader,
                         BundleReader::Open(pattern));
  std::vector<TensorRequest> requests(1);
  BERTH_ASSIGN_OR_RETURN(requests[0].name, StringOf(context, 1, "tensor_name"));
  if (context.inputs.size() > 2) {
    BERTH_ASSIGN_OR_RETURN(requests[0].shape_and_slice,
                           StringOf(context, 2, "shape_and_slice"));
  }
  requests[0].dtype = context.node->output_type(0);
  BERTH_ASSIGN_OR_RETURN(context.outputs, reader->Restore(requests));
  return OkStatus();
}

// MergeV2Checkpoints(checkpoint_prefixes, destination_prefix).
Status Merge(HostOpContext& context) {
  const Tensor& prefixes = context.inputs[0];
  BERTH_ASSIGN_OR_RETURN(const std::string destination,
                         StringOf(context, 1, "destination_prefix"));
  const std::vector<std::string> list(prefixes.strings(),
                                      prefixes.strings() + prefixes.num_elements());
  return formats::MergeBundles(list, destination,
                               context.node->attrs().GetBool("delete_old_dirs", true));
}

}  // namespace

std::vector<CoreOp> CheckpointOps() {
  return {
      {"SaveV2", CoreKind::kHost, &Save},
      {"RestoreV2", CoreKind::kHost, &Restore},
      {"Restore", CoreKind::kHost, &RestoreOne},
      {"RestoreSlice", CoreKind::kHost, &RestoreOne},
      {"MergeV2Checkpoints", CoreKind::kHost, &Merge},
  };
}

}  // namespace berth::executor
