// Neighbour replay over all games of mechanisms and of models that are known to
// be hard: both worlds of a game with one and the same randomness. The sites at
// which noise is added must be the same and the numbers there close enough.
// (Whole sessions of all models: models/registry/same_noise_test.cc; every
// mechanism by itself: sotto/mechanisms/replay_test.cc.)
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/audit/audit_test_mechanism.h"
#include "sotto/audit/targets.h"
#include "sotto/testing/replay_rng.h"

namespace sotto {
namespace {

using testing::FirstDifference;
using testing::ReplayDifference;
using testing::ReplayRng;

// The round of the first answer that differs.
std::uint64_t FirstApart(const View& zero, const View& one) {
  const auto [p, q] = std::ranges::mismatch(zero.seen, one.seen);
  return static_cast<std::uint64_t>(p - zero.seen.begin()) + 1;
}

struct Replay {
  std::size_t games = 0;
  std::size_t unequal = 0;  // answers, although the numbers were made equal
  std::size_t sites = 0;
  std::string difference;
};

// Numbers behind the answer to the user of a hidden round. Everything else that
// gets noise in that round, such as a node of a counter, is for everybody.
const std::set<std::string, std::less<>> kOwnNumbers = {
    "votes",          "threshold query", "challenge query",
    "boundary count", "gate count",      "band query"};

void ReplayGame(const GamePair& audit_case, std::size_t variant,
                std::uint64_t seed, Replay& replay) {
  ReplayRng here(seed);
  here.HideOnly(kOwnNumbers);
  View zero;
  ASSERT_TRUE(audit_case.Play(variant, false, here, zero));
  here.End();
  ReplayRng there(seed, here);
  there.HideOnly(kOwnNumbers);
  View one;
  ASSERT_TRUE(audit_case.Play(variant, true, there, one));
  there.End();
  ++replay.games;
  replay.unequal += zero == one ? 0 : 1;
  for (const auto& round : here.rounds()) replay.sites += round.sites.size();
  const ReplayDifference apart =
      FirstDifference(here, there, FirstApart(zero, one));
  if (apart.what.empty() || !replay.difference.empty()) return;
  replay.difference = "variant " + std::to_string(variant) + ", round " +
                      std::to_string(apart.round) + ": " + apart.what;
}

Replay ReplayPair(const GamePair& audit_case, std::uint64_t seeds) {
  Replay replay;
  for (std::size_t variant = 0; variant < audit_case.variants(); ++variant) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      ReplayGame(audit_case, variant, seed, replay);
    }
  }
  return replay;
}

// Played in copies of the process, or by fits and served models with a key:
// this test does not control their randomness. (Worlds of served models:
// service/slots_worlds_test.cc and slots_exact_test.cc.)
bool Elsewhere(std::string_view adversary) {
  return adversary == "one-user" || adversary == "one-row" ||
         adversary == "conversation" || adversary == "came-or-not";
}

// Targets with their own games. A gate of `points` decides after the rounds of
// its point, in each world separately (point_predictor.md, step 2).
std::vector<const AuditTarget*> Replayed() {
  std::vector<const AuditTarget*> targets;
  for (const AuditTarget& target : AuditTargets()) {
    const bool own = std::ranges::any_of(
        target.adversaries,
        [](std::string_view name) { return !Elsewhere(name); });
    if (own && target.name != "points") targets.push_back(&target);
  }
  return targets;
}

class SameNoiseTest : public ::testing::TestWithParam<const AuditTarget*> {};

TEST_P(SameNoiseTest, NoiseIsAddedToNumbersThatAreCloseEnough) {
  const AuditTarget& target = *GetParam();
  const auto subject = target.make({});
  ASSERT_TRUE(subject);
  // A mirror has coins and no numbers, the hypothesis of a class is drawn by
  // its losses, and an item by its lists.
  const bool by_numbers = target.name != "mirrors" &&
                          target.name != "littlestone" &&
                          target.name != "sparse-sample";
  for (const AuditCase& audit_case : subject->cases) {
    if (Elsewhere(audit_case.adversary)) continue;
    // Its delta pays for the noise of a bin that is not there in one world.
    if (audit_case.mechanism == "a new bin") continue;
    const Replay replay = ReplayPair(*audit_case.pair, 5);
    const std::string where =
        audit_case.mechanism + " / " + audit_case.adversary;
    EXPECT_EQ(replay.difference, "") << where;
    EXPECT_TRUE(replay.unequal == 0 || !by_numbers) << where;
    EXPECT_TRUE(replay.sites > 0 || !by_numbers) << where;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, SameNoiseTest, ::testing::ValuesIn(Replayed()),
    [](const ::testing::TestParamInfo<const AuditTarget*>& row) {
      std::string name(row.param->name);
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
  const auto audit_case = MakeGamePair<std::int64_t>(
      game::AdaptiveQuery{.rounds = 1},
      [broken] { return DrawsOnOnes(broken); }, std::vector<Parking>{{0, 1}});
  EXPECT_EQ(ReplayPair(*audit_case, 5).difference,
            "variant 0, round 1: not as many words are drawn");
}

// A record that counts twice.
struct CountsTwice {
  FixedWorkLaplace noise;
  Result<std::int64_t> Step(std::int64_t value, Rng& rng) {
    return rng.Private("value", 2 * value, 1) + noise.Sample(rng);
  }
  bool halted() const { return false; }
};

TEST(SameNoiseBrokenTest, ASensitivityThatIsTooLargeIsSeen) {
  const CountsTwice broken{*FixedWorkLaplace::Create(*RationalBelow(1))};
  const auto audit_case = MakeGamePair<std::int64_t>(
      game::AdaptiveQuery{.rounds = 1},
      [broken] { return CountsTwice(broken); }, std::vector<Parking>{{0, 1}});
  EXPECT_EQ(ReplayPair(*audit_case, 5).difference,
            "variant 0, round 1: 'value' is 0 and 2, 1 apart at most");
}

}  // namespace
}  // namespace sotto
