// Building programs: logs, the cache; and the options that a context reads.
#include "plugins/opencl/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "plugins/opencl/testing/device_fixture.h"

namespace berth::opencl::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kGood[] =
    "__kernel void One(__global int* x) { x[get_global_id(0)] = 1; }";

class ProgramTest : public DeviceFixture {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(DeviceFixture::SetUp());
    TestHost::Get()->cache().clear();
  }
  void TearDown() override {
    for (const char* option :
         {"gemm", "program_cache", "max_group_size", "build_options"}) {
      TestHost::Get()->SetOption(option, "");
    }
    DeviceFixture::TearDown();
  }

  BuildRequest Request(std::string_view source) {
    BuildRequest request;
    request.context = context_->cl();
    request.device = &physical_[0];
    request.name = "made_up.cl";
    request.source = source;
    request.options = "-cl-std=CL1.2 -DSOME_OPTION=1";
    return request;
  }
};

TEST_F(ProgramTest, AFailedBuildTellsAllThatTheCompilerSaid) {
  // Long on purpose: nothing may be cut off.
  std::string source;
  for (int i = 0; i < 200; ++i) {
    source += "#warning \"note number " + std::to_string(i) + "\"\n";
  }
  source += "__kernel void Broken(__global float* x) { x[0] = no_such_name; }\n";
  const auto built = BuildProgram(Request(source));
  ASSERT_FALSE(built.ok());
  const std::string message = built.status().message();
  EXPECT_THAT(message,
              AllOf(HasSubstr("\"made_up.cl\" does not build"),
                    HasSubstr("CL_BUILD_PROGRAM_FAILURE"), HasSubstr(physical_[0].name),
                    HasSubstr("-cl-std=CL1.2 -DSOME_OPTION=1")));
  for (int i = 0; i < 200; ++i) {
    EXPECT_THAT(message, HasSubstr("note number " + std::to_string(i)));
  }
  EXPECT_THAT(message, HasSubstr("no_such_name"));
}

TEST_F(ProgramTest, ABuiltProgramComesFromTheCache) {
  BuildRequest request = Request(kGood);
  request.host = &host_;
  ASSERT_TRUE(BuildProgram(request).ok());
  ASSERT_EQ(TestHost::Get()->cache().size(), 1U);
  const int before = TestHost::Get()->num_cache_hits();
  auto again = BuildProgram(request);
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(TestHost::Get()->num_cache_hits(), before + 1);
  cl_int code = CL_SUCCESS;
  const ClKernel kernel(clCreateKernel(again->get(), "One", &code));
  EXPECT_EQ(code, CL_SUCCESS);
}

TEST_F(ProgramTest, DamagedEntriesAreMisses) {
  BuildRequest request = Request(kGood);
  request.host = &host_;
  ASSERT_TRUE(BuildProgram(request).ok());
  std::string& entry = TestHost::Get()->cache().begin()->second;
  const std::string whole = entry;
  for (const size_t size : {size_t{0}, size_t{10}, whole.size() / 2, whole.size() - 1}) {
    entry = whole.substr(0, size);
    EXPECT_TRUE(BuildProgram(request).ok()) << size;
  }
  entry = std::string(whole.size(), 'x');
  EXPECT_TRUE(BuildProgram(request).ok());
}

TEST_F(ProgramTest, OtherSourcesAndOptionsAreOtherEntries) {
  BuildRequest request = Request(kGood);
  request.host = &host_;
  ASSERT_TRUE(BuildProgram(request).ok());
  request.options = "-cl-std=CL1.2";
  ASSERT_TRUE(BuildProgram(request).ok());
  request.source = "__kernel void Two(__global int* x) { x[0] = 2; }";
  ASSERT_TRUE(BuildProgram(request).ok());
  EXPECT_EQ(TestHost::Get()->cache().size(), 3U);
}

TEST_F(ProgramTest, AKernelFileThatFailsLeavesTheOthersUsable) {
  const auto broken = context_->Kernel("unary", "-DT=no_such_type", "Exp");
  ASSERT_FALSE(broken.ok());
  EXPECT_THAT(broken.status().message(),
              AllOf(HasSubstr("kernel Exp: "), HasSubstr("\"unary.cl\" does not build"),
                    HasSubstr("no_such_type")));
  EXPECT_TRUE(context_->Kernel("unary", "-DT=float -DIS_FLOAT", "Exp").ok());
  EXPECT_THAT(context_->Kernel("no_file", "", "Exp").status().message(),
              HasSubstr("no_file.cl"));
}

TEST_F(ProgramTest, OptionsSayWhatTheyMayBe) {
  TestHost* host = TestHost::Get();
  ASSERT_TRUE(ReadSettings(host_).ok());
  struct BadOption {
    const char* key;
    const char* value;
  };
  for (const BadOption& bad :
       {BadOption{"gemm", "fast"}, BadOption{"program_cache", "yes"},
        BadOption{"max_group_size", "12x"}, BadOption{"max_group_size", "-1"}}) {
    host->SetOption(bad.key, bad.value);
    const auto settings = ReadSettings(host_);
    ASSERT_FALSE(settings.ok()) << bad.key;
    EXPECT_THAT(settings.status().message(),
                HasSubstr(std::string(bad.key) + "=\"" + bad.value + "\": must be"));
    host->SetOption(bad.key, "");
  }
}

}  // namespace
}  // namespace berth::opencl::testing
