// Old plugins on the new host, and new plugins on an old host.
#include <berth/berth.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "conformance/abi/cut_struct.h"
#include "core/plugin/host_table.h"
#include "core/plugin/loader.h"
#include "core/plugin/step.h"
#include "core/plugin/testing/fake_plugin.h"
#include "core/registry/abi_read.h"
#include "core/registry/kernel_registry.h"
#include "sdk/cpp/sdk.h"

namespace berth {
namespace {

using testing::FakeDevices;
using testing::FakeKernel;
using testing::FakePlugin;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

FakeKernel Relu() {
  FakeKernel kernel;
  kernel.op = "Relu";
  kernel.device_type = "GPU";
  kernel.types = {{"T", {BERTH_FLOAT}}};
  kernel.supports = [](const berth_node&) { return std::string(); };
  return kernel;
}

class OldPluginNewHost : public ::testing::Test {
 protected:
  // What is left of a refused or unloaded plugin.
  void ExpectNothingStays() {
    EXPECT_THAT(KernelRegistry::Global()->AllRows(), IsEmpty());
  }

  FakePlugin plugin_{"fake", {FakeDevices{}}, {Relu()}};
};

TEST_F(OldPluginNewHost, PluginTableIsNotReadPastItsEnd) {
  int loaded = 0;
  for (const size_t size : CutSizes<berth_plugin>()) {
    const CutStruct<berth_plugin> cut(*plugin_.table(), size);
    PluginManager manager;
    const Status status = manager.RegisterStatic(cut.get(), "cut");
    // Without a version and a name it is no plugin; without kernels it still is one. A
    // count whose array is cut off is refused.
    EXPECT_EQ(status.ok(), size >= offsetof(berth_plugin, vendor) &&
                               size != offsetof(berth_plugin, kernels))
        << size << ": " << status.ToString();
    if (!status.ok()) continue;
    ++loaded;
    const bool has_devices = size >= offsetof(berth_plugin, num_kernels);
    EXPECT_THAT(manager.Devices(), SizeIs(has_devices ? 1 : 0)) << size;
    const bool has_kernels = size >= offsetof(berth_plugin, ops);
    EXPECT_THAT(KernelRegistry::Global()->Rows("Relu"), SizeIs(has_kernels ? 1 : 0))
        << size;
    for (Device* device : manager.Devices()) EXPECT_TRUE(device->Open().ok());
  }
  EXPECT_GT(loaded, 10);
  ExpectNothingStays();
}

TEST_F(OldPluginNewHost, KernelRowIsNotReadPastItsEnd) {
  int loaded = 0;
  for (const size_t size : CutSizes<berth_kernel_def>()) {
    const CutStruct<berth_kernel_def> cut(*plugin_.table()->kernels[0], size);
    const berth_kernel_def* const rows[] = {cut.get()};
    berth_plugin table = *plugin_.table();
    table.kernels = rows;
    PluginManager manager;
    const Status status = manager.RegisterStatic(&table, "cut");
    // The last function that a row must have is compute.
    EXPECT_EQ(status.ok(), size >= offsetof(berth_kernel_def, compute_async))
        << size << ": " << status.ToString();
    if (status.ok()) ++loaded;
    EXPECT_THAT(manager.Devices(), SizeIs(status.ok() ? 1 : 0));
  }
  EXPECT_GT(loaded, 3);
  ExpectNothingStays();
}

TEST_F(OldPluginNewHost, TypeConstraintIsNotReadPastItsEnd) {
  const berth_kernel_def& row = *plugin_.table()->kernels[0];
  for (const size_t size : CutSizes<berth_type_constraint>()) {
    const CutStruct<berth_type_constraint> cut(*row.constraints[0], size);
    const berth_type_constraint* const constraints[] = {cut.get()};
    berth_kernel_def changed = row;
    changed.constraints = constraints;
    const berth_kernel_def* const rows[] = {&changed};
    berth_plugin table = *plugin_.table();
    table.kernels = rows;
    KernelRegistry registry;
    EXPECT_EQ(registry.RegisterPlugin(&table).ok(),
              size >= sizeof(berth_type_constraint) ||
                  size == offsetof(berth_type_constraint, num_dtypes))
        << size;
  }
}

TEST_F(OldPluginNewHost, DeviceInfoIsNotReadPastItsEnd) {
  static const berth_device_info* const* infos;
  static uint32_t count;
  ASSERT_EQ(plugin_.table()->devices->enumerate(plugin_.table()->context, &count, &infos,
                                                nullptr),
            BERTH_OK);
  for (const size_t size : CutSizes<berth_device_info>()) {
    const CutStruct<berth_device_info> cut(*infos[0], size);
    static const berth_device_info* cut_infos[1];
    cut_infos[0] = cut.get();
    berth_device_api api = *plugin_.table()->devices;
    api.enumerate = [](void*, uint32_t* out_count,
                       const berth_device_info* const** out_infos, berth_error*) {
      *out_count = 1;
      *out_infos = cut_infos;
      return BERTH_OK;
    };
    berth_plugin table = *plugin_.table();
    table.devices = &api;
    PluginManager manager;
    const Status status = manager.RegisterStatic(&table, "cut");
    EXPECT_EQ(status.ok(), size >= offsetof(berth_device_info, index)) << size;
    if (!status.ok()) continue;
    const DeviceDesc& desc = manager.Devices()[0]->desc();
    EXPECT_EQ(desc.type, "GPU");
    EXPECT_EQ(desc.display_name,
              size >= offsetof(berth_device_info, physical_id) ? "fake GPU" : "")
        << size;
    EXPECT_EQ(desc.base_alignment, size >= sizeof(berth_device_info) ? 256U : 1U) << size;
  }
  ExpectNothingStays();
}

TEST_F(OldPluginNewHost, DeviceTableIsNotReadPastItsEnd) {
  for (const size_t size : CutSizes<berth_device_api>()) {
    const CutStruct<berth_device_api> cut(*plugin_.table()->devices, size);
    berth_plugin table = *plugin_.table();
    table.devices = cut.get();
    PluginManager manager;
    const Status status = manager.RegisterStatic(&table, "cut");
    // Without enumerate there are no devices; with it, what they need must be there. The
    // two last entries are optional.
    const bool no_devices = size < offsetof(berth_device_api, open);
    const bool complete = size >= offsetof(berth_device_api, on_ready);
    EXPECT_EQ(status.ok(), no_devices || complete) << size << ": " << status.ToString();
    if (!complete) continue;
    Device* device = manager.Devices()[0];
    EXPECT_TRUE(device->Open().ok());
    EXPECT_EQ(device->api()->event_timestamp != nullptr,
              size >= sizeof(berth_device_api));
  }
  ExpectNothingStays();
}

TEST_F(OldPluginNewHost, OptionalEntriesMayBeNull) {
  berth_device_api api = *plugin_.table()->devices;
  api.memory_stats = nullptr;
  api.flush = nullptr;
  api.on_ready = nullptr;
  api.event_timestamp = nullptr;
  berth_plugin table = *plugin_.table();
  table.devices = &api;
  table.version = nullptr;
  table.vendor = nullptr;
  table.init = nullptr;
  table.shutdown = nullptr;
  PluginManager manager;
  ASSERT_TRUE(manager.RegisterStatic(&table, "sparse").ok());
  EXPECT_TRUE(manager.Devices()[0]->Open().ok());
  EXPECT_EQ(manager.Plugins()[0]->version, "");
}

TEST_F(OldPluginNewHost, MissingEntryOfTheDeviceTableIsNamed) {
  berth_device_api api = *plugin_.table()->devices;
  api.copy = nullptr;
  berth_plugin table = *plugin_.table();
  table.devices = &api;
  PluginManager manager;
  EXPECT_THAT(std::string(manager.RegisterStatic(&table, "broken").message()),
              HasSubstr("`copy`"));
}

TEST_F(OldPluginNewHost, ProfileEventIsNotReadPastItsEnd) {
  struct Sink : ProfileSink {
    void Record(const ProfileEvent& event) override { last = event; }
    ProfileEvent last;
  } sink;
  ThreadPool pool(1);
  berth_step step(&pool);
  step.Reset(&sink);
  PluginOptions options;
  PluginCache cache("");
  const HostTable table("p", "", &options, &cache);
  const berth_profile_event event = {sizeof(event), "name", "track", 1, 2};
  for (const size_t size : CutSizes<berth_profile_event>()) {
    const CutStruct<berth_profile_event> cut(event, size);
    table.abi()->record_event(table.abi()->context, &step, cut.get());
    EXPECT_STREQ(sink.last.track,
                 size >= offsetof(berth_profile_event, start_ns) ? "track" : "");
    EXPECT_EQ(sink.last.end_ns, size >= sizeof(berth_profile_event) ? 2U : 0U);
  }
}

TEST(Extensions, UnknownOnesAreSkippedAndLoopsEnd) {
  berth_compile_api known = {};
  known.head = {sizeof(known), BERTH_COMPILE_EXTENSION, nullptr};
  berth_extension unnamed = {sizeof(berth_extension), nullptr, &known.head};
  berth_extension unknown = {sizeof(berth_extension), "vendor.magic", &unnamed};
  EXPECT_EQ(FindExtension<berth_compile_api>(&unknown, BERTH_COMPILE_EXTENSION), &known);
  EXPECT_EQ(FindExtension<berth_extension>(&unknown, "vendor.other"), nullptr);
  EXPECT_EQ(FindExtension<berth_extension>(nullptr, "vendor.other"), nullptr);
  unnamed.next = &unknown;
  EXPECT_EQ(FindExtension<berth_extension>(&unknown, "vendor.other"), nullptr);
}

TEST(Extensions, AnEntryCutAtAnySizeReadsAsZeroPastItsEnd) {
  berth_compile_api whole = {};
  whole.head = {sizeof(whole), BERTH_COMPILE_EXTENSION, nullptr};
  whole.claim = [](berth_device*, const berth_group*, int32_t*, berth_error*) {
    return BERTH_OK;
  };
  whole.compile = [](berth_device*, const berth_group*, const berth_kernel_def**,
                     berth_kernel**, berth_error*) { return BERTH_OK; };
  for (size_t size = sizeof(berth_extension); size <= sizeof(whole); ++size) {
    berth_compile_api cut = whole;
    cut.head.struct_size = size;
    const auto read =
        ReadExtension<berth_compile_api>(&cut.head, BERTH_COMPILE_EXTENSION);
    EXPECT_EQ(read.claim != nullptr, size >= offsetof(berth_compile_api, compile));
    EXPECT_EQ(read.compile != nullptr, size >= sizeof(whole));
    EXPECT_EQ(read.head.struct_size, sizeof(whole));
  }
  const auto none = ReadExtension<berth_compile_api>(nullptr, BERTH_COMPILE_EXTENSION);
  EXPECT_EQ(none.claim, nullptr);
}

TEST(NewPluginOldHost, LayerIsNotReadingPastTheHostTablesEnd) {
  PluginOptions options;
  options.Set("p", "key", "value");
  std::string folder = ::testing::TempDir() + "berth_abi_XXXXXX";
  PluginCache cache(mkdtemp(folder.data()));
  const HostTable table("p", "", &options, &cache);
  ThreadPool pool(2);
  berth_step step(&pool);
  step.Cancel(Cancelled("stop"));
  for (const size_t size : CutSizes<berth_host>()) {
    const CutStruct<berth_host> cut(*table.abi(), size);
    const sdk::Host host(cut.get());
    const auto has = [size](size_t offset) { return size > offset; };
    host.Log(BERTH_LOG_DEBUG, "hello");
    EXPECT_EQ(host.Option("key") != nullptr, has(offsetof(berth_host, option)));
    int64_t items = 0;
    host.ParallelFor(nullptr, 10, 100,
                     [&items](int64_t begin, int64_t end) { items += end - begin; });
    EXPECT_EQ(items, 10);
    EXPECT_EQ(host.NumThreads(&step), has(offsetof(berth_host, num_threads)) ? 2 : 1);
    EXPECT_EQ(host.IsCancelled(&step), has(offsetof(berth_host, is_cancelled)));
    EXPECT_FALSE(host.IsProfiling(&step));
    host.RecordEvent(&step, "name", "track", 1, 2);
    EXPECT_EQ(host.NowNs() != 0, has(offsetof(berth_host, now_ns)));
    host.CachePut("key", "data");
    std::string data;
    EXPECT_EQ(host.CacheGet("key", &data), has(offsetof(berth_host, cache_put))) << size;
    std::filesystem::remove_all(cache.folder());

    berth_compute_context context = {};
    context.struct_size = sizeof(context);
    context.host = cut.get();
    const berth_shape shape = {};
    // Asked for the host's own context, which would be there: the entry alone counts.
    if (!has(offsetof(berth_host, allocate_output))) {
      EXPECT_EQ(sdk::ComputeContext(context).AllocateOutput(0, shape).code(),
                BERTH_UNIMPLEMENTED);
    }
  }
}

TEST(PluginInC, LoadsAndComputes) {
  PluginManager manager;
  const Status status = manager.Load(BERTH_TEST_C_PLUGIN);
  ASSERT_TRUE(status.ok()) << status.ToString();
  ASSERT_THAT(manager.Devices(), SizeIs(1));
  Device* device = manager.Devices()[0];
  ASSERT_TRUE(device->Open().ok());
  EXPECT_EQ(device->desc().display_name, "a device in C");
  const auto rows = KernelRegistry::Global()->Rows("Relu");
  ASSERT_THAT(rows, SizeIs(1));
  const berth_node node = {};
  const Result<berth_kernel*> kernel = rows[0]->Create(*device->Open(), node);
  ASSERT_TRUE(kernel.ok());
  const float in[3] = {-1, 0, 2};
  float out[3] = {9, 9, 9};
  berth_tensor input = {};
  input.host_data = const_cast<float*>(in);
  input.byte_size = sizeof(in);
  berth_tensor output = input;
  output.host_data = out;
  const berth_tensor* const inputs[] = {&input};
  berth_tensor* const outputs[] = {&output};
  berth_compute_context context = {};
  context.struct_size = sizeof(context);
  context.num_inputs = context.num_outputs = 1;
  context.inputs = inputs;
  context.outputs = outputs;
  ASSERT_EQ(rows[0]->def->compute(*kernel, nullptr, &context, nullptr), BERTH_OK);
  EXPECT_THAT(out, ::testing::ElementsAre(0, 0, 2));
  rows[0]->def->destroy(*kernel);
}

}  // namespace
}  // namespace berth
