// The games enforce the papers' restrictions and hide the same answers.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/audit/games/adversaries.h"
#include "sotto/audit/games/coin_game.h"
#include "sotto/audit/games/composition_game.h"
#include "sotto/audit/games/everlasting_game.h"
#include "sotto/audit/games/game.h"
#include "sotto/audit/games/general_game.h"
#include "sotto/audit/games/hard_instance.h"
#include "sotto/audit/games/oblivious.h"
#include "sotto/random/chacha_rng.h"

namespace sotto {
namespace {

ChaChaRng Stream(std::uint64_t seed) {
  const std::array<std::byte, Key::kBytes> zeros{};
  return ChaChaRng(Key::FromBytes(zeros).Derive("games-test", "rng", {seed}));
}

// Repeats its input, halts after `until` steps and fails at `fails`.
struct Echo {
  std::uint64_t until = 100;
  std::uint64_t fails = 100;
  std::uint64_t steps = 0;

  Result<std::int64_t> Step(std::int64_t input, Rng&) {
    if (++steps == fails) return InvalidArgument("broken");
    return input;
  }
  bool halted() const { return steps >= until; }
};

using Moves = std::vector<Move<std::int64_t>>;

Status Play(const auto& rules, const Moves& moves, bool world, View& view,
            Echo echo = {}) {
  ChaChaRng rng = Stream(1);
  Oblivious<std::int64_t> adversary(moves);
  return PlayGame<std::int64_t>(rules, world, echo, adversary, rng, view);
}

std::string Refusal(const auto& rules, const Moves& moves) {
  View view;
  const Status played = Play(rules, moves, false, view);
  return played ? "" : played.error().message;
}

TEST(GamesTest, EachWorldGetsItsOwnInput) {
  View view;
  const Moves moves = {{3, 4}, {5, 4}};
  ASSERT_TRUE(Play(game::AdaptiveQuery{.rounds = 9}, moves, false, view));
  EXPECT_EQ(view.seen, (std::vector<std::int64_t>{3, 5}));
  ASSERT_TRUE(Play(game::AdaptiveQuery{.rounds = 9}, moves, true, view));
  EXPECT_EQ(view.seen, (std::vector<std::int64_t>{4, 4}));
}

// As printed: [POP] Alg. 2: what is refused.
TEST(GamesTest, AQueryDiffersByTheSensitivityAtMost) {
  const game::AdaptiveQuery rules{.rounds = 9, .sensitivity = 2};
  EXPECT_EQ(Refusal(rules, {{1, 3}, {3, 1}}), "");
  EXPECT_EQ(Refusal(rules, {{1, 3}, {4, 1}}),
            "round 2: the values differ by more than the sensitivity");
  constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
  EXPECT_NE(Refusal(rules, {{-kFar, kFar}}), "");
}

TEST(GamesTest, AMonotoneQueryNeverFalls) {
  const game::MonotoneQuery rules{.rounds = 9};
  EXPECT_EQ(Refusal(rules, {{1, 2}, {3, 3}}), "");
  EXPECT_EQ(Refusal(rules, {{1, 2}, {3, 2}}),
            "round 2: a monotone query is lower in world one");
  EXPECT_NE(Refusal(rules, {{1, 3}}), "");
}

// As printed: [POP] Alg. 3: what is refused.
TEST(GamesTest, InputsAreEqualOutsideTheOneChallenge) {
  const game::AdaptiveInput rules{.rounds = 9};
  const auto challenge = Challenge<std::int64_t>(0, 1);
  EXPECT_EQ(Refusal(rules, {Same<std::int64_t>(4), challenge}), "");
  EXPECT_EQ(Refusal(rules, {{4, 5}}),
            "round 1: the inputs differ outside a challenge");
  EXPECT_EQ(Refusal(rules, {challenge, challenge}),
            "round 2: more challenges than the game allows");
  EXPECT_EQ(Refusal(rules, {Challenge<std::int64_t>(0, 2)}),
            "round 1: the values differ by more than the sensitivity");
}

// As printed: [POP] Alg. 4: what is refused, and hidden.
TEST(GamesTest, ChallengesStayHiddenAndThereAreAtMostG) {
  const game::Online rules{.rounds = 9, .challenges = 2};
  const auto challenge = Challenge<std::int64_t>(0, 100);
  View view;
  const Moves moves = {challenge, Same<std::int64_t>(7), challenge};
  ASSERT_TRUE(Play(rules, moves, true, view));
  EXPECT_EQ(view.seen,
            (std::vector<std::int64_t>{View::kHidden, 7, View::kHidden}));
  EXPECT_EQ(Refusal(rules, {challenge, challenge, challenge}),
            "round 3: more challenges than the game allows");
  EXPECT_NE(Refusal(rules, {{1, 2}}), "");
}

// As printed: [POP] Alg. 9: what is refused, and hidden.
TEST(GamesTest, TheChallengeOfAThresholdGameMayBeAnythingAndIsHidden) {
  const game::ChallengeThreshold rules{.rounds = 9};
  const auto challenge = Challenge<std::int64_t>(0, 1000);
  EXPECT_EQ(Refusal(rules, {{1, 2}, challenge, {2, 1}}), "");
  EXPECT_NE(Refusal(rules, {{1, 3}}), "");
  EXPECT_NE(Refusal(rules, {challenge, challenge}), "");
  View view;
  ASSERT_TRUE(Play(rules, {challenge}, true, view));
  EXPECT_EQ(view.seen.front(), View::kHidden);
}

TEST(GamesTest, AGameEndsWithTheMechanismTheRulesOrTheAdversary) {
  View view;
  const Moves moves(5, Same<std::int64_t>(1));
  ASSERT_TRUE(
      Play(game::Online{.rounds = 9}, moves, false, view, Echo{.until = 3}));
  EXPECT_EQ(view.rounds(), 3u);
  ASSERT_TRUE(Play(game::Online{.rounds = 4}, moves, false, view));
  EXPECT_EQ(view.rounds(), 4u);
  ASSERT_TRUE(Play(game::Online{.rounds = 9}, moves, false, view));
  EXPECT_EQ(view.rounds(), 5u);
}

TEST(GamesTest, AMechanismThatFailsIsNamedWithItsRound) {
  View view;
  const Moves moves(5, Same<std::int64_t>(1));
  const Status played =
      Play(game::Online{.rounds = 9}, moves, false, view, Echo{.fails = 3});
  ASSERT_FALSE(played);
  EXPECT_EQ(played.error().message, "round 3: broken");
}

// As printed: [POP] Alg. 8: interactions, and what is hidden.
TEST(GamesTest, UsersOfTheGeneralGameAreTheSameObjectOutsideTheChallenge) {
  using User = Interaction<Echo>;
  const User asks_once = [](Echo& echo, Rng& rng) { return echo.Step(1, rng); };
  const User asks_twice = [](Echo& echo, Rng& rng) -> Result<std::int64_t> {
    const auto first = echo.Step(1, rng);
    if (!first) return first;
    return echo.Step(2, rng);
  };
  ChaChaRng rng = Stream(1);
  View view;
  Echo echo;
  GeneralPlayer<Echo> player(echo);
  Oblivious<const User*> fair(
      {Challenge<const User*>(&asks_once, &asks_twice), Same(&asks_twice)});
  ASSERT_TRUE(PlayGame<const User*>(game::Online{.rounds = 9}, true, player,
                                    fair, rng, view));
  EXPECT_EQ(view.seen, (std::vector<std::int64_t>{View::kHidden, 2}));
  EXPECT_EQ(echo.steps, 4u);
  const Move<const User*> differs{&asks_once, &asks_twice};
  Oblivious<const User*> unfair(std::vector<Move<const User*>>{differs});
  EXPECT_FALSE(PlayGame<const User*>(game::Online{.rounds = 9}, true, player,
                                     unfair, rng, view));
}

// As printed: [POP] Alg. 5: one bit, outcomes shown.
TEST(GamesTest, ComposedGamesShareTheBitAndShowTheirOutcomes) {
  struct Meta {
    std::optional<ChosenGame> Next(const View& view) {
      // The outcome of the first game determines the second.
      const std::int64_t ask = view.seen.empty() ? 10 : view.seen.back() + 1;
      return ChosenGame([ask](bool world, Rng&, View& inner) {
        return Play(game::AdaptiveQuery{.rounds = 1}, {{ask, ask + 1}}, world,
                    inner);
      });
    }
  } meta;
  ChaChaRng rng = Stream(1);
  View view;
  ASSERT_TRUE(PlayComposition(2, true, meta, rng, view));
  EXPECT_EQ(view.seen, (std::vector<std::int64_t>{1, 11, 1, 13}));
}

// As printed: [POP] Alg. 12: chances, budget and reward.
TEST(GamesTest, TheCoinGameKeepsItsOddsAndItsBudget) {
  struct Greedy {
    CoinChances chances;
    std::optional<CoinChances> Next(const View&) { return chances; }
  };
  ChaChaRng rng = Stream(1);
  View view;
  Greedy fair{{.reward = 0.8, .loss = 0.18}};
  const auto reward = PlayCoins({.budget = 5, .rounds = 1000}, fair, rng, view);
  ASSERT_TRUE(reward);
  // Theorem E.1 at k = 5: more than 190 has probability below 1e-6.
  EXPECT_LE(*reward, 190u);
  EXPECT_GE(*reward, 1u);
  Greedy unfair{{.reward = 0.5, .loss = 0.05}};
  EXPECT_FALSE(PlayCoins({.budget = 5, .rounds = 10}, unfair, rng, view));
}

// Remembers the queries. Every answer shows its training set.
struct Oracle {
  std::vector<int> records;
  std::vector<std::optional<int>> queries;

