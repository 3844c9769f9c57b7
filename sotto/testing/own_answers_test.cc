// Users with two hidden rounds who choose the data of the second by the answer
// to the first: group_privacy.md, step 3, on whole small instances.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/pop_accountant.h"
#include "sotto/testing/challenge_distribution.h"
#include "sotto/testing/distributions/pop_memorizers.h"
#include "sotto/testing/exact_game.h"
#include "sotto/testing/exact_number.h"

namespace sotto {
namespace {

using Exact = ExactNumber;

// The first answer is a secret password. The second round's input is a guess;
// one public bit is then drawn, whose distribution depends on the first round's
// bit, and more so if the guess is right.
struct Password {
  using Number = Exact;
  using Input = int;  // The bit, then the guess.
  struct State {
    int password = 0;
    int bit = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
    auto operator<=>(const State&) const = default;
  };
  using Context = int;  // The round.
  struct Observation {
    int answer = 0;
    bool shown = false;
    // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
    auto operator<=>(const Observation&) const = default;
  };
  static constexpr int kPasswords = 8;
  static constexpr int kWhatIHeard = kPasswords;

  Context Start() const { return 0; }
  std::vector<Weighted<Number, State>> Initial() const {
    std::vector<Weighted<Number, State>> states;
    for (int password = 0; password < kPasswords; ++password) {
      states.push_back({Exact(1) / kPasswords, {password, 0}});
    }
    return states;
  }
  std::vector<Input> Inputs(const Context& round) const {
    std::vector<Input> inputs;
    const int count = round == 0 ? 2 : round == 1 ? kPasswords : 0;
    for (int input = 0; input < count; ++input) inputs.push_back(input);
    return inputs;
  }
  std::vector<std::pair<Input, Input>> Challenges(const Context& round) const {
    std::vector<std::pair<Input, Input>> pairs;
    for (const int p : Inputs(round)) {
      for (const int q : Inputs(round)) {
        if (p != q) pairs.emplace_back(p, q);
      }
    }
    if (round == 1) pairs.emplace_back(kWhatIHeard, kWhatIHeard);
    return pairs;
  }
  std::vector<Outcome<Number, Observation, State>> Step(
      const Context& round, const State& state, const Input& input) const {
    if (round == 0) {
      return {{Exact(1), {state.password, false}, {state.password, input}}};
    }
    const bool right = input == state.password || input == kWhatIHeard;
    const Exact one =
        state.bit == 0 ? Exact(1) / (right ? 12 : 6) : Exact(right ? 2 : 1) / 3;
    return {{one, {0, true}, state}, {1 - one, {0, false}, state}};
  }
  Observation Hide(Observation seen) const {
    seen.answer = -1;
    return seen;
  }
  Context Next(const Context& round, const std::optional<Input>&,
               const Observation&) const {
    return round + 1;
  }
};

TEST(OwnAnswersTest, CanCostMoreThanAGroupWhereNothingElseIsKnown) {
  const Exact e = 2;  // e^epsilon.
  const Exact one =
      *ExactGame(ChallengeDistribution{Password{}, 1}, 2).Delta(e);
  EXPECT_EQ(one, Exact(1) / 16);
  const ExactGame two(ChallengeDistribution{Password{}, 2}, 2);
  EXPECT_EQ(*two.Delta(e * e), Exact(1) / 3);
  EXPECT_GT(*two.Delta(e * e), one * (1 + e));
  // 2 g - 1 = 3 steps are enough for every mechanism.
  EXPECT_LE(*two.Delta(e * e * e), one * (1 + e + e * e));
}

// POP in small, and a user who remembers: the inputs of a hidden round are
// chosen by the answer to the hidden round before.
struct RememberingUser {
  using Pop = PopMemorizers<double>;
  using Number = double;
  struct Input {
    Pop::Input after_no;
    Pop::Input after_yes;
    bool hidden;
  };
  struct State {
    Pop::State pop;
    bool heard = false;
    // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
    auto operator<=>(const State&) const = default;
  };
  struct Context {
    Pop::Context pop;
    bool remembers = false;
    // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
    auto operator<=>(const Context&) const = default;
  };
  using Observation = Pop::Observation;

