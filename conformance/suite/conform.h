// The program berth-conform: command line, run, reports, exit code.
#pragma once

#include "conformance/suite/case.h"

namespace berth::conformance {

// The whole of main. `make_suite` is called in worker processes only (and with
// --in-process).
int ConformMain(int argc, char** argv, MakeSuiteFunction make_suite);

}  // namespace berth::conformance
