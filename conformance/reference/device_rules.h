// What each class of device promises of its arithmetic.
#pragma once

#include "conformance/reference/host_tensor.h"

namespace berth::conformance {

enum class DeviceClass { kCpu, kOpenCl, kCuda };

// "cpu", "opencl", "cuda".
const char* DeviceClassName(DeviceClass device);

// Largest errors of the arithmetic that kernels are built of, in units in the last place
// (ulp) of the dtype that they are computed in. Half a unit is a correctly rounded
// result.
struct Accuracy {
  double add = 0.5;  // and subtract, multiply
  double divide = 0.5;
  double reciprocal = 4;  // 1 / x as a function of its own
  double sqrt = 0.5;
  double rsqrt = 4;
  double exp = 4;
  double expm1 = 4;
  double log = 4;
  double log1p = 4;
  double sin = 4;
  double cos = 4;
  double tanh = 4;
  double pow = 4;
};

// The promises of a class for `dtype` (half and bfloat16: of float, in which they are
// computed). docs/NUMERICS.md names the sources.
Accuracy AccuracyOf(DeviceClass device, DType dtype);

// A device under test.
struct DeviceRules {
  DeviceClass device = DeviceClass::kCpu;
  // The device may read or write subnormal numbers as zero.
  bool flushes_subnormals = false;
  // Elements that an op's definition leaves open (Output::open) are to be as on x86-64.
  bool open_as_x86 = false;
};

}  // namespace berth::conformance
