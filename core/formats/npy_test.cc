#include "core/formats/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "core/formats/file.h"

namespace berth::formats {
namespace {

using testing::HasSubstr;

// As numpy.lib.format documents version 1.0.
std::string File(std::string dict, std::string_view data) {
  dict += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(dict.size() & 0xff);
  out += static_cast<char>(dict.size() >> 8);
  return out + dict + std::string(data);
}

std::string FloatFile() {
  const float values[] = {1.5f, -2.0f};
  return File("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }",
              {reinterpret_cast<const char*>(values), sizeof values});
}

TEST(NpyTest, NumbersComeInWithTheirShape) {
  const auto tensor = ParseNpy(FloatFile());
  ASSERT_TRUE(tensor.ok()) << tensor.status().ToString();
  EXPECT_EQ(tensor->dtype(), BERTH_FLOAT);
  EXPECT_EQ(tensor->shape(), Shape({2, 1}));
  EXPECT_EQ(tensor->data<float>()[1], -2.0f);
}

TEST(NpyTest, StringsLoseTheirPadding) {
  const auto tensor =
      ParseNpy(File("{'descr': '|S3', 'fortran_order': False, 'shape': (2,)}",
                    std::string_view("a\0\0bcd", 6)));
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->strings()[0], "a");
  EXPECT_EQ(tensor->strings()[1], "bcd");
  const auto wide = ParseNpy(File("{'descr': '<U2', 'fortran_order': False, 'shape': ()}",
                                  std::string_view("\xe9\0\0\0\xac\x20\0\0", 8)));
  EXPECT_EQ(wide->strings()[0], "\xc3\xa9\xe2\x82\xac");
}

TEST(NpyTest, BitsOfBfloat16ComeBackWhenAskedFor) {
  const std::string file =
      File("{'descr': '<u2', 'fortran_order': False, 'shape': (1,), }", "\x80\x3f");
  EXPECT_EQ(ParseNpy(file)->dtype(), BERTH_UINT16);
  EXPECT_EQ(ParseNpy(file, BERTH_BFLOAT16)->dtype(), BERTH_BFLOAT16);
  EXPECT_EQ(ParseNpy(file, BERTH_FLOAT).status().code(), Code::kInvalidArgument);
}

TEST(NpyTest, WhatCannotBeReadSaysWhatToDo) {
  EXPECT_THAT(
      std::string(
          ParseNpy(File("{'descr': '>f4', 'fortran_order': False, 'shape': ()}", "abcd"))
              .status()
              .message()),
      HasSubstr("newbyteorder"));
  EXPECT_THAT(
      std::string(
          ParseNpy(
              File("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1)}", "abcd"))
              .status()
              .message()),
      HasSubstr("ascontiguousarray"));
  EXPECT_EQ(ParseNpy(File("{'descr': '|O', 'fortran_order': False, 'shape': ()}", "abc"))
                .status()
                .code(),
            Code::kUnimplemented);
}

TEST(NpyTest, RecordsAreRefused) {
  for (const char* descr : {"[('a', '<f4'), ('b', '<i4')]", "''", "'x'"}) {
    const auto tensor = ParseNpy(
        File(std::string("{'descr': ") + descr + ", 'fortran_order': False, 'shape': ()}",
             "12345678"));
    EXPECT_EQ(tensor.status().code(), Code::kUnimplemented) << descr;
  }
}

TEST(NpyTest, EveryCutIsAnError) {
  const std::string whole = FloatFile();
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(ParseNpy(whole.substr(0, size)).status().code(), Code::kDataLoss) << size;
  }
  EXPECT_EQ(ParseNpy(whole + "x").status().code(), Code::kDataLoss);
}

TEST(NpyTest, HugeShapesTakeNoMemory) {
  for (const char* shape : {"(9223372036854775807, 4)", "(4611686018427387904,)", "(-1,)",
                            "(99999999999999999999,)"}) {
    const auto tensor = ParseNpy(File(
        std::string("{'descr': '<f4', 'fortran_order': False, 'shape': ") + shape + "}",
        ""));
    EXPECT_FALSE(tensor.ok()) << shape;
  }
}

TEST(NpyTest, EveryDTypeGoesOutAndComesBack) {
  for (DType dtype = BERTH_FLOAT; dtype <= BERTH_UINT64; ++dtype) {
    if (dtype == BERTH_RESOURCE || dtype == BERTH_VARIANT || dtype == BERTH_STRING) {
      continue;
    }
    Tensor tensor = *Tensor::Allocate(dtype, Shape{2, 3});
    for (uint64_t i = 0; i < tensor.byte_size(); ++i) {
      tensor.raw()[i] = static_cast<char>(i % 2);
    }
    const auto back = ParseNpy(*FormatNpy(tensor), dtype);
    ASSERT_TRUE(back.ok()) << DTypeName(dtype) << back.status().ToString();
    EXPECT_EQ(back->shape(), tensor.shape());
    EXPECT_EQ(std::memcmp(back->raw(), tensor.raw(), tensor.byte_size()), 0);
  }
  Tensor strings = *Tensor::Allocate(BERTH_STRING, Shape{2});
  strings.mutable_strings()[1] = "four";
  EXPECT_EQ(ParseNpy(*FormatNpy(strings))->strings()[1], "four");
}

// NumPy's own files, byte for byte.
TEST(NpyTest, WritesWhatNumPyWrites) {
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           BERTH_GOLDEN_DIR "/files/checkpoint_v2_basic")) {
    if (entry.path().extension() != ".npy") continue;
    const std::string bytes = *ReadFile(entry.path().string());
    const auto tensor = ParseNpy(bytes);
    ASSERT_TRUE(tensor.ok()) << entry.path() << tensor.status().ToString();
    EXPECT_EQ(*FormatNpy(*tensor), bytes) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 15);
}

TEST(NpyTest, ErrorsNameTheFile) {
  const auto missing = ReadNpy("no/such/file.npy");
  EXPECT_EQ(missing.status().code(), Code::kNotFound);
  EXPECT_THAT(std::string(missing.status().message()), HasSubstr("no/such/file.npy"));
}

}  // namespace
}  // namespace berth::formats
