// The worker process: loads the plugin, lists its cases and runs those it is told to.
#pragma once

#include <cstdint>

#include "conformance/suite/case.h"

namespace berth::conformance {

struct WorkerOptions {
  SuiteOptions suite;
  uint64_t memory_limit = 0;  // bytes of address space; 0: none
};

// Serves its parent on the descriptors of wire.h until there are no more commands.
// Returns the exit code.
int WorkerMain(const WorkerOptions& options, MakeSuiteFunction make_suite);

// Runs one case in this process; what it throws is a result.
CaseResult RunGuarded(const Case& one);

}  // namespace berth::conformance
