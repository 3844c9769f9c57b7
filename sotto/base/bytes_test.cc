#include "sotto/base/bytes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string_view>

namespace sotto {
namespace {

TEST(BytesTest, ReadsBackWhatWasWritten) {
  ByteWriter writer;
  writer.Number(std::uint64_t{42});
  writer.Number(std::int64_t{-7});
  writer.Number(static_cast<Int128>(-1) << 100);
  writer.Real(-0.1);
  writer.Text("a\0b");
  ByteReader reader(writer.bytes());
  EXPECT_EQ(reader.Number<std::uint64_t>(), 42U);
  EXPECT_EQ(reader.Number<std::int64_t>(), -7);
  EXPECT_TRUE(reader.Number<Int128>() == static_cast<Int128>(-1) << 100);
  EXPECT_EQ(reader.Real(), -0.1);
  EXPECT_EQ(reader.Text(), std::string_view("a\0b"));
  EXPECT_TRUE(reader.Finish());
}

TEST(BytesTest, NumbersAreLittleEndian) {
  ByteWriter writer;
  writer.Number(std::uint32_t{0x01020304});
  EXPECT_EQ(writer.bytes(), std::string_view("\x04\x03\x02\x01", 4));
}

TEST(BytesTest, ATruncatedReaderSaysSoAtTheEnd) {
  ByteWriter writer;
  writer.Number(std::uint64_t{1});
  writer.Text("hello");
  const std::string& bytes = writer.bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ByteReader reader(std::string_view(bytes).substr(0, size));
    reader.Number<std::uint64_t>();
    reader.Text();
    EXPECT_FALSE(reader.Finish()) << size;
  }
}

TEST(BytesTest, ALengthThatLiesDoesNotReadOutOfBounds) {
  ByteWriter writer;
  writer.Number(std::numeric_limits<std::uint64_t>::max());
  ByteReader reader(writer.bytes());
  EXPECT_EQ(reader.Text(), "");
  EXPECT_TRUE(reader.failed());
}

TEST(BytesTest, LeftOverBytesAreAnError) {
  ByteWriter writer;
  writer.Number(std::uint64_t{1});
  ByteReader reader(writer.bytes());
  reader.Number<std::uint32_t>();
  EXPECT_FALSE(reader.Finish());
}

}  // namespace
}  // namespace sotto
