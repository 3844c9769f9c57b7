#include "sotto/data/streams/input.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <fstream>
#include <string>
#include <vector>

#include "sotto/data/streams/byte_source.h"

namespace sotto {
namespace {

std::string Gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(
      deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
      Z_OK);
  std::string packed(text.size() + 200, '\0');
  std::string copy = text;
  stream.next_in = reinterpret_cast<Bytef*>(copy.data());
  stream.avail_in = static_cast<uInt>(copy.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string File(const std::string& bytes) {
  const std::string path =
      testing::TempDir() + "input_" +
      testing::UnitTest::GetInstance()->current_test_info()->name();
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

struct Lines {
  std::vector<std::string> lines;
  std::string error;
};

Lines ReadLines(const std::string& bytes) {
  auto reader = OpenLines(File(bytes), {});
  EXPECT_TRUE(reader);
  Lines read;
  while (const auto line = (*reader)->Next()) read.lines.emplace_back(*line);
  const Status& status = (*reader)->status();
  if (!status) read.error = status.error().message;
  return read;
}

std::string ManyLines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += std::to_string(i * 7919);
    text += '\n';
  }
  return text;
}

TEST(InputTest, GzipIsUnpackedWhateverTheName) {
  const std::string text = ManyLines(40'000);
  const Lines plain = ReadLines(text);
  const Lines packed = ReadLines(Gzip(text));
  EXPECT_EQ(plain.error, "");
  EXPECT_EQ(packed.error, "");
  EXPECT_EQ(plain.lines.size(), 40'000U);
  EXPECT_EQ(packed.lines, plain.lines);
}

TEST(InputTest, MembersOneAfterTheOtherAreOneStream) {
  const Lines read =
      ReadLines(Gzip("a\nb") + Gzip("c\n") + Gzip("") + Gzip("d\n"));
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.lines, (std::vector<std::string>{"a", "bc", "d"}));
}

TEST(InputTest, ShortAndEmptyFilesAreNotTakenForGzip) {
  EXPECT_EQ(ReadLines("").lines.size(), 0U);
  EXPECT_EQ(ReadLines("x").lines, (std::vector<std::string>{"x"}));
  EXPECT_EQ(ReadLines("\x1f").lines, (std::vector<std::string>{"\x1f"}));
}

TEST(InputTest, ATruncatedGzipIsAnErrorWhereverItIsCut) {
  const std::string packed = Gzip(ManyLines(500));
  for (std::size_t size = 2; size < packed.size(); size += 37) {
    EXPECT_EQ(ReadLines(packed.substr(0, size)).error,
              "the gzip data ends in the middle: truncated?")
        << size;
  }
}

TEST(InputTest, ADamagedGzipIsAnError) {
  std::string packed = Gzip(ManyLines(500));
  packed[packed.size() - 6] ^= 1;  // in the checksum
  EXPECT_NE(ReadLines(packed).error.find("the gzip data is damaged"),
            std::string::npos);
  EXPECT_NE(ReadLines(Gzip("a\n") + "garbage").error.find("damaged"),
            std::string::npos);
}

TEST(InputTest, GzipMayComeByteByByte) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const std::string packed = Gzip("one\ntwo\n");
  std::size_t sent = 0;
  LineReader reader(
      Unpacked(FileBytes(ends[0], true)),
      [&](const StillWaits&) {
        if (sent < packed.size()) {
          EXPECT_EQ(::write(ends[1], packed.data() + sent, 1), 1);
        }
        if (++sent == packed.size()) ::close(ends[1]);
        return Ok();
      },
      nullptr, LineReader::kMaxLine);
  EXPECT_EQ(reader.Next(), "one");
  EXPECT_EQ(reader.Next(), "two");
  EXPECT_FALSE(reader.Next());
  EXPECT_TRUE(reader.status());
}

}  // namespace
}  // namespace sotto
