// Neighbour replay over every mechanism that can be audited: both worlds of a
// game with one and the same randomness. Where the views are equal, the same
// number of words must have been drawn; where a mechanism tells numbers, they
// may differ by what one record is worth, and by no more.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "sotto/audit/audit_test_mechanism.h"
#include "sotto/audit/targets.h"
#include "sotto/random/chacha_rng.h"

namespace sotto {
namespace {

ChaChaRng Tape(std::uint64_t seed) {
  const std::array<std::byte, Key::kBytes> zeros{};
  return ChaChaRng(Key::FromBytes(zeros).Derive("test", "tape", {seed}));
}

struct Replay {
  std::uint64_t equal_views = 0;
  std::uint64_t unequal_draws = 0;  // among those
  std::int64_t largest_gap = 0;     // of the answers, all views
};

Replay ReplayDuel(const Duel& duel, std::uint64_t games) {
  Replay replay;
  for (std::size_t variant = 0; variant < duel.variants(); ++variant) {
    for (std::uint64_t seed = 0; seed < games; ++seed) {
      ChaChaRng here = Tape(seed);
      ChaChaRng there = Tape(seed);
      View zero;
      View one;
      EXPECT_TRUE(duel.Play(variant, false, here, zero));
      EXPECT_TRUE(duel.Play(variant, true, there, one));
      for (std::size_t i = 0; i < std::min(zero.rounds(), one.rounds()); ++i) {
        if (zero.seen[i] == View::kHidden) continue;
        replay.largest_gap =
            std::max(replay.largest_gap, std::abs(zero.seen[i] - one.seen[i]));
      }
      if (zero != one) continue;
      ++replay.equal_views;
      replay.unequal_draws += here.Next() == there.Next() ? 0 : 1;
    }
  }
  return replay;
}

class SameNoiseTest : public ::testing::TestWithParam<std::size_t> {};

TEST_P(SameNoiseTest, EqualViewsHaveDrawnTheSameNoise) {
  const auto subject = AuditTargets()[GetParam()].make({});
  ASSERT_TRUE(subject);
  for (const AuditDuel& duel : subject->duels) {
    const Replay replay = ReplayDuel(*duel.duel, 20);
    EXPECT_EQ(replay.unequal_draws, 0u)
        << duel.mechanism << " / " << duel.adversary;
    if (subject->target == "counters" && duel.mechanism != "sparse") {
      // One event is worth one, and rounding one more.
      EXPECT_LE(replay.largest_gap, 2) << duel.mechanism;
    }
    if (subject->target == "laplace") {
      EXPECT_EQ(replay.largest_gap, 1);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SameNoiseTest,
                         ::testing::Range(std::size_t{0},
                                          AuditTargets().size()),
                         [](const ::testing::TestParamInfo<std::size_t>& row) {
                           std::string name(AuditTargets()[row.param].name);
                           std::erase(name, '-');
                           return name;
                         });

// Draws only where the data say so.
struct DrawsOnOnes {
  FixedWorkLaplace noise;
  Result<std::int64_t> Step(std::int64_t value, Rng& rng) {
    if (value != 0) noise.Sample(rng);
    return 0;
  }
  bool halted() const { return false; }
};

TEST(SameNoiseBrokenTest, ADrawThatDependsOnDataIsSeen) {
  const DrawsOnOnes broken{*FixedWorkLaplace::Create(*RationalBelow(1))};
  const auto duel = MakeDuel<std::int64_t>(
      game::AdaptiveQuery{.rounds = 1}, [broken] { return broken; },
      std::vector<Parking>{{0, 1}});
  EXPECT_GT(ReplayDuel(*duel, 5).unequal_draws, 0u);
}

// A record that counts twice.
struct CountsTwice {
  NoisyNumbers numbers;
  Result<std::int64_t> Step(std::int64_t value, Rng& rng) {
    return numbers.Step(2 * value, rng);
  }
  bool halted() const { return false; }
};

TEST(SameNoiseBrokenTest, ASensitivityThatIsTooLargeIsSeen) {
  const CountsTwice broken{{*FixedWorkLaplace::Create(*RationalBelow(1))}};
  const auto duel = MakeDuel<std::int64_t>(
      game::AdaptiveQuery{.rounds = 1}, [broken] { return broken; },
      std::vector<Parking>{{0, 1}});
  EXPECT_EQ(ReplayDuel(*duel, 5).largest_gap, 2);
}

}  // namespace
}  // namespace sotto
