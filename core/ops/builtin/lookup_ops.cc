// Tables.
#include "core/ops/builtin_ops.h"
#include "core/ops/shapes/common.h"
#include "core/ops/shapes/data_flow_shapes.h"

namespace berth {
namespace {

constexpr OpSpec kLookupOps[] = {
    {"HashTable", "-> table_handle: Ref(string)",
     "container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = "
     "false; key_dtype: type; value_dtype: type",
     RefHandleShape, kStateful},
    {"HashTableV2", "-> table_handle: resource",
     "container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = "
     "false; key_dtype: type; value_dtype: type",
     ScalarShape, kStateful},
    {"InitializeTable", "table_handle: Ref(string), keys: Tkey, values: Tval",
     "Tkey: type; Tval: type"},
    {"InitializeTableFromTextFile", "table_handle: Ref(string), filename: string",
     "key_index: int >= -2; value_index: int >= -2; vocab_size: int >= -1 = -1; "
     "delimiter: string = '\\t'; offset: int = 0"},
    {"InitializeTableFromTextFileV2", "table_handle: resource, filename: string",
     "key_index: int >= -2; value_index: int >= -2; vocab_size: int >= -1 = -1; "
     "delimiter: string = '\\t'; offset: int = 0",
     nullptr, kStateful},
    {"InitializeTableV2", "table_handle: resource, keys: Tkey, values: Tval",
     "Tkey: type; Tval: type", nullptr, kStateful},
    {"LookupTableExportV2", "table_handle: resource -> keys: Tkeys, values: Tvalues",
     "Tkeys: type; Tvalues: type", nullptr, kStateful},
    {"LookupTableFind",
     "table_handle: Ref(string), keys: Tin, default_value: Tout -> values: Tout",
     "Tin: type; Tout: type", TableFindShape},
    {"LookupTableFindV2",
     "table_handle: resource, keys: Tin, default_value: Tout -> values: Tout",
     "Tin: type; Tout: type", TableFindShape, kStateful},
    {"LookupTableImportV2", "table_handle: resource, keys: Tin, values: Tout",
     "Tin: type; Tout: type", nullptr, kStateful},
    {"LookupTableInsertV2", "table_handle: resource, keys: Tin, values: Tout",
     "Tin: type; Tout: type", nullptr, kStateful},
    {"LookupTableRemoveV2", "table_handle: resource, keys: Tin", "Tin: type", nullptr,
     kStateful},
    {"LookupTableSize", "table_handle: Ref(string) -> size: int64", "", ScalarShape},
    {"LookupTableSizeV2", "table_handle: resource -> size: int64", "", ScalarShape,
     kStateful},
    {"MutableHashTableV2", "-> table_handle: resource",
     "container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = "
     "false; key_dtype: type; value_dtype: type",
     ScalarShape, kStateful},
};

}  // namespace

std::span<const OpSpec> LookupOps() { return kLookupOps; }

}  // namespace berth
