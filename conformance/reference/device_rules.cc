#include "conformance/reference/device_rules.h"

namespace berth::conformance {

const char* DeviceClassName(DeviceClass device) {
  if (device == DeviceClass::kCpu) return "cpu";
  return device == DeviceClass::kOpenCl ? "opencl" : "cuda";
}

Accuracy AccuracyOf(DeviceClass device, DType dtype) {
  const bool is_double = dtype == BERTH_DOUBLE;
  Accuracy a;
  switch (device) {
    case DeviceClass::kCpu:
      // IEEE 754 rounds + - * / sqrt correctly; functions have 4 ulp.
      break;
    case DeviceClass::kOpenCl:
      // The OpenCL C specification, "Relative Error as ULPs", full profile.
      a.divide = a.reciprocal = is_double ? 0.5 : 2.5;
      a.sqrt = is_double ? 0.5 : 3;
      a.rsqrt = 2;
      a.exp = a.expm1 = a.log = 3;
      a.log1p = 2;
      a.sin = a.cos = 4;
      a.tanh = 5;
      a.pow = 16;
      break;
    case DeviceClass::kCuda:
      // The CUDA C++ Programming Guide, "Standard Functions", compiled with IEEE division
      // and square root (the default). The guide counts from the correctly rounded
      // result: half a unit more from the exact one.
      a.reciprocal = 0.5;
      a.rsqrt = a.exp = a.sin = a.cos = a.tanh = is_double ? 1.5 : 2.5;
      a.expm1 = a.log = a.log1p = 1.5;
      a.pow = is_double ? 2.5 : 8.5;
      break;
  }
  return a;
}

}  // namespace berth::conformance
