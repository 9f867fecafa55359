// The texts of kernels/*.cl, embedded when the plugin is built.
#pragma once

#include <string_view>

namespace berth::opencl {

// The text of kernels/<file>.cl; empty when there is no such file. "common" is put in
// front of all others.
std::string_view KernelSource(std::string_view file);

}  // namespace berth::opencl
