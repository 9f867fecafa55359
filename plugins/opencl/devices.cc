#include "plugins/opencl/devices.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>

namespace berth::opencl {
namespace {

constexpr cl_int kNoPlatform = -1001;  // CL_PLATFORM_NOT_FOUND_KHR of the ICD loader

// Queries of extensions whose headers are not everywhere; a driver that does not know one
// answers with an error, which reads as "absent".
constexpr cl_device_info kDeviceUuid = 0x106A;     // cl_khr_device_uuid
constexpr cl_device_info kPciBusInfo = 0x410F;     // cl_khr_pci_bus_info
constexpr cl_device_info kPciBusIdNv = 0x4008;     // cl_nv_device_attribute_query
constexpr cl_device_info kPciSlotIdNv = 0x4009;    // as above
constexpr cl_device_info kPciDomainIdNv = 0x400A;  // as above

template <typename T>
T Info(cl_device_id device, cl_device_info what, T fallback) {
  T value = fallback;
  if (clGetDeviceInfo(device, what, sizeof(value), &value, nullptr) != CL_SUCCESS) {
    return fallback;
  }
  return value;
}

std::string Trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string InfoText(cl_device_id device, cl_device_info what) {
  size_t size = 0;
  if (clGetDeviceInfo(device, what, 0, nullptr, &size) != CL_SUCCESS) return {};
  std::string text(size, '\0');
  if (clGetDeviceInfo(device, what, size, text.data(), nullptr) != CL_SUCCESS) return {};
  return Trimmed(std::move(text));
}

std::string PlatformText(cl_platform_id platform, cl_platform_info what) {
  size_t size = 0;
  if (clGetPlatformInfo(platform, what, 0, nullptr, &size) != CL_SUCCESS) return {};
  std::string text(size, '\0');
  if (clGetPlatformInfo(platform, what, size, text.data(), nullptr) != CL_SUCCESS) {
    return {};
  }
  return Trimmed(std::move(text));
}

std::string PciText(uint32_t domain, uint32_t bus, uint32_t slot, uint32_t function) {
  std::array<char, 32> text = {};
  std::snprintf(text.data(), text.size(), "pci:%04x:%02x:%02x.%x", domain, bus, slot,
                function);
  return text.data();
}

// One physical device gets the same id from every plugin that sees it: the PCI address
// where there is one; the host's processor is "cpu:0".
std::string PhysicalId(cl_device_id device, const PhysicalDevice& facts,
                       size_t position) {
  if (facts.is_cpu()) return "cpu:0";
  std::array<cl_uint, 4> pci = {};
  if (clGetDeviceInfo(device, kPciBusInfo, sizeof(pci), pci.data(), nullptr) ==
      CL_SUCCESS) {
    return PciText(pci[0], pci[1], pci[2], pci[3]);
  }
  constexpr cl_uint kAbsent = ~cl_uint{0};
  const cl_uint bus = Info<cl_uint>(device, kPciBusIdNv, kAbsent);
  if (bus != kAbsent) {
    const cl_uint slot = Info<cl_uint>(device, kPciSlotIdNv, 0);
    const cl_uint domain = Info<cl_uint>(device, kPciDomainIdNv, 0);
    return PciText(domain, bus, slot >> 3, slot & 7);
  }
  std::array<cl_uchar, 16> uuid = {};
  if (clGetDeviceInfo(device, kDeviceUuid, sizeof(uuid), uuid.data(), nullptr) ==
      CL_SUCCESS) {
    std::string text = "uuid:";
    for (cl_uchar byte : uuid) {
      std::array<char, 3> hex = {};
      std::snprintf(hex.data(), hex.size(), "%02x", byte);
      text += hex.data();
    }
    return text;
  }
  return "opencl:" + facts.platform_name + ":" + std::to_string(position);
}

bool HasExtension(const std::string& all, std::string_view name) {
  return (" " + all + " ").find(" " + std::string(name) + " ") != std::string::npos;
}

PhysicalDevice ReadDevice(cl_platform_id platform, cl_device_id device, size_t position) {
  PhysicalDevice facts;
  facts.platform = platform;
  facts.device = device;
  facts.type = Info<cl_device_type>(device, CL_DEVICE_TYPE, CL_DEVICE_TYPE_DEFAULT);
  facts.name = InfoText(device, CL_DEVICE_NAME);
  facts.platform_name = PlatformText(platform, CL_PLATFORM_NAME);
  facts.driver = PlatformText(platform, CL_PLATFORM_VERSION) + "; " +
                 InfoText(device, CL_DEVICE_VERSION) + "; driver " +
                 InfoText(device, CL_DRIVER_VERSION);
  facts.memory_bytes = Info<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE, 0);
  facts.largest_allocation = Info<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, 0);
  const cl_uint bits = Info<cl_uint>(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, 512);
  facts.base_alignment = std::max<cl_uint>(bits / 8, 64);
  facts.compute_units =
      std::max<cl_uint>(Info<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS, 1), 1);
  facts.native_float_width =
      Info<cl_uint>(device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 4);
  facts.unified_memory =
      Info<cl_bool>(device, CL_DEVICE_HOST_UNIFIED_MEMORY, CL_FALSE) != CL_FALSE;
  std::array<size_t, 8> sizes = {};
  const bool per_dimension =
      clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof(sizes), sizes.data(),
                      nullptr) == CL_SUCCESS;
  facts.max_group_size = Info<size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, 1);
  if (per_dimension) facts.max_group_size = std::min(facts.max_group_size, sizes[0]);
  facts.max_group_size = std::max<size_t>(facts.max_group_size, 1);
  const std::string extensions = InfoText(device, CL_DEVICE_EXTENSIONS);
  facts.fp64 = HasExtension(extensions, "cl_khr_fp64");
  facts.exact_divide = (Info<cl_device_fp_config>(device, CL_DEVICE_SINGLE_FP_CONFIG, 0) &
                        CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  facts.fine_grained_svm =
      (Info<cl_device_svm_capabilities>(device, CL_DEVICE_SVM_CAPABILITIES, 0) &
       CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0;
  facts.physical_id = PhysicalId(device, facts, position);
  return facts;
}

int Rank(const PhysicalDevice& device) {
  if ((device.type & CL_DEVICE_TYPE_GPU) != 0) return 0;
  return device.is_cpu() ? 2 : 1;
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

std::string Choices(const std::vector<PhysicalDevice>& devices) {
  std::string text;
  for (size_t i = 0; i < devices.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(i) + " = " + devices[i].Describe();
  }
  return text.empty() ? "none" : text;
}

// The position that one entry of a selector means, or -1.
int FindDevice(const std::vector<PhysicalDevice>& devices, std::string_view entry) {
  size_t index = 0;
  const auto parsed = std::from_chars(entry.data(), entry.data() + entry.size(), index);
  if (parsed.ec == std::errc() && parsed.ptr == entry.data() + entry.size()) {
    return index < devices.size() ? static_cast<int>(index) : -1;
  }
  const std::string wanted = Lower(entry);
  for (size_t i = 0; i < devices.size(); ++i) {
    if (Lower(devices[i].Describe()).find(wanted) != std::string::npos) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

std::string_view Strip(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

std::string PhysicalDevice::Describe() const {
  const char* kind = "accelerator";
  if ((type & CL_DEVICE_TYPE_GPU) != 0) kind = "GPU";
  if (is_cpu()) kind = "CPU";
  return platform_name + ": " + name + " [" + kind + "]";
}

void SortDevices(std::vector<PhysicalDevice>* devices) {
  std::stable_sort(
      devices->begin(), devices->end(),
      [](const PhysicalDevice& a, const PhysicalDevice& b) { return Rank(a) < Rank(b); });
}

std::vector<PhysicalDevice> ListPhysicalDevices(std::vector<std::string>* problems,
                                                std::string* why_none) {
  std::vector<PhysicalDevice> found;
  cl_uint count = 0;
  cl_int code = clGetPlatformIDs(0, nullptr, &count);
  if (code == kNoPlatform || (code == CL_SUCCESS && count == 0)) {
    *why_none =
        "no OpenCL driver: the ICD loader finds no platform (CL_PLATFORM_NOT_FOUND_KHR, "
        "-1001); install a driver, such as the package pocl-opencl-icd for the CPU";
    return found;
  }
  std::vector<cl_platform_id> platforms(count);
  if (code == CL_SUCCESS) code = clGetPlatformIDs(count, platforms.data(), nullptr);
  if (code != CL_SUCCESS) {
    *why_none = "no OpenCL driver: clGetPlatformIDs failed: " + ClCodeName(code);
    return found;
  }
  for (cl_platform_id platform : platforms) {
    cl_uint devices = 0;
    code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &devices);
    std::vector<cl_device_id> ids(devices);
    if (code == CL_SUCCESS && devices > 0) {
      code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, devices, ids.data(), nullptr);
    }
    if (code != CL_SUCCESS || devices == 0) {
      problems->push_back("platform " + PlatformText(platform, CL_PLATFORM_NAME) +
                          " has no device: " + ClCodeName(code));
      continue;
    }
    for (cl_device_id device : ids) {
      PhysicalDevice facts = ReadDevice(platform, device, found.size());
      if (Info<cl_bool>(device, CL_DEVICE_AVAILABLE, CL_TRUE) == CL_FALSE ||
          Info<cl_bool>(device, CL_DEVICE_COMPILER_AVAILABLE, CL_TRUE) == CL_FALSE) {
        problems->push_back(facts.Describe() + " is not available or has no compiler");
        continue;
      }
      found.push_back(std::move(facts));
    }
  }
  if (found.empty()) {
    *why_none = "the OpenCL platforms have no usable device";
    for (const std::string& problem : *problems) *why_none += "; " + problem;
  }
  SortDevices(&found);
  return found;
}

Result<std::vector<PhysicalDevice>> SelectDevices(
    const std::vector<PhysicalDevice>& devices, std::string_view selector) {
  if (Strip(selector).empty()) return devices;
  std::vector<PhysicalDevice> chosen;
  std::string_view rest = selector;
  while (true) {
    const size_t comma = rest.find(',');
    const std::string_view entry = Strip(rest.substr(0, comma));
    const int at = entry.empty() ? -1 : FindDevice(devices, entry);
    if (at < 0) {
      return sdk::InvalidArgument(
          "OpenCL device selector \"" + std::string(selector) + "\": \"" +
          std::string(entry) +
          "\" is neither an index nor part of a name of: " + Choices(devices));
    }
    chosen.push_back(devices[static_cast<size_t>(at)]);
    if (comma == std::string_view::npos) return chosen;
    rest.remove_prefix(comma + 1);
  }
}

std::vector<sdk::DeviceInfo> LogicalDevices(const std::vector<PhysicalDevice>& devices,
                                            int per_physical) {
  std::vector<sdk::DeviceInfo> infos;
  const uint64_t parts = static_cast<uint64_t>(std::max(per_physical, 1));
  for (const PhysicalDevice& physical : devices) {
    for (uint64_t part = 0; part < parts; ++part) {
      sdk::DeviceInfo info;
      info.type = "OPENCL";
      info.index = static_cast<int32_t>(infos.size());
      info.priority = 200;
      info.name = physical.name + " (" + physical.platform_name + ")";
      if (parts > 1) {
        info.name += " part " + std::to_string(part + 1) + " of " + std::to_string(parts);
      }
      info.physical_id = physical.physical_id;
      info.driver = physical.driver;
      info.memory_bytes = physical.memory_bytes / parts;
      info.largest_allocation =
          std::min(physical.largest_allocation, std::max<uint64_t>(info.memory_bytes, 1));
      info.base_alignment = physical.base_alignment;
      if (physical.unified_memory) info.flags |= BERTH_DEVICE_SHARES_HOST_MEMORY;
      infos.push_back(std::move(info));
    }
  }
  return infos;
}

}  // namespace berth::opencl
