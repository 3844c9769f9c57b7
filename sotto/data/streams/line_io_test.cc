#include "sotto/data/streams/line_io.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sotto/data/streams/byte_source.h"

namespace sotto {
namespace {

class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe2(ends_, O_CLOEXEC), 0); }
  ~Pipe() {
    ::close(ends_[0]);
    CloseWriter();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int reader() const { return ends_[0]; }
  int writer() const { return ends_[1]; }
  void Write(const std::string& text) const {
    EXPECT_EQ(::write(ends_[1], text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
  }
  void CloseWriter() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  int ends_[2] = {-1, -1};
};

std::vector<std::string> ReadAll(const std::string& text) {
  Pipe pipe;
  pipe.Write(text);
  pipe.CloseWriter();
  LineReader reader(pipe.reader(), [](const StillWaits&) { return Ok(); });
  std::vector<std::string> lines;
  while (const auto line = reader.Next()) lines.emplace_back(*line);
  EXPECT_TRUE(reader.status());
  EXPECT_EQ(reader.line_number(), lines.size());
  return lines;
}

TEST(LineReaderTest, SplitsAtNewlinesAndKeepsALastLineWithoutOne) {
  EXPECT_EQ(ReadAll(""), (std::vector<std::string>{}));
  EXPECT_EQ(ReadAll("a\n"), (std::vector<std::string>{"a"}));
  EXPECT_EQ(ReadAll("a\n\nb"), (std::vector<std::string>{"a", "", "b"}));
  EXPECT_EQ(ReadAll("a\r\nb\r\n"), (std::vector<std::string>{"a", "b"}));
}

TEST(LineReaderTest, ALineMayBeLongerThanOneRead) {
  Pipe pipe;
  const std::string half(40'000, 'x');
  LineReader reader(pipe.reader(), [&](const StillWaits&) {
    pipe.Write(half + "\n");
    return Ok();
  });
  pipe.Write(half);
  const auto line = reader.Next();
  ASSERT_TRUE(line);
  EXPECT_EQ(line->size(), 80'000U);
}

TEST(LineReaderTest, SaysSoBeforeItWaitsAndOnlyThen) {
  Pipe pipe;
  int waits = 0;
  LineReader reader(pipe.reader(), [&](const StillWaits&) {
    ++waits;
    pipe.Write("late\n");
    return Ok();
  });
  pipe.Write("one\ntwo\n");
  EXPECT_EQ(*reader.Next(), "one");
  EXPECT_EQ(*reader.Next(), "two");
  EXPECT_EQ(waits, 0);
  EXPECT_EQ(*reader.Next(), "late");
  EXPECT_EQ(waits, 1);
}

TEST(LineReaderTest, AStopFlagEndsTheInputQuietly) {
  Pipe pipe;
  pipe.Write("one\ntwo\n");
  volatile std::sig_atomic_t stop = 0;
  LineReader reader(
      pipe.reader(), [](const StillWaits&) { return Ok(); }, &stop);
  EXPECT_EQ(*reader.Next(), "one");
  stop = 1;
  EXPECT_FALSE(reader.Next());
  EXPECT_TRUE(reader.status());
  EXPECT_EQ(reader.line_number(), 1U);
}

TEST(LineReaderTest, WhoIsToldOfAWaitMayAskHowLongItLasts) {
  Pipe pipe;
  LineReader reader(pipe.reader(), [&](const StillWaits& waits) {
    EXPECT_TRUE(waits(1));
    pipe.Write("late\n");
    EXPECT_FALSE(waits(60'000));
    return Ok();
  });
  EXPECT_EQ(*reader.Next(), "late");
}

TEST(LineReaderTest, AFailureBeforeWaitingEndsTheInput) {
  Pipe pipe;
  LineReader reader(pipe.reader(), [](const StillWaits&) {
    return Status(InvalidArgument("x"));
  });
  EXPECT_FALSE(reader.Next());
  EXPECT_FALSE(reader.status());
}

// Gives its bytes a few at a time.
class SlowBytes final : public ByteSource {
 public:
  SlowBytes(std::string bytes, std::size_t step)
      : bytes_(std::move(bytes)), step_(step) {}
  bool WouldWait(int) override { return false; }
  Result<Got> Read(std::span<char> into) override {
    const std::size_t size =
        std::min({step_, into.size(), bytes_.size() - given_});
    std::copy_n(bytes_.data() + given_, size, into.data());
    given_ += size;
    return Got{size, size == 0};
  }

 private:
  std::string bytes_;
  std::size_t step_;
  std::size_t given_ = 0;
};

TEST(LineReaderTest, ALongLineCanBeCutHoweverItComes) {
  constexpr std::size_t kMost = 100;
  for (const std::size_t size : {99U, 100U, 101U, 102U, 1000U}) {
    for (const std::size_t step : {1U, 7U, 100U, 101U, 102U, 10'000U}) {
      LineReader reader(
          std::make_unique<SlowBytes>(std::string(size, 'x') + "\nnext\n" +
                                          std::string(300, 'z') + "\nlast" +
                                          std::string(300, 'y'),
                                      step),
          [](const StillWaits&) { return Ok(); }, nullptr, kMost,
          LineReader::LongLines::kCut);
      EXPECT_EQ(reader.Next(), std::string(std::min(size, kMost), 'x'));
      EXPECT_EQ(reader.cut(), size > kMost);
      EXPECT_EQ(reader.Next(), "next");
      EXPECT_FALSE(reader.cut());
      EXPECT_EQ(reader.Next(), std::string(kMost, 'z'));
      EXPECT_EQ(reader.Next(), "last" + std::string(kMost - 4, 'y'));
      EXPECT_EQ(reader.line_number(), 4U);
      EXPECT_FALSE(reader.Next());
      EXPECT_TRUE(reader.status());
    }
  }
}

TEST(LineWriterTest, WritesWhenAskedAndWhenMuchHasGathered) {
  Pipe pipe;
  LineWriter writer(pipe.writer());
  writer.Number(-12);
  writer.Text(" ok");
  ASSERT_TRUE(writer.EndLine());
  char text[16] = {};
  ASSERT_EQ(::fcntl(pipe.reader(), F_SETFL, O_NONBLOCK), 0);
  EXPECT_LT(::read(pipe.reader(), text, sizeof(text)), 0);
  ASSERT_TRUE(writer.Flush());
  EXPECT_EQ(::read(pipe.reader(), text, sizeof(text)), 7);
  EXPECT_EQ(std::string(text), "-12 ok\n");
}

TEST(LineWriterTest, AClosedOutputIsAnError) {
  LineWriter writer(-1);
  writer.Text("x");
  EXPECT_FALSE(writer.Flush());
}

TEST(LineWriterTest, WhatWasWrittenIsNotWrittenAgainAfterAFailure) {
  Pipe pipe;
  ASSERT_EQ(::fcntl(pipe.writer(), F_SETFL, O_NONBLOCK), 0);
  ASSERT_EQ(::fcntl(pipe.reader(), F_SETFL, O_NONBLOCK), 0);
  LineWriter writer(pipe.writer());
  std::string sent;
  for (int i = 0; i < 60'000; ++i) sent += std::to_string(i) + "\n";
  writer.Text(sent);
  std::string got;
  std::string piece(1 << 16, '\0');
  bool done = false;
  while (!done) {
    done = writer.Flush().has_value();  // the pipe is full, and no longer
    EXPECT_FALSE(writer.closed());
    ssize_t size = 0;
    while ((size = ::read(pipe.reader(), piece.data(), piece.size())) > 0) {
      got.append(piece, 0, static_cast<std::size_t>(size));
    }
  }
  EXPECT_EQ(got, sent);
}

TEST(ParseCountTest, TakesNonNegativeIntegersAndNothingElse) {
  EXPECT_EQ(ParseCount("0"), 0);
  EXPECT_EQ(ParseCount(" 17\t"), 17);
  EXPECT_EQ(ParseCount("9223372036854775807"), 9223372036854775807LL);
  for (const char* bad : {"", " ", "-1", "-0", "+1", "1.5", "1e3", "x", "1 2",
                          "9223372036854775808", "0x10", "nan"}) {
    EXPECT_FALSE(ParseCount(bad)) << bad;
  }
}

TEST(ParseRealTest, TakesFiniteDecimalsAndNothingElse) {
  EXPECT_EQ(ParseReal("0"), 0.0);
  EXPECT_EQ(ParseReal(" -1.5e3\t"), -1500.0);
  EXPECT_EQ(ParseReal("+.25"), 0.25);
  for (const char* bad : {"", " ", "x", "1,5", "1 2", "nan", "inf", "-inf",
                          "1e999", "0x10", "--1"}) {
    EXPECT_FALSE(ParseReal(bad)) << bad;
  }
}

}  // namespace
}  // namespace sotto
