#include "core/placer/device_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DeviceListTest : public ::testing::Test {
 protected:
  void Add(const std::string& type, int index, int priority) {
    DeviceDesc desc;
    desc.type = type;
    desc.index = index;
    desc.full_name =
        "/job:localhost/replica:0/task:0/device:" + type + ":" + std::to_string(index);
    desc.priority = priority;
    desc.physical_id = type + std::to_string(index);
    owned_.push_back(std::make_unique<Device>(std::move(desc), nullptr, index));
  }
  Result<DeviceList> Make(const DeviceListRequest& request) {
    std::vector<Device*> all;
    for (const auto& device : owned_) all.push_back(device.get());
    return MakeDeviceList(all, request);
  }
  static std::vector<std::string> Names(const DeviceList& list) {
    std::vector<std::string> names;
    for (const Device* device : list.devices) {
      names.push_back(device->name().substr(device->name().rfind("device:") + 7) + "=" +
                      device->desc().physical_id);
    }
    return names;
  }

  std::vector<std::unique_ptr<Device>> owned_;
};

TEST_F(DeviceListTest, CountMultipliesHostDevicesAndCutsOthers) {
  Add("CPU", 0, 70);
  Add("GPU", 0, 210);
  Add("GPU", 1, 210);
  EXPECT_THAT(Names(*Make({})), ElementsAre("CPU:0=CPU0", "GPU:0=GPU0", "GPU:1=GPU1"));
  DeviceListRequest request;
  request.device_count = {{"CPU", 3}, {"GPU", 1}, {"FPGA", 4}};
  EXPECT_THAT(Names(*Make(request)),
              ElementsAre("CPU:0=CPU0", "CPU:1=CPU0", "CPU:2=CPU0", "GPU:0=GPU0"));
  request.device_count = {{"GPU", 5}};
  EXPECT_THAT(Names(*Make(request)),
              ElementsAre("CPU:0=CPU0", "GPU:0=GPU0", "GPU:1=GPU1"));
  request.device_count = {{"GPU", 0}};
  EXPECT_THAT(Names(*Make(request)), ElementsAre("CPU:0=CPU0"));
}

TEST_F(DeviceListTest, NoCpuIsAnError) {
  Add("CPU", 0, 70);
  DeviceListRequest request;
  request.device_count = {{"CPU", 0}};
  const Result<DeviceList> list = Make(request);
  EXPECT_EQ(list.status().code(), Code::kNotFound);
  EXPECT_THAT(std::string(list.status().message()),
              HasSubstr("No CPU devices are available in this process"));
}

TEST_F(DeviceListTest, VisibleListChoosesAndRenumbers) {
  Add("CPU", 0, 70);
  Add("GPU", 0, 210);
  Add("GPU", 1, 210);
  Add("GPU", 2, 210);
  DeviceListRequest request;
  request.visible_device_list = "2, 0";
  EXPECT_THAT(Names(*Make(request)),
              ElementsAre("CPU:0=CPU0", "GPU:0=GPU2", "GPU:1=GPU0"));
  // These the user asked for: the placer warns of those that get nothing.
  EXPECT_THAT(Make(request)->chosen,
              ElementsAre("/job:localhost/replica:0/task:0/device:GPU:0",
                          "/job:localhost/replica:0/task:0/device:GPU:1"));
  request.visible_device_list.clear();
  EXPECT_THAT(Make(request)->chosen, IsEmpty());
}

TEST_F(DeviceListTest, VisibleListGoesToTheAliasOfGpuOrTheOnlyAccelerator) {
  Add("CPU", 0, 70);
  Add("OPENCL", 0, 200);
  Add("OPENCL", 1, 200);
  DeviceListRequest request;
  request.visible_device_list = "1";
  EXPECT_THAT(Names(*Make(request)), ElementsAre("CPU:0=CPU0", "OPENCL:0=OPENCL1"));
  Add("GPU", 0, 210);
  request.aliases = {{"GPU", "OPENCL"}};
  EXPECT_THAT(Names(*Make(request)),
              ElementsAre("CPU:0=CPU0", "OPENCL:0=OPENCL1", "GPU:0=GPU0"));
}

TEST_F(DeviceListTest, BadVisibleEntriesAreNamedWithWhatExists) {
  Add("CPU", 0, 70);
  Add("GPU", 0, 210);
  Add("GPU", 1, 210);
  for (const auto& [list, entry, why] :
       {std::tuple("x", "'x'", "is no number"), std::tuple("0,0", "'0'", "comes twice"),
        std::tuple("1,9", "'9'", "names no device"),
        std::tuple("0,", "''", "is no number"), std::tuple("-1", "'-1'", "is no number"),
        std::tuple("99999999999", "'99999999999'", "is no number")}) {
    DeviceListRequest request;
    request.visible_device_list = list;
    const Result<DeviceList> made = Make(request);
    ASSERT_EQ(made.status().code(), Code::kInvalidArgument) << list;
    EXPECT_THAT(std::string(made.status().message()),
                AllOf(HasSubstr(entry), HasSubstr(why), HasSubstr("GPU:0, GPU:1")));
  }
}

TEST_F(DeviceListTest, VisibleListWithoutAcceleratorIsAnError) {
  Add("CPU", 0, 70);
  DeviceListRequest request;
  request.visible_device_list = "0";
  EXPECT_EQ(Make(request).status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace berth
