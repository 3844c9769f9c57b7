#include "sotto/mechanisms/mirrors/random_step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sotto/mechanisms/mirrors/mirror_test_chain.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

TEST(RandomStepTest, MakesAsFewMistakesAsTheTableSays) {
  // Expected and worst case at delta = 1e-6; the plain geometric rise, without
  // the addend of step 4, needs 188, 97, 56, 24, 9 and 6.
  const struct {
    double epsilon;
    double mistakes;
    std::uint64_t worst;
  } rows[] = {{0.72, 131.8, 164}, {0.75, 76.7, 100}, {0.8, 48.1, 67},
              {1, 22.2, 36},      {2, 8.4, 16},      {3, 5.9, 11}};
  for (const auto& row : rows) {
    const auto mirror =
        RandomStep::Create({.epsilon = row.epsilon, .delta = 1e-6});
    ASSERT_TRUE(mirror);
    EXPECT_LE(mirror->expected_mistakes(), row.mistakes);
    EXPECT_LE(mirror->worst_mistakes(), row.worst);
    EXPECT_LE(mirror->guarantee().delta(), 1e-6);
  }
}

// Every play of the whole stream, up to the last step that can be silent, in
// rationals, against the worst adversary.
TEST(RandomStepTest, TheExactGameConfirmsTheGuarantee) {
  for (const double epsilon : {1.0, 2.0}) {
    const auto mirror = RandomStep::Create({.epsilon = epsilon, .delta = 1e-6});
    ASSERT_TRUE(mirror);
    const int horizon = static_cast<int>(mirror->worst_mistakes()) + 2;
    ExactGame game(
        ChallengeDistribution(MakeChain<ExactNumber>(mirror->distribution())),
        horizon);
    const auto delta = game.Delta(ExactNumber(ExpDown(epsilon)));
    ASSERT_TRUE(delta) << delta.error().message;
    EXPECT_TRUE(*delta <= ExactNumber(mirror->guarantee().delta()));
    EXPECT_TRUE(*delta >= ExactNumber(0.999e-6));  // And no slack is left.
  }
}

TEST(RandomStepTest, DeltaIsExactForAnyDistributionInBothDirections) {
  const auto distribution = MirrorDistribution::Create(1, {1, 5, 9, 3, 7, 2});
  ExactGame game(ChallengeDistribution(MakeChain<ExactNumber>(*distribution)),
                 8);
  for (const double epsilon : {0.1, 0.5, 1.0}) {
    const auto deltas = RandomStep::ComputeDelta(*distribution, epsilon);
    const ExactNumber bound(ExpDown(epsilon));
    const auto forward = game.Delta(bound, Direction::kPOverQ);
    const auto backward = game.Delta(bound, Direction::kQOverP);
    EXPECT_NEAR(static_cast<double>(*forward), deltas.one_over_zero, 1e-14);
    EXPECT_NEAR(static_cast<double>(*backward), deltas.zero_over_one, 1e-14);
    EXPECT_TRUE(*forward <= ExactNumber(deltas.one_over_zero));
    EXPECT_TRUE(*backward <= ExactNumber(deltas.zero_over_one));
  }
}

TEST(RandomStepTest, ABrokenVariantThatRisesByEToTheEpsilonIsRefuted) {
  const double bound = std::exp(1.0);
  const auto distribution =
      MirrorDistribution::Create(1, HumpWeights({.start = 1e-6L,
                                                 .growth = bound,
                                                 .cap = bound,
                                                 .decay = 1 / bound,
                                                 .end = 1e-6L}));
  ASSERT_TRUE(distribution);
  ExactGame game(ChallengeDistribution(MakeChain<double>(*distribution)),
                 static_cast<int>(distribution->last()) + 2);
  const auto delta = game.Delta(bound);
  ASSERT_TRUE(delta);
  EXPECT_GT(*delta, 0.1);
  EXPECT_GT(RandomStep::ComputeDelta(*distribution, 1).one_over_zero, 0.1);
}

TEST(RandomStepTest, AnswersBottomToZerosAndToTheFirstOnes) {
  auto mirror =
      RandomStep::Create({.epsilon = 1, .delta = 1e-6, .delay = 1000});
  ASSERT_TRUE(mirror);
  testing::SeededRng rng(1);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(mirror->Next(false, rng));
    EXPECT_FALSE(mirror->Next(true, rng));
  }
  std::uint64_t mistakes = 1000;
  while (!mirror->Next(true, rng)) ++mistakes;
  EXPECT_LE(mistakes, mirror->worst_mistakes());
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(mirror->Next(true, rng));
    EXPECT_FALSE(mirror->Next(false, rng));
  }
}

TEST(RandomStepTest, ASavedStateGoesOnWhereItStopped) {
  const RandomStep::Params params{.epsilon = 1, .delta = 1e-6};
  auto mirror = RandomStep::Create(params);
  ASSERT_TRUE(mirror);
  testing::SeededRng rng(2);
  for (int i = 0; i < 5; ++i) mirror->Next(true, rng);
  ByteWriter writer;
  mirror->Save(writer);
  ByteReader reader(writer.bytes());
  auto loaded = RandomStep::Load(params, reader);
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(reader.Finish());
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(mirror->Next(true, rng), loaded->Next(true, rng));
  }
}

TEST(RandomStepTest, RefusesWhatItCannotPromise) {
  EXPECT_FALSE(RandomStep::Create({.epsilon = 0.6, .delta = 1e-6}));
  EXPECT_FALSE(RandomStep::Create({.epsilon = 1, .delta = 0}));
  EXPECT_FALSE(RandomStep::Create({.epsilon = 1, .delta = 1e-6, .delay = 0}));
  EXPECT_FALSE(RandomStep::Create({.epsilon = NAN, .delta = 1e-6}));
}

TEST(RandomStepTest, RefusesStatesThatItDidNotWrite) {
  const RandomStep::Params params{.epsilon = 1, .delta = 1e-6};
  ByteWriter fresh;
  RandomStep::Create(params)->Save(fresh);
  const auto load = [&](std::uint8_t drawn, std::uint64_t left) {
    ByteWriter tail;
    tail.Number(drawn);
    tail.Number(left);
    const std::string head = fresh.bytes().substr(0, fresh.bytes().size() - 9);
    const std::string bytes = head + tail.bytes();
    ByteReader reader(bytes);
    return RandomStep::Load(params, reader);
  };
  EXPECT_TRUE(load(1, 5));
  EXPECT_EQ(load(1, 1000000).error().code, ErrorCode::kCorruption);
  EXPECT_EQ(load(0, 5).error().code, ErrorCode::kCorruption);
  EXPECT_EQ(load(2, 5).error().code, ErrorCode::kCorruption);
}

}  // namespace
}  // namespace sotto
