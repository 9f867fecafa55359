#include "core/formats/checkpoint/v1_reader.h"

#include <glob.h>

#include <utility>

#include "berth/proto/checkpoint.pb.h"
#include "core/formats/checkpoint/proto_values.h"
#include "core/formats/checkpoint/table.h"
#include "core/formats/tensor_proto.h"

namespace berth::formats {
namespace {

constexpr int kFormatVersion = 1;

std::string Quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

// How many values of the dtype's own field a message has; numbers of 32 bits and less
// share a field.
int64_t CountValues(const tf::TensorProto& proto, DType dtype) {
  switch (dtype) {
    case BERTH_FLOAT:
      return proto.float_val_size();
    case BERTH_DOUBLE:
      return proto.double_val_size();
    case BERTH_INT64:
      return proto.int64_val_size();
    case BERTH_UINT32:
      return proto.uint32_val_size();
    case BERTH_UINT64:
      return proto.uint64_val_size();
    case BERTH_BOOL:
      return proto.bool_val_size();
    case BERTH_STRING:
      return proto.string_val_size();
    case BERTH_HALF:
    case BERTH_BFLOAT16:
      return proto.half_val_size();
    case BERTH_COMPLEX64:
      return proto.scomplex_val_size() / 2;
    case BERTH_COMPLEX128:
      return proto.dcomplex_val_size() / 2;
    default:
      return proto.int_val_size();
  }
}

// Gathers the contents of one checkpoint, file by file.
class V1Loader {
 public:
  Status AddFile(const std::string& path) {
    BERTH_ASSIGN_OR_RETURN(std::vector<TableEntry> table, ReadTable(path));
    tf::SavedTensorSlices first;
    if (table.empty() || !table.front().first.empty() ||
        !first.ParseFromString(table.front().second) || !first.has_meta()) {
      return DataLoss("it has no list of tensors");
    }
    const tf::VersionDef& versions = first.meta().versions();
    if (versions.min_consumer() > kFormatVersion) {
      return Unimplemented("it needs a reader of checkpoint version " +
                           std::to_string(versions.min_consumer()) + "; this one reads " +
                           std::to_string(kFormatVersion));
    }
    std::map<std::string, std::string*, std::less<>> values;
    for (size_t i = 1; i < table.size(); ++i) values[table[i].first] = &table[i].second;
    for (const tf::SavedSliceMeta& tensor : first.meta().tensor()) {
      const Status status = AddTensor(tensor, &values);
      if (!status.ok())
        return status.WithPrefix("tensor " + Quoted(tensor.name()) + ": ");
    }
    return OkStatus();
  }

  V1Contents Take() { return std::move(contents_); }

 private:
  using Values = std::map<std::string, std::string*, std::less<>>;

  Status AddTensor(const tf::SavedSliceMeta& meta, Values* values) {
    if (meta.slice().empty()) return DataLoss("the list names none of its slices");
    BERTH_ASSIGN_OR_RETURN(const Shape shape, ParseStoredShape(meta.shape()));
    const DType dtype = meta.type();
    const auto [it, is_new] = contents_.entries.try_emplace(meta.name());
    BundleEntry& entry = it->second;
    if (is_new) {
      entry.dtype = dtype;
      entry.shape = shape;
    } else if (entry.dtype != dtype || !(entry.shape == shape)) {
      return DataLoss("two files do not agree on its dtype or shape");
    }
    for (const tf::TensorSliceProto& proto : meta.slice()) {
      BERTH_ASSIGN_OR_RETURN(const TensorSlice slice, ParseStoredSlice(proto));
      BERTH_RETURN_IF_ERROR(AddSlice(meta.name(), slice, values, &entry));
    }
    return OkStatus();
  }

  Status AddSlice(const std::string& name, const TensorSlice& slice, Values* values,
                  BundleEntry* entry) {
    const Result<TensorSlice> resolved = slice.ResolvedIn(entry->shape);
    if (!resolved.ok()) return DataLoss(std::string(resolved.status().message()));
    if (entry->record >= 0) return DataLoss("there is a slice beside the whole tensor");
    const std::string key = SliceKey(name, slice);
    const auto value = values->find(key);
    if (value == values->end()) {
      return DataLoss("the values of its slice \"" + slice.ToString() +
                      "\" are not there");
    }
    BundleEntry data;
    data.dtype = entry->dtype;
    data.shape = resolved->ShapeOfSlice();
    data.record = static_cast<int64_t>(contents_.records.size());
    data.size = value->second->size();
    contents_.records.push_back(std::move(*value->second));
    values->erase(value);
    if (slice.IsWhole() && entry->slices.empty()) {
      entry->record = data.record;
      entry->size = data.size;
      return OkStatus();
    }
    entry->slices.push_back(slice);
    if (contents_.slices.emplace(key, std::move(data)).second) return OkStatus();
    return DataLoss("the slice \"" + slice.ToString() + "\" is there twice");
  }

  V1Contents contents_;
};

}  // namespace

std::vector<std::string> FindV1Files(const std::string& pattern) {
  glob_t found = {};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  return paths;
}

Result<V1Contents> ReadV1Files(const std::vector<std::string>& paths) {
  V1Loader loader;
  for (const std::string& path : paths) {
    const Status status = loader.AddFile(path);
    if (!status.ok()) return status.WithPrefix("checkpoint " + Quoted(path) + ": ");
  }
  return loader.Take();
}

Result<Tensor> DecodeV1Record(std::string_view record, DType dtype, const Shape& shape) {
  tf::SavedTensorSlices slices;
  if (!slices.ParseFromArray(record.data(), static_cast<int>(record.size())) ||
      !slices.data().has_data()) {
    return DataLoss("its record is no message");
  }
  tf::TensorProto& proto = *slices.mutable_data()->mutable_data();
  const int64_t count = CountValues(proto, dtype);
  if (proto.tensor_content().empty() && count != shape.num_elements()) {
    return DataLoss("its record has " + std::to_string(count) + " values for shape " +
                    shape.ToString());
  }
  proto.set_dtype(static_cast<tf::DataType>(dtype));
  proto.clear_tensor_shape();
  for (int i = 0; i < shape.rank(); ++i) {
    proto.mutable_tensor_shape()->add_dim()->set_size(shape.dim(i));
  }
  return DecodeTensor(proto.SerializeAsString());
}

}  // namespace berth::formats
