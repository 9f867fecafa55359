// How the generators of this folder meet the table in generate.cc.
#pragma once

#include <map>
#include <string>

#include "conformance/cases/generate.h"

namespace berth::conformance {

using Generator = void (*)(CaseList&);
using GeneratorTable = std::map<std::string, Generator>;

void RegisterElementwiseCases(GeneratorTable& table);
void RegisterBinaryCases(GeneratorTable& table);
void RegisterReduceCases(GeneratorTable& table);
void RegisterMatrixCases(GeneratorTable& table);
void RegisterImageCases(GeneratorTable& table);
void RegisterNormCases(GeneratorTable& table);
void RegisterSoftmaxCases(GeneratorTable& table);
void RegisterMoveCases(GeneratorTable& table);
void RegisterJoinCases(GeneratorTable& table);
void RegisterSliceCases(GeneratorTable& table);
void RegisterSequenceCases(GeneratorTable& table);
void RegisterUpdateCases(GeneratorTable& table);

}  // namespace berth::conformance