  Pop pop;

  Context Start() const { return {pop.Start()}; }
  std::vector<Weighted<Number, State>> Initial() const {
    return {{1.0, {pop.Initial().front().state}}};
  }
  std::vector<Input> Inputs(const Context& context) const {
    if (context.pop.halted) return {};
    std::vector<Input> inputs;
    for (const int label : {Pop::kNone, 0, 1}) {
      inputs.push_back({{0, label}, {0, label}, false});
    }
    return inputs;
  }
  std::vector<std::pair<Input, Input>> Challenges(
      const Context& context) const {
    const std::vector<Pop::Input> all = {
        {0, Pop::kNone}, {0, 1}, {Pop::kAbsent, Pop::kNone}};
    std::vector<Input> strategies;
    for (const auto& no : all) {
      if (!context.remembers) {
        strategies.push_back({no, no, true});
        continue;
      }
      for (const auto& yes : all) strategies.push_back({no, yes, true});
    }
    std::vector<std::pair<Input, Input>> pairs;
    for (const auto& p : strategies) {
      for (const auto& q : strategies) pairs.emplace_back(p, q);
    }
    return pairs;
  }
  std::vector<Outcome<Number, Observation, State>> Step(
      const Context& context, const State& state, const Input& input) const {
    std::vector<Outcome<Number, Observation, State>> outcomes;
    const auto& played = state.heard ? input.after_yes : input.after_no;
    for (const auto& o : pop.Step(context.pop, state.pop, played)) {
      const bool yes = 2 * o.observation.vote > pop.copies;
      outcomes.push_back({o.probability,
                          o.observation,
                          {o.state, input.hidden ? yes : state.heard}});
    }
    return outcomes;
  }
  Observation Hide(const Observation& seen) const { return pop.Hide(seen); }
  Context Next(const Context& context, const std::optional<Input>& shown,
               const Observation& seen) const {
    return {pop.Next(context.pop, std::nullopt, seen),
            context.remembers || !shown.has_value()};
  }
};

struct Setting {
  double e0;
  int low;
  int high;
  double e_s;
  int limit;
  double epsilon;
  int rounds;
};

double DeltaOfTwo(const Setting& s) {
  const RememberingUser user{.pop = {.theta = std::exp(-s.e0),
                                     .low = s.low,
                                     .high = s.high,
                                     .stopper_theta = std::exp(-s.e_s),
                                     .limit = s.limit}};
  const ExactGame game(ChallengeDistribution{user, 2}, s.rounds);
  return *game.Delta(std::exp(2 * s.epsilon), Direction::kPOverQ);
}

// Nothing random: the name keeps it to release builds.
TEST(OwnAnswersStatisticalTest, CostNoMoreThanAGroupInPop) {
  for (const Setting& s : {Setting{0.05, -70, 72, 1, 4, 0.95, 2},
                           Setting{0.05, -70, 72, 2, 3, 1.9, 2}}) {
    const PopProcess process{.rate = s.e0,
                             .gap = s.high - s.low - 1,
                             .targets = s.limit,
                             .stopper = s.e_s};
    const double claim = std::min(PopDelta(process, s.epsilon)->delta,
                                  ExactPopDelta(process, s.epsilon)->delta);
    const double group = ForGroup(ApproximateDp{s.epsilon, claim}, 2).delta;
    EXPECT_LT(group, 1);
    const double delta = DeltaOfTwo(s);
    EXPECT_LE(delta, group);
    EXPECT_GT(delta, 0.001);
    RecordProperty("delta", std::to_string(delta));
  }
}

}  // namespace
}  // namespace sotto
