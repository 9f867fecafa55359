#include "core/plugin/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/ops/op_schema.h"
#include "core/plugin/testing/fake_plugin.h"
#include "core/registry/kernel_registry.h"

namespace berth {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::FakeDevices;
using testing::FakeKernel;
using testing::FakePlugin;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

FakeDevices Type(const std::string& type, int count = 1, int priority = 210) {
  FakeDevices devices;
  devices.type = type;
  devices.count = count;
  devices.priority = priority;
  return devices;
}

FakeDevices HostType(const std::string& type) {
  FakeDevices devices = Type(type, 1, 70);
  devices.is_host = true;
  devices.asynchronous = false;
  return devices;
}

FakeKernel Relu(const std::string& device_type) {
  FakeKernel kernel;
  kernel.op = "Relu";
  kernel.device_type = device_type;
  return kernel;
}

std::vector<std::string> Names(const std::vector<Device*>& devices) {
  std::vector<std::string> names;
  for (const Device* device : devices) {
    names.push_back(device->type() + ":" + std::to_string(device->desc().index));
  }
  return names;
}

std::string Text(const Status& status) { return std::string(status.message()); }

TEST(LoaderTest, ListsHostDevicesFirstThenByFallingPriority) {
  FakePlugin fast("fast", {Type("FAST", 2, 300)}, {});
  FakePlugin slow("slow", {Type("SLOW", 1, 200)}, {});
  FakePlugin host("host", {HostType("CPU")}, {});
  PluginManager manager;
  ASSERT_TRUE(manager.RegisterStatic(slow.table(), "slow").ok());
  ASSERT_TRUE(manager.RegisterStatic(fast.table(), "fast").ok());
  ASSERT_TRUE(manager.RegisterStatic(host.table(), "host").ok());
  EXPECT_THAT(Names(manager.Devices()),
              ElementsAre("CPU:0", "FAST:0", "FAST:1", "SLOW:0"));
  EXPECT_EQ(manager.Devices()[1]->name(),
            "/job:localhost/replica:0/task:0/device:FAST:0");
}

TEST(LoaderTest, HostTableOutlivesTheManager) {
  FakePlugin plugin("keeper", {Type("KEEPER")}, {});
  const berth_host* host = nullptr;
  {
    PluginManager manager;
    manager.SetOption("keeper", "key", "value");
    ASSERT_TRUE(manager.RegisterStatic(plugin.table(), "keeper").ok());
    host = manager.Plugins()[0]->host;
  }
  EXPECT_STREQ(host->option(host->context, "key"), "value");
}

TEST(LoaderTest, TwoPluginsForOneTypeAreRefusedNamingBoth) {
  FakePlugin one("one", {Type("GPU")}, {Relu("GPU")});
  FakePlugin two("two", {Type("GPU")}, {Relu("GPU")});
  PluginManager manager;
  ASSERT_TRUE(manager.RegisterStatic(one.table(), "/a/one.so").ok());
  const Status status = manager.RegisterStatic(two.table(), "/b/two.so");
  EXPECT_THAT(Text(status),
              AllOf(HasSubstr("'one' (/a/one.so)"), HasSubstr("'two' (/b/two.so)"),
                    HasSubstr("GPU"), HasSubstr("two.device_type=GPU2")));
  EXPECT_THAT(manager.Plugins(), SizeIs(1));
  EXPECT_THAT(KernelRegistry::Global()->Rows("Relu"), SizeIs(1));
  EXPECT_EQ(manager.Records().back().stage, LoadStage::kRegister);
}

TEST(LoaderTest, SecondPluginMayAskForATypeOfItsOwn) {
  FakePlugin one("one", {Type("GPU")}, {Relu("GPU")});
  FakePlugin two("two", {Type("GPU")}, {Relu("GPU")});
  PluginManager manager;
  manager.SetOption("two", "device_type", "NPU");
  ASSERT_TRUE(manager.RegisterStatic(one.table(), "one").ok());
  ASSERT_TRUE(manager.RegisterStatic(two.table(), "two").ok());
  EXPECT_THAT(Names(manager.Devices()), ElementsAre("GPU:0", "NPU:0"));
  const auto rows = KernelRegistry::Global()->Rows("Relu");
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[1]->device_type, "NPU");
  EXPECT_EQ(rows[1]->plugin, "two");
}

