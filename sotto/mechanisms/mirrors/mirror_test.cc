#include "sotto/mechanisms/mirrors/mirror.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

TEST(MirrorTest, PicksTheMechanismWithTheFewestMistakes) {
  using Kind = Mirror::Kind;
  // Delta 1e-6. Asked for: 6, 9, 24, 81, 102, 163, 1300.
  const struct {
    double epsilon;
    double mistakes;
    Kind kind;
  } rows[] = {
      {3, 5.9, Kind::kRandomStep},        {2, 8.4, Kind::kRandomStep},
      {1, 22.2, Kind::kRandomStep},       {0.75, 69, Kind::kStaircaseMirror},
      {0.65, 87, Kind::kStaircaseMirror}, {0.5, 138, Kind::kStaircaseMirror},
      {0.25, 482, Kind::kStaircaseMirror}};
  for (const auto& row : rows) {
    const auto mirror = Mirror::Create({.epsilon = row.epsilon, .delta = 1e-6});
    ASSERT_TRUE(mirror) << mirror.error().message;
    EXPECT_EQ(mirror->kind(), row.kind);
    EXPECT_LE(mirror->expected_mistakes(), row.mistakes);
    EXPECT_EQ(mirror->guarantee().epsilon(), row.epsilon);
    EXPECT_LE(mirror->guarantee().delta(), 1e-6);
    EXPECT_EQ(mirror->guarantee().notion(), Notion::kChallengeDp);
  }
}

TEST(MirrorTest, ServesEveryDelta) {
  double last = 0;
  for (const double delta : {1e-1, 1e-2, 1e-4, 1e-9, 1e-12}) {
    const auto mirror = Mirror::Create({.epsilon = 1, .delta = delta});
    ASSERT_TRUE(mirror);
    EXPECT_EQ(mirror->kind(), Mirror::Kind::kRandomStep);
    EXPECT_LE(mirror->guarantee().delta(), delta);
    EXPECT_GT(mirror->expected_mistakes(), last);
    last = mirror->expected_mistakes();
    const auto low = Mirror::Create({.epsilon = 0.5, .delta = delta});
    ASSERT_TRUE(low);
    EXPECT_LE(low->guarantee().delta(), delta);
    EXPECT_GT(low->expected_mistakes(), last);
  }
}

TEST(MirrorTest, OnlySomeKindsHaveAWorstCase) {
  const Mirror::Params params{.epsilon = 1, .delta = 1e-6};
  for (const auto kind :
       {Mirror::Kind::kRandomStep, Mirror::Kind::kSoftMirror}) {
    EXPECT_TRUE(Mirror::Create(params, kind)->worst_mistakes());
  }
  for (const auto kind :
       {Mirror::Kind::kStaircaseMirror, Mirror::Kind::kJdpMirror}) {
    EXPECT_FALSE(Mirror::Create(params, kind)->worst_mistakes());
  }
}

TEST(MirrorTest, EveryKindIsSavedAndLoaded) {
  const Mirror::Params params{.epsilon = 1, .delta = 1e-4, .delay = 4};
  for (const auto kind :
       {Mirror::Kind::kRandomStep, Mirror::Kind::kStaircaseMirror,
        Mirror::Kind::kJdpMirror, Mirror::Kind::kSoftMirror}) {
    auto mirror = Mirror::Create(params, kind);
    ASSERT_TRUE(mirror);
    testing::SeededRng rng(1);
    for (int i = 0; i < 20; ++i) mirror->Next(i % 3 != 0, rng);
    ByteWriter writer;
    mirror->Save(writer);
    ByteReader reader(writer.bytes());
    auto loaded = Mirror::Load(params, reader);
    ASSERT_TRUE(loaded);
    EXPECT_TRUE(reader.Finish());
    EXPECT_EQ(loaded->kind(), kind);
    testing::SeededRng rng_a(2);
    testing::SeededRng rng_b(2);
    for (int i = 0; i < 300; ++i) {
      EXPECT_EQ(mirror->Next(true, rng_a), loaded->Next(true, rng_b));
    }
  }
}

// The word that the stream gives after `steps` steps whose bits are `bit`.
template <typename Bit>
std::uint64_t WordAfter(Mirror mirror, int steps, const Bit& bit) {
  testing::SeededRng rng(4);
  for (int i = 0; i < steps; ++i) mirror.Next(bit(i), rng);
  return rng.Next();
}

