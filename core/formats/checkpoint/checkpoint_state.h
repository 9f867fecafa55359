// The file "checkpoint" beside checkpoints: which there are and which is the latest.
#pragma once

#include <string>
#include <vector>

#include "core/base/status.h"

namespace berth::formats {

// Prefixes as a program uses them: absolute, or relative to the working folder.
struct CheckpointState {
  std::string latest;
  std::vector<std::string> all;    // oldest first, the latest included
  std::vector<double> timestamps;  // seconds since 1970, parallel to `all`, or empty
  double last_preserved = 0;       // the newest that is never removed; 0 = unknown
};

inline constexpr char kStateFileName[] = "checkpoint";

// True when the files of a checkpoint are there: an index and all its data files, or a
// checkpoint of format V1, which is one file.
bool CheckpointExists(const std::string& prefix);

// Reads FOLDER/checkpoint. Names in it are relative to the folder; an absolute one that
// does not exist any more, because the folder has moved, is looked for beside the state
// file. NOT_FOUND when there is no state file, DATA_LOSS naming it when it makes no
// sense.
Result<CheckpointState> ReadCheckpointState(
    const std::string& folder, const std::string& file_name = kStateFileName);

// Writes it whole or not at all, with names relative to the folder where they are in it.
// To be called after the checkpoint itself has been written.
Status WriteCheckpointState(const std::string& folder, const CheckpointState& state,
                            const std::string& file_name = kStateFileName);

// The prefix of the latest checkpoint in a folder. NOT_FOUND when there is no state file,
// or when the checkpoint that it names is not there or not whole; the message then names
// the newest one that is.
Result<std::string> LatestCheckpoint(const std::string& folder,
                                     const std::string& file_name = kStateFileName);

}  // namespace berth::formats