TEST(LoaderTest, UnusableTypeOptionIsNamed) {
  FakePlugin two("two", {Type("GPU")}, {Relu("GPU")});
  PluginManager manager;
  manager.SetOption("two", "device_type", "gpu");
  EXPECT_THAT(Text(manager.RegisterStatic(two.table(), "two")),
              HasSubstr("device_type=gpu"));
  EXPECT_THAT(manager.Plugins(), IsEmpty());
}

TEST(LoaderTest, SameTableTwiceIsNoOp) {
  FakePlugin one("one", {Type("GPU")}, {Relu("GPU")});
  PluginManager manager;
  ASSERT_TRUE(manager.RegisterStatic(one.table(), "one").ok());
  ASSERT_TRUE(manager.RegisterStatic(one.table(), "one").ok());
  EXPECT_THAT(manager.Plugins(), SizeIs(1));
}

TEST(LoaderTest, UnloadIsRefusedWhileADeviceIsHeld) {
  FakePlugin one("one", {Type("GPU", 2)}, {Relu("GPU")});
  PluginManager manager;
  ASSERT_TRUE(manager.RegisterStatic(one.table(), "one").ok());
  Device* first = manager.Devices()[0];
  Device* second = manager.Devices()[1];
  ASSERT_TRUE(first->Open().ok());
  ASSERT_TRUE(second->Acquire().ok());
  const Status status = manager.Unload("one");
  EXPECT_EQ(status.code(), Code::kFailedPrecondition);
  EXPECT_THAT(Text(status), HasSubstr(second->name()));
  EXPECT_TRUE(first->Acquire().ok());  // all is as before
  first->Release();
  second->Release();
  ASSERT_TRUE(manager.Unload("one").ok());
  EXPECT_THAT(manager.Devices(), IsEmpty());
  EXPECT_THAT(KernelRegistry::Global()->Rows("Relu"), IsEmpty());
  EXPECT_EQ(first->Acquire().code(), Code::kFailedPrecondition);
  EXPECT_EQ(first->Open().status().code(), Code::kFailedPrecondition);
}

TEST(LoaderTest, LogicalDeviceOfASessionHoldsThePluginToo) {
  FakePlugin one("one", {Type("GPU")}, {});
  PluginManager manager;
  ASSERT_TRUE(manager.RegisterStatic(one.table(), "one").ok());
  std::unique_ptr<Device> logical = manager.Devices()[0]->Renumbered(3);
  EXPECT_EQ(logical->name(), "/job:localhost/replica:0/task:0/device:GPU:3");
  EXPECT_EQ(logical->host(), manager.Devices()[0]->host());
  EXPECT_NE(logical->host(), nullptr);
  ASSERT_TRUE(logical->Acquire().ok());
  ASSERT_TRUE(logical->Open().ok());
  EXPECT_EQ(manager.Unload("one").code(), Code::kFailedPrecondition);
  logical->Release();
  logical.reset();
  EXPECT_TRUE(manager.Unload("one").ok());
}

TEST(LoaderTest, UnloadOfWhatIsNotThereNamesWhatIs) {
  FakePlugin one("one", {Type("GPU")}, {});
  PluginManager manager;
  ASSERT_TRUE(manager.RegisterStatic(one.table(), "one").ok());
  EXPECT_THAT(Text(manager.Unload("two")), AllOf(HasSubstr("'two'"), HasSubstr("one")));
}