// When and how much is drawn must not depend on the bits, nor on how far the
// secret counters are: it can be seen in the time of a step.
TEST(MirrorTest, HowMuchIsDrawnDependsOnTheNumberOfStepsAlone) {
  for (const auto kind :
       {Mirror::Kind::kRandomStep, Mirror::Kind::kStaircaseMirror,
        Mirror::Kind::kJdpMirror, Mirror::Kind::kSoftMirror}) {
    const auto mirror = Mirror::Create({.epsilon = 1, .delta = 1e-4}, kind);
    ASSERT_TRUE(mirror);
    for (const int steps : {1, 2, 3, 10, 30, 100, 1000}) {
      const auto zeros = WordAfter(*mirror, steps, [](int) { return false; });
      EXPECT_EQ(WordAfter(*mirror, steps, [](int) { return true; }), zeros);
      EXPECT_EQ(WordAfter(*mirror, steps, [](int i) { return i % 5 == 3; }),
                zeros);
    }
  }
}

TEST(MirrorTest, AStateOfOtherParametersIsRefused) {
  const Mirror::Params params{.epsilon = 1, .delta = 1e-4, .delay = 4};
  for (const auto kind :
       {Mirror::Kind::kRandomStep, Mirror::Kind::kStaircaseMirror,
        Mirror::Kind::kJdpMirror, Mirror::Kind::kSoftMirror}) {
    auto mirror = Mirror::Create(params, kind);
    ASSERT_TRUE(mirror);
    testing::SeededRng rng(1);
    for (int i = 0; i < 9; ++i) mirror->Next(true, rng);
    ByteWriter writer;
    mirror->Save(writer);
    const auto code = [](const Mirror::Params& other, const std::string& s) {
      ByteReader reader(s);
      return Mirror::Load(other, reader).error().code;
    };
    auto other = params;
    other.epsilon = 1.01;
    EXPECT_EQ(code(other, writer.bytes()), ErrorCode::kFailedPrecondition);
    other = params;
    other.delta = 2e-4;
    EXPECT_EQ(code(other, writer.bytes()), ErrorCode::kFailedPrecondition);
    other = params;
    other.delay = 5;
    EXPECT_EQ(code(other, writer.bytes()), ErrorCode::kFailedPrecondition);
    // Another class, and other tables: the kind comes first, then the tag with
    // its length, three numbers and the digest.
    std::string bytes = writer.bytes();
    bytes[0] = static_cast<char>((bytes[0] + 1) % 4);
    EXPECT_EQ(code(params, bytes), ErrorCode::kFailedPrecondition);
    bytes = writer.bytes();
    const auto tag = static_cast<std::size_t>(bytes[1]);
    bytes[1 + 8 + tag + 24] ^= 1;
    EXPECT_EQ(code(params, bytes), ErrorCode::kFailedPrecondition);
    EXPECT_EQ(code(params, writer.bytes().substr(0, 60)),
              ErrorCode::kCorruption);
  }
}

TEST(MirrorTest, RefusesBadParametersAndBadBytes) {
  EXPECT_FALSE(Mirror::Create({.epsilon = 0.01, .delta = 1e-6}));
  EXPECT_FALSE(Mirror::Create({.epsilon = INFINITY, .delta = 1e-6}));
  EXPECT_FALSE(Mirror::Create({.epsilon = 1, .delta = 0.5}));
  EXPECT_FALSE(Mirror::Create({.epsilon = 1, .delta = 1e-6, .delay = 0}));
  ByteReader nothing("");
  EXPECT_FALSE(Mirror::Load({.epsilon = 1, .delta = 1e-6}, nothing));
  ByteReader strange("\x07junk");
  EXPECT_EQ(Mirror::Load({.epsilon = 1, .delta = 1e-6}, strange).error().code,
            ErrorCode::kCorruption);
}

// The number of mistakes over 4000 streams; its mean lies within 5 standard
// errors of the formula with probability above 1 - 1e-6.
TEST(MirrorStatisticalTest, MakesTheExpectedNumberOfMistakes) {
  constexpr int kRuns = 4000;
  testing::SeededRng rng(3);
  for (const auto kind :
       {Mirror::Kind::kRandomStep, Mirror::Kind::kStaircaseMirror,
        Mirror::Kind::kJdpMirror, Mirror::Kind::kSoftMirror}) {
    const auto fresh = Mirror::Create({.epsilon = 0.75, .delta = 1e-6}, kind);
    ASSERT_TRUE(fresh);
    double sum = 0;
    double squares = 0;
    for (int run = 0; run < kRuns; ++run) {
      Mirror mirror = *fresh;
      double mistakes = 0;
      for (int i = 0; i < 2000; ++i) mistakes += mirror.Next(true, rng) ? 0 : 1;
      sum += mistakes;
      squares += mistakes * mistakes;
    }
    const double mean = sum / kRuns;
    const double deviation = std::sqrt(squares / kRuns - mean * mean);
    EXPECT_NEAR(mean, fresh->expected_mistakes(),
                5.2 * deviation / std::sqrt(kRuns));
  }
}

}  // namespace
}  // namespace sotto
