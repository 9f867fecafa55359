// A device whose compiler fails (the build sets an option that breaks every kernel): the
// user gets all that the compiler said, and the session goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "client/berth.h"

namespace berth {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

namespace bc = berth::client;

TEST(BrokenBuildTest, TheCompilersLogReachesTheUser) {
  const char* type = std::getenv("BERTH_TEST_DEVICE_TYPE");
  ASSERT_NE(type, nullptr);
  const bc::Scope root = bc::Scope::Root();
  const bc::Output x = bc::ops::Const(root, Tensor::Scalar<float>(BERTH_FLOAT, 2));
  const bc::Output there =
      bc::ops::Exp(root.Name("layer").Device("/device:" + std::string(type) + ":0"), x);
  const bc::Output here = bc::ops::Square(root.Device("/cpu:0"), x);
  SessionOptions options;
  options.optimize = false;
  Result<bc::Session> session = bc::Session::Create(root, options);
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  const Result<Tensor> failed = session->Run({}, there);
  ASSERT_FALSE(failed.ok());
  const std::string message(failed.status().message());
  EXPECT_THAT(message,
              AllOf(HasSubstr("node 'layer/Exp' (Exp)"), HasSubstr("does not build"),
                    HasSubstr("-Dinline=no_such_type"), HasSubstr("build log")));
  // Clang's first error and what follows from it.
  EXPECT_THAT(message, AllOf(HasSubstr("unknown type name 'no_such_type'"),
                             HasSubstr("expected ';' after top level declarator")));

  const Result<Tensor> fine = session->Run({}, here);
  ASSERT_TRUE(fine.ok()) << fine.status().ToString();
  EXPECT_EQ(*fine->data<float>(), 4);
}

}  // namespace
}  // namespace berth