TEST(LoaderTest, UnloadedPluginMayComeBack) {
  FakePlugin one("one", {Type("GPU")}, {Relu("GPU")});
  PluginManager manager;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(manager.RegisterStatic(one.table(), "one").ok());
    ASSERT_TRUE(manager.Devices()[0]->Open().ok());
    EXPECT_THAT(KernelRegistry::Global()->Rows("Relu"), SizeIs(1));
    ASSERT_TRUE(manager.Unload("one").ok());
  }
  EXPECT_EQ(one.counters().opens, 3);
}

TEST(LoaderTest, PluginWithoutDeviceGivesWayToOneThatHasSome) {
  FakePlugin none("none", {}, {Relu("GPU")});
  FakePlugin some("some", {Type("GPU")}, {Relu("GPU")});
  PluginManager manager;
  ASSERT_TRUE(manager.RegisterStatic(none.table(), "none").ok());
  EXPECT_EQ(manager.Records()[0].stage, LoadStage::kNoDevice);
  EXPECT_THAT(manager.WhyAbsent("GPU"), HasSubstr("plugin none: no device: "));
  ASSERT_TRUE(manager.RegisterStatic(some.table(), "some").ok());
  const auto rows = KernelRegistry::Global()->Rows("Relu");
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0]->plugin, "some");
  EXPECT_EQ(manager.WhyAbsent("GPU"), "");
}

TEST(LoaderTest, KernelsForAnothersDeviceAreRefusedButNotForTheHost) {
  FakePlugin gpu("gpu", {Type("GPU")}, {});
  FakePlugin host("host", {HostType("CPU")}, {});
  FakePlugin thief("thief", {Type("NPU")}, {Relu("GPU")});
  FakePlugin helper("helper", {Type("TPU")}, {Relu("CPU")});
  PluginManager manager;
  ASSERT_TRUE(manager.RegisterStatic(gpu.table(), "gpu").ok());
  ASSERT_TRUE(manager.RegisterStatic(host.table(), "host").ok());
  EXPECT_THAT(Text(manager.RegisterStatic(thief.table(), "thief")),
              AllOf(HasSubstr("thief"), HasSubstr("'gpu'")));
  EXPECT_TRUE(manager.RegisterStatic(helper.table(), "helper").ok());
}

TEST(LoaderTest, WrongRowLeavesNothingBehind) {
  FakeKernel wrong = Relu("GPU");
  wrong.op = "Relux";
  FakePlugin one("one", {Type("GPU")}, {Relu("GPU"), wrong});
  PluginManager manager;
  EXPECT_THAT(Text(manager.RegisterStatic(one.table(), "one")), HasSubstr("Relux"));
  EXPECT_THAT(KernelRegistry::Global()->Rows("Relu"), IsEmpty());
  EXPECT_THAT(manager.Devices(), IsEmpty());
}

TEST(LoaderTest, MissingFileAndFolderSayWhatTheSystemSays) {
  PluginManager manager;
  const Status status = manager.Load("/no/such/libberth_x.so");
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_THAT(Text(status), AllOf(HasSubstr("/no/such/libberth_x.so"), HasSubstr("find"),
                                  HasSubstr("No such file or directory")));
  EXPECT_THAT(Text(manager.Load("/usr")), HasSubstr("folder"));
  manager.LoadFolder("/no/such", "BERTH_PLUGIN_PATH");
  EXPECT_EQ(manager.Records().back().stage, LoadStage::kFind);
  EXPECT_THAT(manager.Records().back().message, HasSubstr("No such file or directory"));
}

TEST(LoaderTest, AbsentTypeNamesThePluginThatFailed) {
  PluginManager manager;
  (void)manager.Load("/no/such/libberth_x.so");
  EXPECT_THAT(manager.WhyAbsent("GPU"),
              AllOf(HasSubstr("no loaded plugin brings the device type GPU"),
                    HasSubstr("/no/such/libberth_x.so: find")));
}

}  // namespace
}  // namespace berth
