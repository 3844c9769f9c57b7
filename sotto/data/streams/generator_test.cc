#include "sotto/data/streams/generator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "sotto/data/streams/example_reader.h"

namespace sotto {
namespace {

using Params = StreamGenerator::Params;

constexpr StreamKind kAll[] = {
    StreamKind::kThreshold, StreamKind::kPoint,     StreamKind::kRectangle,
    StreamKind::kStump,     StreamKind::kHalfspace, StreamKind::kDecisionList};

std::string Text(const Params& params, StreamFormat format, int rows) {
  auto stream = StreamGenerator::Create(params);
  EXPECT_TRUE(stream) << stream.error().message;
  std::string text = stream->Header(format);
  for (int i = 0; i < rows; ++i) stream->AppendRow(format, text);
  return text;
}

std::vector<Round> Examples(const Params& params, int rows) {
  auto stream = StreamGenerator::Create(params);
  EXPECT_TRUE(stream) << stream.error().message;
  std::vector<Round> examples(static_cast<std::size_t>(rows));
  for (Round& example : examples) stream->Next(example);
  return examples;
}

std::vector<Round> Parsed(const std::string& text, StreamFormat format,
                          std::uint32_t features) {
  const std::string path =
      testing::TempDir() + "generator_" +
      testing::UnitTest::GetInstance()->current_test_info()->name();
  std::ofstream(path, std::ios::binary) << text;
  auto reader =
      ExampleReader::Open({.path = path,
                           .format = format,
                           .encoding = {.hash_bits = 0, .features = features}});
  EXPECT_TRUE(reader) << reader.error().message;
  std::vector<Round> examples;
  Round example;
  while (true) {
    const auto more = reader->Next(example);
    EXPECT_TRUE(more) << more.error().message;
    if (!more || !*more) return examples;
    examples.push_back(example);
  }
}

struct Golden {
  StreamKind kind;
  const char* text;
};

// These bytes are a promise: publishing a seed publishes the stream.
TEST(StreamGeneratorTest, TheSameSeedGivesTheSameBytesForEver) {
  const Golden goldens[] = {
      {StreamKind::kThreshold,
       "x,y\n"
       "0.92470999075359494,1\n"
       "0.53488733139406969,0\n"},
      {StreamKind::kPoint,
       "x,y\n"
       "991982,0\n"
       "268648,0\n"},
      {StreamKind::kRectangle,
       "x1,x2,y\n"
       "0.47699413402901803,0.65028807948281133,1\n"
       "0.04972637325362227,0.82828369621810248,0\n"},
      {StreamKind::kStump,
       "x1,x2,x3,x4,x5,x6,x7,x8,x9,x10,y\n"
       "0.76688079883899433,0.11763376448955629,0.87221611271705867,"
       "0.77551349667598591,0.74425921770975818,0.85545250818179044,"
       "0.13961517425473350,0.04880363569963280,0.09728431870089916,"
       "0.22278678334271884,1\n"
       "0.46658570475387837,0.39141427935877646,0.89050621742991387,"
       "0.86710687868828326,0.39976387315163834,0.38278254634646202,"
       "0.65377946983019683,0.44530665890549782,0.94051169419891250,"
       "0.51741827303797006,0\n"},
      {StreamKind::kHalfspace,
       "x1,x2,x3,x4,x5,x6,x7,x8,x9,x10,y\n"
       "1,1,1,-1,1,-1,1,-1,-1,1,0\n"
       "-1,-1,1,-1,1,-1,1,1,-1,-1,0\n"},
      {StreamKind::kDecisionList,
       "x1,x2,x3,x4,x5,x6,x7,x8,x9,x10,y\n"
       "1,1,1,1,1,0,0,1,0,0,1\n"
       "1,0,0,0,1,0,1,1,1,0,1\n"},
  };
  for (const Golden& golden : goldens) {
    EXPECT_EQ(Text({.kind = golden.kind, .seed = 7}, StreamFormat::kCsv, 2),
              golden.text);
  }
  EXPECT_EQ(Text({.kind = StreamKind::kHalfspace,
                  .seed = 7,
                  .features = 1000,
                  .nonzeros = 8},
                 StreamFormat::kVw, 2),
            "-1 | 254:1 335:-1 386:1 388:1 411:1 416:-1 814:1 904:-1\n"
            "-1 | 3:-1 335:-1 386:1 411:-1 416:-1 876:1 904:1 995:-1\n");
}

TEST(StreamGeneratorTest, AReaderOfTheTextGetsExactlyTheExamples) {
  for (const StreamKind kind : kAll) {
    const Params params{
        .kind = kind, .seed = 5, .noise = 0.1, .poison = 0.1, .drift = 70};
    const auto direct = Examples(params, 300);
    const auto features = StreamGenerator::Create(params)->features();
    for (const StreamFormat format :
         {StreamFormat::kCsv, StreamFormat::kLibsvm, StreamFormat::kVw,
          StreamFormat::kJsonl}) {
      auto expected = direct;
      // Only csv has a column for it.
      if (format != StreamFormat::kCsv) {
        for (Round& round : expected) round.honest.reset();
      }
      EXPECT_TRUE(Parsed(Text(params, format, 300), format, features) ==
                  expected)
          << Name(kind) << " " << static_cast<int>(format);
    }
  }
}

TEST(StreamGeneratorTest, SparseHalfspacesReadBackToo) {
  const Params params{.kind = StreamKind::kHalfspace,
                      .seed = 5,
                      .features = 1'000'000,
                      .nonzeros = 100};
  const auto direct = Examples(params, 50);
  for (const Round& example : direct) EXPECT_EQ(example.x.size(), 100U);
  for (const StreamFormat format : {StreamFormat::kLibsvm, StreamFormat::kVw}) {
    EXPECT_EQ(Parsed(Text(params, format, 50), format, 1'000'000), direct);
  }
  const auto stream = StreamGenerator::Create(params);
  EXPECT_FALSE(stream->CanWrite(StreamFormat::kCsv));
}

TEST(StreamGeneratorTest, ThresholdLabelsFollowOneThreshold) {
  double below = 0;
  double above = 1;
  for (const Round& example :
       Examples({.kind = StreamKind::kThreshold, .seed = 3}, 5000)) {
    ASSERT_EQ(example.x.size(), 1U);
    const double x = example.x[0].value;
    ASSERT_TRUE(x >= 0 && x < 1);
    if (example.y->positive()) above = std::min(above, x);
    if (!example.y->positive()) below = std::max(below, x);
  }
  EXPECT_LT(below, above);
  EXPECT_GE(above, 0.2);
  EXPECT_LE(below, 0.8);
}

TEST(StreamGeneratorTest, NoiseFlipsLabelsAndChangesNothingElse) {
  for (const StreamKind kind : kAll) {
    const auto clean = Examples({.kind = kind, .seed = 9}, 2000);
    const auto noisy = Examples({.kind = kind, .seed = 9, .noise = 0.25}, 2000);
    const auto all = Examples({.kind = kind, .seed = 9, .noise = 1}, 2000);
    int flipped = 0;
    for (std::size_t i = 0; i < clean.size(); ++i) {
      ASSERT_EQ(clean[i].x, noisy[i].x);
      flipped += clean[i].y != noisy[i].y ? 1 : 0;
      ASSERT_NE(clean[i].y, all[i].y);
    }
    EXPECT_NEAR(flipped, 500, 100);  // more than 5 standard deviations
  }
}

TEST(StreamGeneratorTest, PoisonReplacesItsShareAndLeavesTheOtherRows) {
  for (const StreamKind kind : kAll) {
    const auto clean = Examples({.kind = kind, .seed = 9}, 2000);
    const auto mixed =
        Examples({.kind = kind, .seed = 9, .poison = 0.25}, 2000);
    int changed = 0;
    for (std::size_t i = 0; i < clean.size(); ++i) {
      const bool same = clean[i].x == mixed[i].x && clean[i].y == mixed[i].y;
      changed += same ? 0 : 1;
      EXPECT_TRUE(same || mixed[i].honest == false);
    }
    EXPECT_NEAR(changed, 500, 100) << Name(kind);
  }
}

TEST(StreamGeneratorTest, PoisonedThresholdRowsLieAtTheBoundaryAndLie) {
  double above = 1;
  for (const Round& example : Examples({.seed = 4}, 20'000)) {
    if (example.y->positive()) above = std::min(above, example.x[0].value);
  }
  int wrong = 0;
  const auto poisoned = Examples({.seed = 4, .poison = 1}, 500);
  for (const Round& example : poisoned) {
    EXPECT_NEAR(example.x[0].value, above, 1e-3);
    wrong += example.y->positive() != (example.x[0].value >= above) ? 1 : 0;
  }
  EXPECT_GT(wrong, 200);  // `above` is only near the threshold
}

TEST(StreamGeneratorTest, EveryKindOfPoisonLeavesHonestRowsAsTheyAre) {
  for (const StreamKind kind : kAll) {
    const auto clean = Examples({.kind = kind, .seed = 9}, 500);
    for (const PoisonKind poison :
         {PoisonKind::kMislead, PoisonKind::kProbe, PoisonKind::kDuplicate,
          PoisonKind::kFlood, PoisonKind::kMixed}) {
      const Params params{
          .kind = kind, .seed = 9, .poison = 0.5, .poison_kind = poison};
      const auto mixed = Examples(params, 500);
      for (std::size_t i = 0; i < clean.size(); ++i) {
        if (*mixed[i].honest) {
          EXPECT_EQ(clean[i].x, mixed[i].x);
        }
      }
      EXPECT_EQ(mixed, Examples(params, 500)) << "the same seed";
      EXPECT_EQ(PoisonNamed(Name(poison)), poison);
    }
  }
  EXPECT_EQ(PoisonNamed("else"), std::nullopt);
}

TEST(StreamGeneratorTest, ProbesComeEverCloserAndBeginAgain) {
  double theta = 1;
  for (const Round& example : Examples({.seed = 4}, 20'000)) {
    if (example.y->positive()) theta = std::min(theta, example.x[0].value);
  }
  const auto probes =
      Examples({.seed = 4, .poison = 1, .poison_kind = PoisonKind::kProbe}, 88);
  double first = 0;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    const double distance = std::abs(probes[i].x[0].value - theta);
    EXPECT_LE(distance, 0.1 / static_cast<double>(1ULL << (i % 44)) + 1e-3);
    if (i % 44 == 0) first = std::max(first, distance);
  }
  EXPECT_GT(first, 0.005);
}

TEST(StreamGeneratorTest, DuplicatesAreOneRowAndFloodsStayInACorner) {
  const Params params{.kind = StreamKind::kRectangle, .seed = 4, .poison = 1};
  Params duplicate = params;
  duplicate.poison_kind = PoisonKind::kDuplicate;
  const auto copies = Examples(duplicate, 1001);
  EXPECT_EQ(copies[0], copies[999]);
  EXPECT_NE(copies[0].x, copies[1000].x);
  Params flood = params;
  flood.poison_kind = PoisonKind::kFlood;
  for (const Round& example : Examples(flood, 100)) {
    for (const Feature& feature : example.x) EXPECT_GT(feature.value, 0.998);
  }
}

TEST(StreamGeneratorTest, DriftRedrawsTheTarget) {
  const auto still = Examples({.seed = 4}, 3000);
  const auto moved = Examples({.seed = 4, .drift = 1000}, 3000);
  int changed[3] = {0, 0, 0};
  for (std::size_t i = 0; i < still.size(); ++i) {
    ASSERT_EQ(still[i].x, moved[i].x);
    changed[i / 1000] += still[i].y != moved[i].y ? 1 : 0;
  }
  EXPECT_EQ(changed[0], 0);
  EXPECT_GT(changed[1], 0);
  EXPECT_GT(changed[2], 0);
}

TEST(StreamGeneratorTest, ThePointIsOneInTwenty) {
  std::set<double> positive;
  int count = 0;
  for (const Round& example :
       Examples({.kind = StreamKind::kPoint, .seed = 2}, 4000)) {
    const double x = example.x[0].value;
    ASSERT_TRUE(x >= 0 && x <= 1e6 && x == std::floor(x));
    if (example.y->positive()) positive.insert(x);
    count += example.y->positive() ? 1 : 0;
  }
  EXPECT_EQ(positive.size(), 1U);
  EXPECT_NEAR(count, 200, 80);
}

TEST(StreamGeneratorTest, TheRectangleHoldsHalfOfTheCube) {
  for (const std::uint32_t features : {1U, 2U, 7U}) {
    int inside = 0;
    for (const Round& example : Examples(
             {.kind = StreamKind::kRectangle, .seed = 2, .features = features},
             4000)) {
      inside += example.y->positive() ? 1 : 0;
    }
    EXPECT_NEAR(inside, 2000, 190);
  }
}

TEST(StreamGeneratorTest, TheHalfspaceHasItsMargin) {
  const Params params{.kind = StreamKind::kHalfspace,
                      .seed = 6,
                      .features = 40,
                      .margin = 0.5,
                      .length = 7};
  const auto examples = Examples(params, 4000);
  // A relevant feature agrees with the label more often than not.
  std::vector<int> agreement(40, 0);
  for (const Round& example : examples) {
    for (const Feature& feature : example.x) {
      ASSERT_EQ(std::abs(feature.value), 1);
      agreement[feature.index] +=
          (feature.value > 0) == example.y->positive() ? 1 : -1;
    }
  }
  std::vector<std::size_t> relevant;
  for (std::size_t i = 0; i < 40; ++i) {
    if (agreement[i] > 1000) relevant.push_back(i);
  }
  ASSERT_EQ(relevant.size(), 7U);
  for (const Round& example : examples) {
    double product = 0;
    for (const std::size_t i : relevant) product += example.x[i].value / 7;
    ASSERT_GE(std::abs(product), 0.5);
    ASSERT_EQ(product > 0, example.y->positive());
  }
}

TEST(StreamGeneratorTest, ImpossibleParametersAreNamed) {
  const auto error = [](const Params& params) {
    const auto stream = StreamGenerator::Create(params);
    return stream ? "" : stream.error().message;
  };
  EXPECT_EQ(error({.noise = 1.5}), "noise must be a share in [0, 1]");
  EXPECT_EQ(error({.poison = -1}), "poison must be a share in [0, 1]");
  EXPECT_EQ(error({.features = 2}), "a threshold stream has one feature");
  EXPECT_EQ(error({.kind = StreamKind::kStump, .features = 0}),
            "features must be from 1 to 1e8");
  EXPECT_EQ(error({.kind = StreamKind::kHalfspace, .margin = 0}),
            "margin must be in (0, 1]");
  EXPECT_EQ(error({.kind = StreamKind::kDecisionList, .features = 3}),
            "length must be from 1 to the 3 features");
  EXPECT_EQ(error({.kind = StreamKind::kStump, .nonzeros = 3}),
            "nonzeros is for halfspace alone");
  EXPECT_EQ(error({.kind = StreamKind::kHalfspace, .nonzeros = 6}),
            "nonzeros must be at least the length and at most half the "
            "features");
}

}  // namespace
}  // namespace sotto
