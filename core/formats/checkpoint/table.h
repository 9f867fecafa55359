// Sorted tables of keys and values in LevelDB's file format: what a checkpoint's index
// and a whole checkpoint of format V1 are.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/status.h"

namespace berth::formats {

using TableEntry = std::pair<std::string, std::string>;

// Everything in a table, in the order of the keys, all checksums verified. DATA_LOSS
// naming the file for damage; nothing that the file says is allocated before it is known
// to lie inside the file. NOT_FOUND when there is no such file.
Result<std::vector<TableEntry>> ReadTable(const std::string& path);

// The bytes of an uncompressed table. REQUIRES: the keys are sorted and distinct.
Result<std::string> FormatTable(const std::vector<TableEntry>& entries);

}  // namespace berth::formats
