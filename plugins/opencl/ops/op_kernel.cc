#include "plugins/opencl/ops/op_kernel.h"

namespace berth::opencl {

const char* ClTypeName(int32_t dtype) {
  switch (dtype) {
    case BERTH_FLOAT:
      return "float";
    case BERTH_DOUBLE:
      return "double";
    case BERTH_INT32:
      return "int";
    case BERTH_UINT8:
    case BERTH_BOOL:
      return "uchar";
    case BERTH_INT64:
      return "long";
    default:
      return nullptr;
  }
}

std::string TypeOptions(int32_t dtype) {
  const char* name = ClTypeName(dtype);
  std::string options = std::string("-DT=") + (name != nullptr ? name : "void");
  if (dtype == BERTH_FLOAT || dtype == BERTH_DOUBLE) options += " -DIS_FLOAT";
  return options;
}

std::string RawTypeOptions(size_t size) {
  switch (size) {
    case 1:
      return "-DT=uchar";
    case 2:
      return "-DT=ushort";
    case 4:
      return "-DT=uint";
    default:
      return "-DT=ulong";
  }
}

int64_t VectorLanes(const PhysicalDevice& device, int32_t dtype) {
  if (!device.is_cpu()) return 1;
  const int64_t floats = device.native_float_width >= 16  ? 16
                         : device.native_float_width >= 8 ? 8
                                                          : 4;
  return dtype == BERTH_DOUBLE ? floats / 2 : floats;
}

}  // namespace berth::opencl
