// Which devices there are: order, selection, parts.
#include "plugins/opencl/devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::opencl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

PhysicalDevice Made(const char* name, cl_device_type type) {
  PhysicalDevice device;
  device.name = name;
  device.platform_name = "Some Platform";
  device.type = type;
  device.memory_bytes = 900;
  device.largest_allocation = 400;
  device.physical_id = std::string("id of ") + name;
  return device;
}

std::vector<PhysicalDevice> Three() {
  return {Made("Big Processor", CL_DEVICE_TYPE_CPU),
          Made("Fast Card", CL_DEVICE_TYPE_GPU),
          Made("Odd Chip", CL_DEVICE_TYPE_ACCELERATOR)};
}

std::vector<std::string> Names(const std::vector<PhysicalDevice>& devices) {
  std::vector<std::string> names;
  for (const PhysicalDevice& device : devices) names.push_back(device.name);
  return names;
}

TEST(DevicesTest, AcceleratorsComeBeforeProcessors) {
  std::vector<PhysicalDevice> devices = Three();
  SortDevices(&devices);
  EXPECT_THAT(Names(devices), ElementsAre("Fast Card", "Odd Chip", "Big Processor"));
}

TEST(DevicesTest, SelectorsNameIndicesAndPartsOfNames) {
  EXPECT_THAT(Names(*SelectDevices(Three(), "")),
              ElementsAre("Big Processor", "Fast Card", "Odd Chip"));
  EXPECT_THAT(Names(*SelectDevices(Three(), "2")), ElementsAre("Odd Chip"));
  EXPECT_THAT(Names(*SelectDevices(Three(), " chip , 0")),
              ElementsAre("Odd Chip", "Big Processor"));
}

TEST(DevicesTest, ASelectorThatFitsNothingSaysWhatThereIs) {
  for (const char* selector : {"3", "-1", "card,tpu", "0,,1"}) {
    const auto selected = SelectDevices(Three(), selector);
    ASSERT_FALSE(selected.ok()) << selector;
    EXPECT_EQ(selected.status().code(), BERTH_INVALID_ARGUMENT);
    for (const char* name : {"Big Processor", "Fast Card", "Odd Chip"}) {
      EXPECT_THAT(selected.status().message(), HasSubstr(name)) << selector;
    }
  }
}

TEST(DevicesTest, PartsShareTheMemoryAndTheIdentity) {
  const std::vector<sdk::DeviceInfo> parts = LogicalDevices(Three(), 3);
  ASSERT_EQ(parts.size(), 9U);
  for (size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].type, "OPENCL");
    EXPECT_EQ(parts[i].index, static_cast<int32_t>(i));
    EXPECT_EQ(parts[i].memory_bytes, 300U);
    EXPECT_EQ(parts[i].largest_allocation, 300U);  // not more than the part has
  }
  EXPECT_EQ(parts[4].name, "Fast Card (Some Platform) part 2 of 3");
  EXPECT_EQ(parts[4].physical_id, "id of Fast Card");
  EXPECT_EQ(parts[5].physical_id, "id of Fast Card");
  EXPECT_EQ(LogicalDevices(Three(), 1)[1].name, "Fast Card (Some Platform)");
}

TEST(DevicesTest, ThisMachineHasADeviceWithFacts) {
  std::vector<std::string> problems;
  std::string why_none;
  const std::vector<PhysicalDevice> devices = ListPhysicalDevices(&problems, &why_none);
  ASSERT_FALSE(devices.empty()) << why_none;
  const PhysicalDevice& device = devices[0];
  EXPECT_FALSE(device.name.empty());
  EXPECT_FALSE(device.physical_id.empty());
  EXPECT_GT(device.memory_bytes, 0U);
  EXPECT_GT(device.largest_allocation, 0U);
  EXPECT_GE(device.base_alignment, 64U);
  EXPECT_THAT(device.Describe(), HasSubstr(device.name));
}

}  // namespace
}  // namespace berth::opencl
