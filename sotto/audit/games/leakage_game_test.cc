#include "sotto/audit/games/leakage_game.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "sotto/audit/games/leakage_adversaries.h"
#include "sotto/audit/games/leakage_predictors.h"
#include "sotto/audit/statistics/confidence.h"
#include "sotto/random/chacha_rng.h"

namespace sotto {
namespace {

ChaChaRng Stream(std::uint64_t seed) {
  const std::array<std::byte, Key::kBytes> zeros{};
  return ChaChaRng(Key::FromBytes(zeros).Derive("leakage-test", "rng", {seed}));
}

// The number of games that the adversary won, and a test, at a false-alarm rate
// of 1e-6, that it wins with probability 1/2 or more.
struct RunStats {
  std::uint64_t games = 0;
  std::uint64_t won = 0;
  bool leaking() const { return ClopperPearsonLower(won, games, 1e-6) > 0.5; }
};

TEST(LeakageGameTest, AMemorizingPredictorIsFoundByBisection) {
  ChaChaRng rng = Stream(1);
  View view;
  RunStats stats;
  for (; stats.games < 60; ++stats.games) {
    LearnsByHeart target;
    BoundaryAttack thief(30, 3);
    const auto won =
        PlayLeakage(LeakageRounds(30, 3), target, thief, rng, view);
    ASSERT_TRUE(won);
    stats.won += *won ? 1 : 0;
  }
  EXPECT_EQ(stats.won, stats.games);
  EXPECT_TRUE(stats.leaking());
}

RunStats AgainstSpeaker(const std::function<double(double)>& delta,
                        std::uint64_t challenges) {
  ChaChaRng rng = Stream(2);
  View view;
  RunStats stats;
  for (; stats.games < 1000; ++stats.games) {
    SpeaksRarely target{delta};
    DigitAttack thief{challenges};
    const auto won =
        PlayLeakage(LeakageRounds(challenges, 1), target, thief, rng, view);
    EXPECT_TRUE(won);
    stats.won += won && *won ? 1 : 0;
  }
  return stats;
}

// As printed: [PERP] Def. 3.4: the game, and the algorithm of Fact 3.5.
TEST(LeakageGameTest, AFixedDeltaLeaksFromOneOverDeltaRoundsOn) {
  const auto fixed = [](double) { return 0.002; };
  EXPECT_TRUE(AgainstSpeaker(fixed, 1000).leaking());
  EXPECT_FALSE(AgainstSpeaker(fixed, 50).leaking());
}

TEST(LeakageGameTest, ADeltaThatSumsUpToLittleDoesNotHoweverManyRounds) {
  // Together below 1/8.
  const auto falls = [](double i) { return 0.07 / (i * i); };
  const RunStats stats = AgainstSpeaker(falls, 3000);
  EXPECT_GT(stats.won, 0u);
  EXPECT_LT(stats.won, 200u);
  EXPECT_FALSE(stats.leaking());
}

// Names the last point it has seen.
struct Parrot {
  std::uint64_t ask = 1;
  std::optional<LeakageMove> Next(const View& view) const {
    if (view.rounds() == 0) return LeakageMove{.random = true};
    return LeakageMove{.input = {.point = ask}};
  }
  std::uint64_t Guess(const View& view) const {
    return static_cast<std::uint64_t>(view.seen.back());
  }
};

TEST(LeakageGameTest, OnlyARandomPointCountsAndTheMechanismAloneGetsIt) {
  struct Repeats {
    std::uint64_t last = 0;
    Result<std::int64_t> Step(const LeakageInput& input, Rng&) {
      return static_cast<std::int64_t>(std::exchange(last, input.point));
    }
  };
  ChaChaRng rng = Stream(3);
  View view;
  Repeats once;
  Parrot parrot;
  EXPECT_TRUE(*PlayLeakage(2, once, parrot, rng, view));
  // A round later it sees its own point.
  Repeats twice;
  EXPECT_FALSE(*PlayLeakage(3, twice, parrot, rng, view));
}

TEST(LeakageGameTest, APointThatDoesNotExistIsRefusedWithItsRound) {
  LearnsByHeart target;
  ChaChaRng rng = Stream(4);
  View view;
  Parrot beyond{.ask = kLeakagePoints};
  const auto played = PlayLeakage(3, target, beyond, rng, view);
  ASSERT_FALSE(played);
  EXPECT_EQ(played.error().message, "round 2: there is no such point");
}

}  // namespace
}  // namespace sotto
