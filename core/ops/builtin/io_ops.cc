// Files, checkpoints and readers.
#include "core/ops/builtin_ops.h"
#include "core/ops/shapes/common.h"
#include "core/ops/shapes/data_flow_shapes.h"
#include "core/ops/shapes/io_shapes.h"

namespace berth {
namespace {

constexpr OpSpec kIoOps[] = {
    {"ReadFile", "filename: string -> contents: string", "", ScalarInputsShape},
    {"WriteFile", "filename: string, contents: string", "", ScalarsOnlyShape, kStateful},
    {"MatchingFiles", "pattern: string -> filenames: string", "", MatchingFilesShape},
    {"SaveV2",
     "prefix: string, tensor_names: string, shape_and_slices: string, tensors: dtypes",
     "dtypes: list(type) >= 1", SaveShape, kStateful},
    {"RestoreV2",
     "prefix: string, tensor_names: string, shape_and_slices: string -> tensors: dtypes",
     "dtypes: list(type) >= 1", RestoreShape, kStateful},
    {"MergeV2Checkpoints", "checkpoint_prefixes: string, destination_prefix: string",
     "delete_old_dirs: bool = true; allow_missing_files: bool = false", nullptr,
     kStateful},
    {"Save", "filename: string, tensor_names: string, data: T", "T: list(type) >= 1",
     nullptr, kStateful},
    {"SaveSlices",
     "filename: string, tensor_names: string, shapes_and_slices: string, data: T",
     "T: list(type) >= 1", nullptr, kStateful},
    {"Restore", "file_pattern: string, tensor_name: string -> tensor: dt",
     "dt: type; preferred_shard: int = -1", nullptr, kStateful},
    {"RestoreSlice",
     "file_pattern: string, tensor_name: string, shape_and_slice: string -> tensor: dt",
     "dt: type; preferred_shard: int = -1", nullptr, kStateful},
    {"ShardedFilename",
     "basename: string, shard: int32, num_shards: int32 -> filename: string", "",
     ScalarInputsShape},
    {"ShardedFilespec", "basename: string, num_shards: int32 -> filename: string", "",
     ScalarInputsShape},
    {"FixedLengthRecordReader", "-> reader_handle: Ref(string)",
     "header_bytes: int = 0; record_bytes: int; footer_bytes: int = 0; hop_bytes: int = "
     "0; container: string = ''; shared_name: string = ''",
     RefHandleShape, kStateful, 26, "Use FixedLengthRecordReaderV2"},
    {"FixedLengthRecordReaderV2", "-> reader_handle: resource",
     "header_bytes: int = 0; record_bytes: int; footer_bytes: int = 0; hop_bytes: int = "
     "0; container: string = ''; shared_name: string = ''; encoding: string = ''",
     ScalarShape, kStateful},
    {"IdentityReader", "-> reader_handle: Ref(string)",
     "container: string = ''; shared_name: string = ''", RefHandleShape, kStateful, 26,
     "Use IdentityReaderV2"},
    {"IdentityReaderV2", "-> reader_handle: resource",
     "container: string = ''; shared_name: string = ''", ScalarShape, kStateful},
    {"ReaderNumRecordsProducedV2", "reader_handle: resource -> records_produced: int64",
     "", ScalarShape, kStateful},
    {"ReaderNumWorkUnitsCompletedV2", "reader_handle: resource -> units_completed: int64",
     "", ScalarShape, kStateful},
    {"ReaderRead",
     "reader_handle: Ref(string), queue_handle: Ref(string) -> key: string, value: "
     "string",
     "", ReaderReadShape},
    {"ReaderReadUpTo",
     "reader_handle: Ref(string), queue_handle: Ref(string), num_records: int64 -> keys: "
     "string, values: string",
     "", ReaderReadUpToShape},
    {"ReaderReadUpToV2",
     "reader_handle: resource, queue_handle: resource, num_records: int64 -> keys: "
     "string, values: string",
     "", ReaderReadUpToShape, kStateful},
    {"ReaderReadV2",
     "reader_handle: resource, queue_handle: resource -> key: string, value: string", "",
     ReaderReadShape, kStateful},
    {"ReaderReset", "reader_handle: Ref(string)"},
    {"ReaderResetV2", "reader_handle: resource", "", nullptr, kStateful},
    {"TFRecordReader", "-> reader_handle: Ref(string)",
     "container: string = ''; shared_name: string = ''; compression_type: string = ''",
     RefHandleShape, kStateful, 26, "Use TFRecordReaderV2"},
    {"TFRecordReaderV2", "-> reader_handle: resource",
     "container: string = ''; shared_name: string = ''; compression_type: string = ''",
     ScalarShape, kStateful},
    {"TextLineReader", "-> reader_handle: Ref(string)",
     "skip_header_lines: int = 0; container: string = ''; shared_name: string = ''",
     RefHandleShape, kStateful, 26, "Use TextLineReaderV2"},
    {"TextLineReaderV2", "-> reader_handle: resource",
     "skip_header_lines: int = 0; container: string = ''; shared_name: string = ''",
     ScalarShape, kStateful},
    {"WholeFileReader", "-> reader_handle: Ref(string)",
     "container: string = ''; shared_name: string = ''", RefHandleShape, kStateful},
    {"WholeFileReaderV2", "-> reader_handle: resource",
     "container: string = ''; shared_name: string = ''", ScalarShape, kStateful},
};

}  // namespace

std::span<const OpSpec> IoOps() { return kIoOps; }

}  // namespace berth