  Status Train(std::span<const int> set, Rng&) {
    records.assign(set.begin(), set.end());
    return Ok();
  }
  Result<std::int64_t> Step(const std::optional<int>& query, Rng&) {
    queries.push_back(query);
    return static_cast<std::int64_t>(records.size());
  }
};

struct Attack {
  EverlastingSets<int> sets = {};
  std::vector<EverlastingMove<int>> moves = {};
  EverlastingSets<int> Sets() const { return sets; }
  std::optional<EverlastingMove<int>> Next(const View& view) const {
    if (view.rounds() == moves.size()) return std::nullopt;
    return moves[view.rounds()];
  }
};

Result<std::optional<std::uint64_t>> PlayAttack(Attack attack, bool world,
                                                Oracle& oracle) {
  ChaChaRng rng = Stream(1);
  View view;
  return PlayEverlasting<int, int>(9, world, oracle, attack, rng, view);
}

// As printed: [PERP] Fig. 1: the query challenge.
TEST(GamesTest, TheEverlastingChallengeIsNoQueryInWorldZero) {
  const Attack attack{.sets = {{1}, {1}}, .moves = {{5}, {6, true}, {7}}};
  Oracle zero;
  const auto round = PlayAttack(attack, false, zero);
  ASSERT_TRUE(round);
  EXPECT_EQ(*round, std::optional<std::uint64_t>(2));
  EXPECT_EQ(zero.queries, (std::vector<std::optional<int>>{5, {}, 7}));
  Oracle one;
  ASSERT_TRUE(PlayAttack(attack, true, one));
  EXPECT_EQ(one.queries, (std::vector<std::optional<int>>{5, 6, 7}));
}

TEST(GamesTest, TheEverlastingSetsAreNeighboursAndCountAsTheChallenge) {
  Oracle oracle;
  const auto round =
      PlayAttack({.sets = {{1, 2, 3}, {1, 3}}, .moves = {}}, false, oracle);
  ASSERT_TRUE(round);
  EXPECT_EQ(*round, std::optional<std::uint64_t>(0));
  EXPECT_FALSE(PlayAttack({.sets = {{1, 2}, {3, 4, 5}}}, false, oracle));
  EXPECT_FALSE(
      PlayAttack({.sets = {{1}, {}}, .moves = {{5, true}}}, false, oracle));
}

// Halts when the count with noise that is heavy on one side reaches k / 2.
struct CoarseMonitor {
  std::int64_t count = 0;
  bool done = false;
  Result<std::int64_t> Step(std::int64_t input, Rng& rng) {
    count += input;
    if ((rng.Next() & 63) == 0 || count >= 3) done = true;
    return done ? 1 : 0;
  }
  bool halted() const { return done; }
};

// Printed lines: [Counters] Alg. 1: probabilities are estimated.
TEST(GamesTest, TheHardInstanceHasItsOnesBeforeTheLastStep) {
  ChaChaRng rng = Stream(3);
  const HardInstance hard = BuildHardInstance(
      5, 200, [] { return CoarseMonitor{}; }, rng);
  EXPECT_EQ(hard.ones.size(), 62u);
  EXPECT_EQ(hard.inserted.size(), 5u);
  for (const std::size_t place : hard.inserted) EXPECT_LT(place, hard.last);
  EXPECT_GT(hard.halts_on_zeros, 0.4);  // 1 - (63/64)^62 = 0.62
  // Neighbours differ in one step, by one, and are legal moves.
  for (std::size_t i = 0; i < hard.inserted.size(); ++i) {
    EXPECT_EQ(Refusal(game::AdaptiveInput{.rounds = 99}, hard.Neighbours(i)),
              "");
  }
}

TEST(GamesTest, AdversariesKeepTheRulesOfTheirGames) {
  ChaChaRng rng = Stream(4);
  for (int i = 0; i < 50; ++i) {
    View view;
    Echo echo;
    StrategyTree queries({.low = -3, .high = 3}, rng);
    EXPECT_TRUE(PlayGame<std::int64_t>(game::AdaptiveQuery{.rounds = 20}, true,
                                       echo, queries, rng, view));
    StrategyTree inputs({.low = 0, .high = 2, .one_challenge = true}, rng);
    EXPECT_TRUE(PlayGame<std::int64_t>(game::AdaptiveInput{.rounds = 20}, true,
                                       echo, inputs, rng, view));
  }
  View view;
  Echo echo;
  HiddenStep hidden{.after_tops = 2};
  EXPECT_TRUE(PlayGame<std::int64_t>(game::Online{.rounds = 5}, true, echo,
                                     hidden, rng, view));
  EXPECT_EQ(view.seen[2], View::kHidden);
}

}  // namespace
}  // namespace sotto
