// Theorem 1.11 against a learner that is shipped and publishes.
#include "sotto/audit/hard_points.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include "sotto/audit/statistics/confidence.h"
#include "sotto/learners/classes/finite_class.h"
#include "sotto/models/littlestone/finite_class_learner.h"
#include "sotto/models/littlestone/finite_class_plan.h"

namespace sotto {
namespace {

constexpr int kOnes = 3;
constexpr double kEpsilon = 0.5;
constexpr double kDelta = 1e-4;

struct Published {
  FiniteClassLearner learner;

  Result<bool> Says(std::int64_t point, Rng&) {
    return learner.hypothesis()[static_cast<std::size_t>(point)];
  }
  Result<std::int64_t> Step(const PointExample& example, Rng& rng) {
    const auto round =
        learner.Open(static_cast<std::uint32_t>(example.point), rng);
    learner.Close(round, example.label);
    return round.prediction ? 1 : 0;
  }
};

FiniteClassLearner::Params MakeParams(double epsilon) {
  // k^2 points and 0.
  const auto functions =
      std::make_shared<const FiniteClass>(*FiniteClass::Named("points", 197));
  return *ChooseFiniteClass(
      {.functions = functions, .user = {epsilon, kDelta}, .horizon = 196});
}

// The number of games in which all ones were mistakes.
std::uint64_t AllMistaken(const PointLearnerAdversary& adversary,
                          const FiniteClassLearner::Params& params,
                          std::uint64_t games, Rng& rng) {
  std::uint64_t all = 0;
  for (std::uint64_t game = 0; game < games; ++game) {
    Published learner{*FiniteClassLearner::Create(params)};
    int noticed = 0;
    for (const PointExample& example : adversary.Stream(rng)) {
      const auto answer = learner.Step(example, rng);
      noticed += example.label && *answer == 1 ? 1 : 0;
    }
    all += noticed == 0 ? 1 : 0;
  }
  return all;
}

TEST(HardPointsStatisticalTest, APublishedLearnerMakesTheMistakesOfTheTheorem) {
  ChaChaRng rng(KnownKey().Derive("test", "hard-points", {}));
  const FiniteClassLearner::Params params = MakeParams(kEpsilon);
  const auto adversary = PointLearnerAdversary::Build(
      {.ones = kOnes, .samples = 200, .gamble = 0.1},
      [&] { return Published{*FiniteClassLearner::Create(params)}; }, rng);
  ASSERT_TRUE(adversary);
  ASSERT_FALSE(adversary->gambles());
  // Upper bound of the chance that the point is predicted 1 too early.
  constexpr std::uint64_t kSamples = 200;
  const auto early = static_cast<std::uint64_t>(
      std::llround(adversary->hard().halts_on_zeros * kSamples));
  const double at_least = AllMistakenAtLeast(
      kEpsilon, kDelta, ClopperPearsonUpper(early, kSamples, 1e-6 / 2), kOnes);
  EXPECT_GT(at_least, 0.1);
  constexpr std::uint64_t kGames = 400;
  const std::uint64_t all = AllMistaken(*adversary, params, kGames, rng);
  EXPECT_GE(ClopperPearsonUpper(all, kGames, 1e-6 / 2), at_least);
}

}  // namespace
}  // namespace sotto
