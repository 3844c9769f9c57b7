// Tests Theorem 1.11 on streams of 196 to 3,844 steps.
#include "sotto/audit/games/point_learner_adversary.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "sotto/audit/games/game.h"
#include "sotto/audit/games/oblivious.h"
#include "sotto/audit/games/view.h"
#include "sotto/audit/statistics/confidence.h"
#include "sotto/random/chacha_rng.h"

namespace sotto {
namespace {

ChaChaRng Stream(std::uint64_t seed) {
  const std::array<std::byte, Key::kBytes> zeros{};
  return ChaChaRng(Key::FromBytes(zeros).Derive("points-test", "rng", {seed}));
}

// A simple private learner: from a random step on, a point is always predicted
// 1. Every example of it with label 1 multiplies the small chance of that step
// by e^epsilon. One example more or less changes the distribution of that step
// by e^epsilon one way, and the other way by at most e^(k (q' - q) / (1 - q')),
// which is less while the chances are below epsilon / k.
struct CautiousLearner {
  static constexpr double kEpsilon = 0.1;
  double chance = 0;  // in a step, at first
  struct Point {
    int ones = 0;
    std::uint64_t step = 0;  // coins drawn up to this step
    bool called = false;
  };
  std::uint64_t step = 1;
  std::map<std::int64_t, Point> points = {};

  Result<bool> Says(std::int64_t asked, Rng& rng) {
    Point& point = points[asked];
    const double now = chance * std::exp(kEpsilon * point.ones);
    for (; point.step < step; ++point.step) {
      const double coin = static_cast<double>(rng.Next() >> 11) * 0x1p-53;
      point.called = point.called || coin < now;
    }
    return point.called;
  }
  Result<std::int64_t> Step(const PointExample& example, Rng& rng) {
    const bool says = *Says(example.point, rng);
    ++step;
    points[example.point].ones += example.label ? 1 : 0;
    return says ? 1 : 0;
  }
};

// Not private: one mistake and no more.
struct RemembersAll {
  std::optional<std::int64_t> point = {};
  Result<bool> Says(std::int64_t asked, Rng&) { return point == asked; }
  Result<std::int64_t> Step(const PointExample& example, Rng&) {
    const bool says = point == example.point;
    if (example.label) point = example.point;
    return says ? 1 : 0;
  }
};

std::uint64_t Mistakes(const PointLearnerAdversary& adversary, auto learner,
                       Rng& rng) {
  std::uint64_t mistakes = 0;
  for (const PointExample& example : adversary.Stream(rng)) {
    const auto answer = learner.Step(example, rng);
    EXPECT_TRUE(answer);
    mistakes += (*answer != 0) != example.label ? 1 : 0;
  }
  return mistakes;
}

// As printed: [Counters] Thm 1.11: the adversary of the proof.
TEST(PointLearnerAdversaryTest, HidesItsOnesFromALearnerThatDoesNotGamble) {
  constexpr int kOnes = 5;
  constexpr double kChance = 0.0002;
  ChaChaRng rng = Stream(1);
  const auto adversary = PointLearnerAdversary::Build(
      {.ones = kOnes, .samples = 200, .gamble = 0.5},
      [] { return CautiousLearner{kChance}; }, rng);
  ASSERT_TRUE(adversary);
  ASSERT_FALSE(adversary->gambles());
  EXPECT_EQ(adversary->root(), 62u);
  // On the stream without its point, over 62 steps, independent of the
  // estimate.
  const double early = 1 - std::pow(1 - kChance, 62);
  const double at_least =
      AllMistakenAtLeast(CautiousLearner::kEpsilon, 0, early, kOnes);
  EXPECT_GT(at_least, 0.9);
  std::uint64_t all = 0;
  constexpr std::uint64_t kGames = 4000;
  for (std::uint64_t game = 0; game < kGames; ++game) {
    all += Mistakes(*adversary, CautiousLearner{kChance}, rng) >= kOnes ? 1 : 0;
  }
  EXPECT_GE(ClopperPearsonUpper(all, kGames, 1e-6), at_least);
}

TEST(PointLearnerAdversaryTest, ALearnerThatGamblesMakesMistakesOnZeros) {
  constexpr double kGamble = 0.05;
  ChaChaRng rng = Stream(2);
  const auto fresh = [] { return CautiousLearner{0.0015}; };
  const auto adversary = PointLearnerAdversary::Build(
      {.ones = 3, .samples = 200, .gamble = kGamble}, fresh, rng);
  ASSERT_TRUE(adversary);
  EXPECT_TRUE(adversary->gambles());
  EXPECT_GE(adversary->least_gamble(), kGamble);
  // Expected: theta k = 0.7, and in fact more, because a prediction of 1 is
  // kept.
  std::uint64_t mistakes = 0;
  constexpr int kGames = 500;
  for (int game = 0; game < kGames; ++game) {
    mistakes += Mistakes(*adversary, fresh(), rng);
  }
  EXPECT_GE(static_cast<double>(mistakes) / kGames,
            kGamble * static_cast<double>(adversary->root()) / 2);
}

TEST(PointLearnerAdversaryTest, ALearnerThatIsNotPrivateMakesOneMistake) {
  ChaChaRng rng = Stream(3);
  const auto adversary = PointLearnerAdversary::Build(
      {.ones = 5, .samples = 20}, [] { return RemembersAll{}; }, rng);
  ASSERT_TRUE(adversary);
  ASSERT_FALSE(adversary->gambles());
  EXPECT_EQ(adversary->hard().inserted.size(), 5u);
  EXPECT_EQ(Mistakes(*adversary, RemembersAll{}, rng), 1u);
}

TEST(PointLearnerAdversaryTest, NeighboursDifferInOneExample) {
  ChaChaRng rng = Stream(4);
  const auto adversary = PointLearnerAdversary::Build(
      {.ones = 3, .samples = 20}, [] { return RemembersAll{}; }, rng);
  ASSERT_TRUE(adversary);
  const PointExample one{adversary->point(), true};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto moves = adversary->Neighbours(i);
    std::size_t ones = 0;
    for (const auto& move : moves) ones += move.zero == one ? 1 : 0;
    EXPECT_EQ(ones, i);
    // By the rules, as a game.
    struct Player : RemembersAll {
      bool halted() const { return false; }
    } player;
    Oblivious<PointExample> adversary_of(moves);
    View view;
    EXPECT_TRUE(PlayGame<PointExample>(game::Online{.rounds = moves.size()},
                                       true, player, adversary_of, rng, view));
    EXPECT_EQ(view.rounds(), moves.size());
  }
}

TEST(PointLearnerAdversaryTest, ALearnerThatFailsIsNoLearner) {
  struct Fails {
    Result<bool> Says(std::int64_t, Rng&) { return InvalidArgument("no"); }
    Result<std::int64_t> Step(const PointExample&, Rng&) { return 0; }
  };
  ChaChaRng rng = Stream(5);
  EXPECT_FALSE(PointLearnerAdversary::Build(
      {.ones = 2, .samples = 1}, [] { return Fails{}; }, rng));
}

}  // namespace
}  // namespace sotto
