// What the loader says about each kind of bad plugin, and that nothing of it stays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/graph/graph.h"
#include "core/ops/inference_context.h"
#include "core/ops/op_schema.h"
#include "core/plugin/file_check.h"
#include "core/plugin/loader.h"
#include "core/registry/kernel_registry.h"

namespace berth {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::string Plugin(const std::string& name) {
  return std::string(BERTH_TEST_PLUGINS) + "/libberth_test_" + name + ".so";
}

class BadPluginsTest : public ::testing::Test {
 protected:
  BadPluginsTest() {
    std::string name = ::testing::TempDir() + "berth_bad_plugins_XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~BadPluginsTest() override { fs::remove_all(folder_); }

  // A copy of a test plugin in a folder of this test's own.
  std::string Copy(const std::string& name) {
    const std::string to = folder_ + "/" + name + ".so";
    fs::copy_file(Plugin(name), to);
    return to;
  }
  CandidateRecord LoadBad(const std::string& path) {
    const Status status = manager_.Load(path);
    EXPECT_FALSE(status.ok());
    CandidateRecord record = manager_.Records().back();
    // The error says stage, text and remedy.
    EXPECT_THAT(
        std::string(status.message()),
        AllOf(HasSubstr(path), HasSubstr(std::string(LoadStageName(record.stage))),
              HasSubstr(record.message), HasSubstr(record.remedy)));
    EXPECT_THAT(record.message, Not(IsEmpty()));
    EXPECT_THAT(record.remedy, Not(IsEmpty()));
    EXPECT_EQ(record.found_by, "explicit");
    // Nothing half-registered stays.
    EXPECT_THAT(manager_.Plugins(), SizeIs(loaded_));
    EXPECT_THAT(KernelRegistry::Global()->AllRows(), IsEmpty());
    EXPECT_EQ(OpRegistry::Global()->Find("Test>Twice"), nullptr);
    return record;
  }
  // Another plugin still loads afterwards.
  void LoadGood() {
    const Status status = manager_.Load(Plugin("good"));
    EXPECT_TRUE(status.ok()) << status.ToString();
    ASSERT_THAT(manager_.Devices(), SizeIs(1));
    EXPECT_TRUE(manager_.Devices()[0]->Open().ok());
  }

  std::string folder_;
  size_t loaded_ = 0;
  PluginManager manager_;
};

TEST_F(BadPluginsTest, LibraryWithoutTheSymbol) {
  const CandidateRecord record = LoadBad(Plugin("no_symbol"));
  EXPECT_EQ(record.stage, LoadStage::kSymbol);
  EXPECT_THAT(record.message, HasSubstr("undefined symbol: berth_plugin_query"));
  EXPECT_THAT(record.remedy, HasSubstr("no berth plugin"));
  LoadGood();
}

TEST_F(BadPluginsTest, TooOld) {
  const CandidateRecord record = LoadBad(Plugin("too_old"));
  EXPECT_EQ(record.stage, LoadStage::kVersion);
  EXPECT_EQ(record.message, "plugin too_old: ABI 0.0, host: ABI 0.1");
  EXPECT_THAT(record.remedy, HasSubstr("older than this berth"));
  LoadGood();
}

TEST_F(BadPluginsTest, TooNew) {
  const CandidateRecord record = LoadBad(Plugin("too_new"));
  EXPECT_EQ(record.stage, LoadStage::kVersion);
  EXPECT_EQ(record.message, "plugin too_new: ABI 1.0 to 1.2, host: ABI 0.1");
  EXPECT_THAT(record.remedy, HasSubstr("upgrade berth"));
  LoadGood();
}

TEST_F(BadPluginsTest, RefusesWithAReason) {
  const CandidateRecord record = LoadBad(Plugin("refuses"));
  EXPECT_EQ(record.stage, LoadStage::kInit);
  EXPECT_EQ(record.message, "plugin test_refuses: needs driver 470 or newer");
  LoadGood();
}

TEST_F(BadPluginsTest, RefusesTheVersion) {
  const CandidateRecord record = LoadBad(Plugin("refuses_version"));
  EXPECT_EQ(record.stage, LoadStage::kVersion);
  EXPECT_THAT(record.message, HasSubstr("made for ABI 7.0"));
  EXPECT_THAT(record.remedy, HasSubstr("ABI 0.1"));
}

TEST_F(BadPluginsTest, MissingLibraryIsNamed) {
  const CandidateRecord record = LoadBad(Plugin("missing_library"));
  EXPECT_EQ(record.stage, LoadStage::kMissingLibrary);
  EXPECT_THAT(record.message, HasSubstr("libberth_test_gone.so"));
  EXPECT_THAT(record.remedy,
              AllOf(HasSubstr("libberth_test_gone.so"), HasSubstr("LD_LIBRARY_PATH")));
  LoadGood();
}

TEST_F(BadPluginsTest, TextFileNamedSo) {
  const std::string path = folder_ + "/notes.so";
  std::ofstream(path) << std::string(100, 'x') + "\nno library, whatever its name says\n";
  const CandidateRecord record = LoadBad(path);
  EXPECT_EQ(record.stage, LoadStage::kOpen);
  EXPECT_THAT(record.message, HasSubstr("invalid ELF header"));
  EXPECT_THAT(record.remedy, HasSubstr("no shared library"));
  LoadGood();
}

TEST_F(BadPluginsTest, EmptyFileNamedSo) {
  const std::string path = folder_ + "/empty.so";
  std::ofstream(path).flush();
  const CandidateRecord record = LoadBad(path);
  EXPECT_EQ(record.stage, LoadStage::kOpen);
  EXPECT_THAT(record.message, HasSubstr("file too short"));
}

TEST_F(BadPluginsTest, ThrowsWhereverItIsCalled) {
  EXPECT_THAT(LoadBad(Plugin("throws_in_query")).message,
              HasSubstr("the query of this plugin is broken"));
  EXPECT_THAT(LoadBad(Plugin("throws_in_init")).message,
              HasSubstr("the init of this plugin is broken"));
  EXPECT_THAT(LoadBad(Plugin("throws_in_enumerate")).message,
              HasSubstr("the device list of this plugin is broken"));
  EXPECT_THAT(LoadBad(Plugin("throws_a_number")).message,
              HasSubstr("something that is no exception"));
  for (const CandidateRecord& record : manager_.Records()) {
    EXPECT_EQ(record.stage, LoadStage::kInit);
  }
  LoadGood();
}

TEST_F(BadPluginsTest, NoDeviceIsLoadedAndSaysWhy) {
  ASSERT_TRUE(manager_.Load(Plugin("no_device")).ok());
  const CandidateRecord record = manager_.Records().back();
  EXPECT_EQ(record.stage, LoadStage::kNoDevice);
  EXPECT_TRUE(record.loaded());
  EXPECT_EQ(record.message, "the driver found no adapter");
  EXPECT_THAT(manager_.Devices(), IsEmpty());
  EXPECT_EQ(manager_.Plugins()[0]->why_no_device, "the driver found no adapter");
}

TEST_F(BadPluginsTest, SameFileTwiceIsNoOpByWhateverPath) {
  const std::string path = Copy("good");
  const std::string link = folder_ + "/link.so";
  const std::string hard = folder_ + "/hard.so";
  fs::create_symlink(path, link);
  fs::create_hard_link(path, hard);
  ASSERT_TRUE(manager_.Load(path).ok());
  for (const std::string& again : {path, link, hard, folder_ + "/./good.so"}) {
    EXPECT_TRUE(manager_.Load(again).ok());
    EXPECT_EQ(manager_.Records().back().stage, LoadStage::kDuplicate);
    EXPECT_THAT(manager_.Records().back().message, HasSubstr(path));
  }
  EXPECT_THAT(manager_.Plugins(), SizeIs(1));
  EXPECT_THAT(manager_.Devices(), SizeIs(1));
}

TEST_F(BadPluginsTest, TwoForOneDeviceTypeAreNamed) {
  LoadGood();
  loaded_ = 1;
  const CandidateRecord record = LoadBad(Plugin("rival"));
  EXPECT_EQ(record.stage, LoadStage::kRegister);
  EXPECT_THAT(record.message, AllOf(HasSubstr(Plugin("good")), HasSubstr(Plugin("rival")),
                                    HasSubstr("device type GOOD")));
  EXPECT_THAT(record.remedy, HasSubstr("rival.device_type="));
  EXPECT_THAT(manager_.Devices(), SizeIs(1));
}

TEST_F(BadPluginsTest, TwoOfOneNameAreNamed) {
  LoadGood();
  loaded_ = 1;
  const CandidateRecord record = LoadBad(Plugin("namesake"));
  EXPECT_EQ(record.stage, LoadStage::kRegister);
  EXPECT_THAT(record.message, AllOf(HasSubstr("'good'"), HasSubstr(Plugin("namesake"))));
}

TEST_F(BadPluginsTest, RedefinitionOfAKnownOpIsRolledBack) {
  const OpSchema* before = OpRegistry::Global()->Find("MatMul");
  for (const char* name : {"redefines_op", "half_good_ops"}) {
    const CandidateRecord record = LoadBad(Plugin(name));
    EXPECT_EQ(record.stage, LoadStage::kRegister);
    EXPECT_THAT(record.message, AllOf(HasSubstr("MatMul"), HasSubstr(name)));
    EXPECT_EQ(OpRegistry::Global()->Find("MatMul"), before);
  }
  EXPECT_THAT(LoadBad(Plugin("garbled_op")).message, HasSubstr("no serialized OpDef"));
  LoadGood();
}

TEST_F(BadPluginsTest, OwnOpComesWithShapesAndKernelsAndGoesWithThePlugin) {
  ASSERT_TRUE(manager_.Load(Plugin("brings_op")).ok());
  const OpSchema* schema = OpRegistry::Global()->Find("Test>Twice");
  ASSERT_NE(schema, nullptr);
  EXPECT_EQ(schema->plugin, "brings_op");
  EXPECT_THAT(KernelRegistry::Global()->Rows("Test>Twice"), SizeIs(1));

  AttrMap attrs;
  ASSERT_TRUE(CompleteAttrs(*schema, &attrs).ok());
  EXPECT_EQ(attrs.GetType("T"), BERTH_FLOAT);  // the OpDef's default
  const Shape input = {3, -1};
  InferenceContext::Args args;
  args.schema = schema;
  args.attrs = &attrs;
  args.node_name = "n";
  args.input_shapes = {&input, 1};
  args.num_outputs = 1;
  InferenceContext context(args);
  ASSERT_TRUE(schema->shape_fn(context).ok());
  EXPECT_EQ(context.output(0), (Shape{6, -1}));
  const Shape scalar;
  args.input_shapes = {&scalar, 1};
  InferenceContext refused(args);
  EXPECT_THAT(schema->shape_fn(refused).ToString(),
              AllOf(HasSubstr("at least a vector"), HasSubstr("'n'")));

  // An identical definition is a no-op, another one is refused.
  EXPECT_TRUE(manager_.Load(Plugin("same_op")).ok());
  EXPECT_FALSE(manager_.Load(Plugin("other_op")).ok());
  EXPECT_THAT(manager_.Records().back().message,
              AllOf(HasSubstr("Test>Twice"), HasSubstr("brings_op")));
  ASSERT_TRUE(manager_.Unload("same_op").ok());
  EXPECT_EQ(OpRegistry::Global()->Find("Test>Twice"), schema);
  ASSERT_TRUE(manager_.Unload("brings_op").ok());
  EXPECT_EQ(OpRegistry::Global()->Find("Test>Twice"), nullptr);
  EXPECT_THAT(KernelRegistry::Global()->AllRows(), IsEmpty());
}

TEST_F(BadPluginsTest, OpOfTwoPluginsStaysUntilBothAreGone) {
  ASSERT_TRUE(manager_.Load(Plugin("brings_op")).ok());
  ASSERT_TRUE(manager_.Load(Plugin("same_op")).ok());
  ASSERT_TRUE(manager_.Unload("brings_op").ok());
  const OpSchema* schema = OpRegistry::Global()->Find("Test>Twice");
  ASSERT_NE(schema, nullptr);
  EXPECT_EQ(schema->plugin, "same_op");
  // Back again, it waits behind the other one.
  ASSERT_TRUE(manager_.Load(Plugin("brings_op")).ok());
  EXPECT_EQ(OpRegistry::Global()->Find("Test>Twice"), schema);
  ASSERT_TRUE(manager_.Unload("same_op").ok());
  schema = OpRegistry::Global()->Find("Test>Twice");
  ASSERT_NE(schema, nullptr);
  EXPECT_EQ(schema->plugin, "brings_op");
  ASSERT_TRUE(manager_.Unload("brings_op").ok());
  EXPECT_EQ(OpRegistry::Global()->Find("Test>Twice"), nullptr);
}

TEST_F(BadPluginsTest, FolderWritableByOthers) {
  const std::string path = Copy("good");
  ASSERT_EQ(chmod(folder_.c_str(), 0777), 0);
  const CandidateRecord record = LoadBad(path);
  EXPECT_EQ(record.stage, LoadStage::kPermissions);
  EXPECT_THAT(record.message, AllOf(HasSubstr("the folder " + folder_),
                                    HasSubstr("written by everybody")));
  EXPECT_THAT(record.remedy, HasSubstr("chmod o-w '" + folder_));
  // A search refuses the folder as a whole.
  manager_.LoadFolder(folder_, "BERTH_PLUGIN_PATH");
  EXPECT_EQ(manager_.Records().back().stage, LoadStage::kPermissions);
  EXPECT_EQ(manager_.Records().back().path, folder_);
  EXPECT_THAT(manager_.Plugins(), IsEmpty());
  ASSERT_EQ(chmod(folder_.c_str(), 0700), 0);
  EXPECT_TRUE(manager_.Load(path).ok());
}

TEST_F(BadPluginsTest, FileWritableByOthers) {
  const std::string path = Copy("good");
  ASSERT_EQ(chmod(path.c_str(), 0666), 0);
  const CandidateRecord record = LoadBad(path);
  EXPECT_EQ(record.stage, LoadStage::kPermissions);
  EXPECT_THAT(record.message, HasSubstr("the file " + path));
}

TEST_F(BadPluginsTest, LinkIntoAFolderWritableByOthers) {
  const std::string open_folder = folder_ + "/open";
  fs::create_directory(open_folder);
  fs::copy_file(Plugin("good"), open_folder + "/real.so");
  ASSERT_EQ(chmod(open_folder.c_str(), 0777), 0);
  const std::string link = folder_ + "/link.so";
  fs::create_symlink(open_folder + "/real.so", link);
  const CandidateRecord record = LoadBad(link);
  EXPECT_EQ(record.stage, LoadStage::kPermissions);
  EXPECT_THAT(record.message, HasSubstr(open_folder));
}

TEST_F(BadPluginsTest, OwnedByAnotherUser) {
  const std::string path = Copy("good");
  if (geteuid() == 0) {
    ASSERT_EQ(chown(path.c_str(), 12345, 12345), 0);
    const CandidateRecord record = LoadBad(path);
    EXPECT_EQ(record.stage, LoadStage::kPermissions);
    EXPECT_THAT(record.message,
                AllOf(HasSubstr("user 12345"), HasSubstr("neither root")));
  } else {
    // Seen by somebody else, the file is not his.
    EXPECT_FALSE(CheckTrust(path, geteuid() + 1).trusted());
    EXPECT_TRUE(CheckTrust(path, geteuid()).trusted());
  }
}

TEST_F(BadPluginsTest, OwnProtobufWithTensorFlowsFileNamesCoexists) {
  // The host's own messages are in this process too.
  ASSERT_NE(OpRegistry::Global()->Find("MatMul"), nullptr);
  ASSERT_TRUE(manager_.Load(Plugin("own_protobuf")).ok());
  EXPECT_EQ(manager_.Plugins()[0]->version, "its own");
  ASSERT_TRUE(manager_.Load(Plugin("brings_op")).ok());  // reads an OpDef of the host's
  EXPECT_NE(OpRegistry::Global()->Find("Test>Twice"), nullptr);
}

TEST_F(BadPluginsTest, PluginsThatExportAllSymbolsEachSeeTheirOwn) {
  ASSERT_TRUE(manager_.Load(Plugin("twin_a")).ok());
  ASSERT_TRUE(manager_.Load(Plugin("twin_b")).ok());
  const auto plugins = manager_.Plugins();
  ASSERT_THAT(plugins, SizeIs(2));
  EXPECT_EQ(plugins[0]->version, "helper 1");
  EXPECT_EQ(plugins[1]->version, "helper 2");
  EXPECT_EQ(plugins[0]->devices[0]->type(), "TWINA");
  EXPECT_EQ(plugins[1]->devices[0]->type(), "TWINB");
  for (Device* device : manager_.Devices()) {
    ASSERT_TRUE(device->Open().ok());
    berth_memory* memory = nullptr;
    ASSERT_EQ(device->api()->allocate(*device->Open(), BERTH_MEMORY_DEVICE, 64, &memory,
                                      nullptr),
              BERTH_OK);
    device->api()->free(*device->Open(), memory);
  }
}

TEST_F(BadPluginsTest, FolderOfAllKindsLoadsTheGoodInOrderOfName) {
  for (const char* name :
       {"good", "no_symbol", "too_new", "throws_in_init", "no_device"}) {
    Copy(name);
  }
  std::ofstream(folder_ + "/notes.so") << "no library\n";
  std::ofstream(folder_ + "/README.txt") << "not looked at\n";
  manager_.LoadFolder(folder_, "BERTH_PLUGIN_PATH");
  std::vector<std::string> seen;
  for (const CandidateRecord& record : manager_.Records()) {
    EXPECT_EQ(record.found_by, "BERTH_PLUGIN_PATH");
    seen.push_back(fs::path(record.path).stem().string() + ": " +
                   std::string(LoadStageName(record.stage)));
  }
  EXPECT_THAT(seen,
              ElementsAre("good: loaded", "no_device: no device", "no_symbol: symbol",
                          "notes: open", "throws_in_init: init", "too_new: version"));
  EXPECT_THAT(manager_.Plugins(), SizeIs(2));
}

TEST_F(BadPluginsTest, PluginPathTakesFoldersAndFilesBeforeTheInstallFolder) {
  const std::string sub = folder_ + "/sub";
  fs::create_directory(sub);
  fs::copy_file(Plugin("good"), sub + "/good.so");
  const std::string path = sub + "::" + Plugin("no_device") + ":/no/such/folder";
  ASSERT_EQ(setenv("BERTH_PLUGIN_PATH", path.c_str(), 1), 0);
  manager_.LoadDefault();
  manager_.LoadDefault();  // does nothing more
  ASSERT_EQ(unsetenv("BERTH_PLUGIN_PATH"), 0);
  const std::vector<CandidateRecord> records = manager_.Records();
  ASSERT_GE(records.size(), 3U);
  EXPECT_EQ(records[0].path, sub + "/good.so");
  EXPECT_EQ(records[1].path, Plugin("no_device"));
  EXPECT_EQ(records[2].path, "/no/such/folder");
  EXPECT_EQ(records[2].stage, LoadStage::kFind);
  for (size_t i = 3; i < records.size(); ++i) {
    EXPECT_EQ(records[i].found_by, "install folder");
  }
}

TEST_F(BadPluginsTest, FileMayComeBackAfterUnload) {
  for (int i = 0; i < 3; ++i) {
    LoadGood();
    ASSERT_TRUE(manager_.Unload("good").ok());
    EXPECT_THAT(manager_.Devices(), IsEmpty());
  }
}

}  // namespace
}  // namespace berth
