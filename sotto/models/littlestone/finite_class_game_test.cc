// Exact checks of FiniteClassLearner on small instances: the distribution of
// all published values, by enumeration, for every sequence of a few rounds and
// every change of one of them. The largest ratios are compared with the sum
// that steps 3 and 4 of finite_class_learner.md allow, Renyi moments with the
// accounted ones. Broken variants exceed them, and the program draws from that
// distribution.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "sotto/accounting/renyi.h"
#include "sotto/models/littlestone/finite_class_learner.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

// A point and a label. The round is empty if the point is negative.
struct Example {
  int point = -1;
  bool y = false;
};

// Deviations from the page; each is a broken variant.
struct BrokenVariant {
  int counted = 1;           // a mistake is counted so often: sensitivity 2
  std::uint32_t weight = 1;  // multiple of the declared loss
  bool keeps = false;  // mistakes stay in the count of losses after a change
  std::uint64_t votes = 1;  // times what was declared
};

// A transcript is the round number of each change, and what was drawn.
using Transcript = std::vector<std::size_t>;
using Distribution = std::map<Transcript, double>;

class Game {
 public:
  Game(const FiniteClassLearner::Params& params, const BrokenVariant& variant)
      : params_(params),
        variant_(variant),
        stopper_(*ExactStopper::Create(params.stopper)),
        weights_(*LossWeights::Create(params.rate, FiniteClassLearner::kBits)) {
  }

  Distribution Play(const std::vector<Example>& examples) {
    distribution_.clear();
    State state{
        .losses = std::vector<std::uint64_t>(params_.functions->size()),
        .wrong = std::vector<std::uint64_t>(params_.functions->points())};
    for (std::size_t x = 0; x < params_.functions->points(); ++x) {
      state.labels.push_back(2 * CountMembers(params_.functions->Ones(x)) >
                             params_.functions->size());
    }
    state.survives = Thresholds();
    Step(examples, 0, state);
    return distribution_;
  }

 private:
  struct State {
    std::vector<double> survives = {};  // with each threshold; the last: rest
    std::vector<std::uint64_t> losses = {};
    std::vector<std::uint64_t> wrong = {};
    std::vector<bool> labels = {};
    std::int64_t mistakes = 0;
    std::size_t changes = 0;
    double probability = 1;
    Transcript seen = {};
  };

  double Weight(std::uint64_t m) const {
    return static_cast<double>(stopper_.weights()(m));
  }

  // All from some on are alike, for so few rounds.
  std::vector<double> Thresholds() const {
    const std::size_t equal = stopper_.weights().flat() + 10;
    std::vector<double> distribution;
    double total = 0;
    for (std::size_t rho = 0; rho <= equal; ++rho) {
      distribution.push_back(Weight(rho));
      if (rho == equal) {
        distribution.back() *=
            static_cast<double>(ExactStopper::kThresholds - equal);
      }
      total += distribution.back();
    }
    for (double& p : distribution) p /= total;
    return distribution;
  }

  // The clock's step before round t, and what follows it.
  void Step(const std::vector<Example>& examples, std::size_t t, State state) {
    if (t > 0) Count(examples[t - 1], state);
    if (state.changes < params_.weights.size()) {
      State halted = state;
      double halts = 0;
      for (std::size_t rho = 0; rho < state.survives.size(); ++rho) {
        const std::int64_t m =
            params_.limit + static_cast<std::int64_t>(rho) - state.mistakes;
        const double hazard =
            Weight(static_cast<std::uint64_t>(std::max<std::int64_t>(0, m))) /
            Weight(0);
        halts += state.survives[rho] * hazard;
        state.survives[rho] *= 1 - hazard;
      }
      halted.probability *= halts;
      halted.seen.push_back(t);
      Change(examples, t, halted);
    }
    Next(examples, t, state);
  }

  void Next(const std::vector<Example>& examples, std::size_t t, State state) {
    if (t < examples.size()) {
      Step(examples, t + 1, state);
      return;
    }
    double alive = 1;
    if (state.changes < params_.weights.size()) {
      alive = 0;
      for (const double p : state.survives) alive += p;
    }
    distribution_[state.seen] += state.probability * alive;
  }

  void Count(const Example& example, State& state) const {
    if (example.point < 0) return;
    const auto x = static_cast<std::size_t>(example.point);
    // A change at the clock's step before the round was opened is seen by it.
    if (state.labels[x] == example.y) return;
    state.mistakes += variant_.counted;
    ++state.wrong[x];
  }

  void Change(const std::vector<Example>& examples, std::size_t t,
              State state) {
    const std::uint64_t weight =
        std::uint64_t{params_.weights[state.changes]} * variant_.weight;
    for (std::size_t x = 0; x < state.wrong.size(); ++x) {
      for (std::size_t h = 0; h < state.losses.size(); ++h) {
        if (params_.functions->Label(h, x) == state.labels[x]) {
          state.losses[h] += weight * state.wrong[x];
        }
      }
      if (!variant_.keeps) state.wrong[x] = 0;
    }
    state.mistakes = 0;
    Draw(examples, t, state, {});
  }

  void Draw(const std::vector<Example>& examples, std::size_t t, State state,
            std::vector<std::size_t> drawn) {
    if (drawn.size() == params_.votes * variant_.votes) {
      for (std::size_t x = 0; x < state.labels.size(); ++x) {
        std::size_t ones = 0;
        for (const std::size_t h : drawn) {
          ones += params_.functions->Label(h, x) ? 1U : 0U;
        }
        state.labels[x] = 2 * ones > drawn.size();
      }
      ++state.changes;
      state.survives = Thresholds();
      Next(examples, t, state);
      return;
    }
    const std::uint64_t least =
        *std::min_element(state.losses.begin(), state.losses.end());
    double total = 0;
    for (const std::uint64_t loss : state.losses) {
      total += static_cast<double>(weights_(loss - least));
    }
    for (std::size_t h = 0; h < state.losses.size(); ++h) {
      State next = state;
      next.probability *=
          static_cast<double>(weights_(state.losses[h] - least)) / total;
      next.seen.push_back(100 + h);
      auto more = drawn;
      more.push_back(h);
      Draw(examples, t, next, more);
    }
  }

  FiniteClassLearner::Params params_;
  BrokenVariant variant_;
  ExactStopper stopper_;
  LossWeights weights_;
  Distribution distribution_;
};

FiniteClassLearner::Params Small(Relation relation, std::uint64_t votes,
                                 std::vector<std::uint32_t> weights) {
  return {.functions = std::make_shared<const FiniteClass>(
              *FiniteClass::Parse("01\n10\n")),
          .user = {16, 0.4},
          .relation = relation,
          .stopper = 0.5,
          .limit = 2,
          .votes = votes,
          .rate = *Rational::Create(1, 4),
          .weights = std::move(weights)};
}

// The distribution of every sequence of `rounds` rounds, each empty (0) or one
// of four examples: the digits of a number, base 5.
constexpr std::size_t kChoices = 5;

Example MakeExample(std::size_t choice) {
  if (choice == 0) return {};
  return {choice > 2 ? 1 : 0, choice % 2 == 1};
}

std::vector<Distribution> Distributions(
    const FiniteClassLearner::Params& params, const BrokenVariant& variant,
    std::size_t rounds) {
  Game game(params, variant);
  std::size_t streams = 1;
  for (std::size_t t = 0; t < rounds; ++t) streams *= kChoices;
  std::vector<Distribution> distributions;
  for (std::size_t code = 0; code < streams; ++code) {
    std::vector<Example> stream;
    for (std::size_t t = 0, rest = code; t < rounds; ++t, rest /= kChoices) {
      stream.push_back(MakeExample(rest % kChoices));
    }
    distributions.push_back(game.Play(stream));
  }
  return distributions;
}

// Calls `compare` with the distributions of every two neighbouring streams.
template <typename Compare>
void ForNeighbours(const std::vector<Distribution>& distributions,
                   Relation relation, const Compare& compare) {
  for (std::size_t place = 1; place < distributions.size(); place *= kChoices) {
    for (std::size_t code = 0; code < distributions.size(); ++code) {
      const std::size_t digit = code / place % kChoices;
      if (digit == 0) continue;
      const std::size_t least = relation == Relation::kReplace ? digit : 1;
      for (std::size_t other = 0; other < least; ++other) {
        compare(distributions[code],
                distributions[code - (digit - other) * place]);
      }
    }
  }
}

// Maximum total cost of a mistake before change a, in nats.
double Allowed(const FiniteClassLearner::Params& params) {
  const double moved = params.relation == Relation::kReplace ? 2 : 1;
  double most = 0;
  for (std::size_t a = 0; a < params.weights.size(); ++a) {
    const auto draws =
        static_cast<double>(params.votes * (params.weights.size() - a));
    most = std::max(
        most, draws * moved * params.weights[a] * params.rate.ToDoubleUp());
  }
  return params.stopper + most;
}

// The largest log-ratio of what may be seen, over all streams, places, changes
// and transcripts. Whatever an adaptive adversary does, a transcript is one of
// a stream: so this is the worst over all of them.
double WorstRatio(const FiniteClassLearner::Params& params,
                  const BrokenVariant& variant, std::size_t rounds) {
  double worst = 0;
  ForNeighbours(Distributions(params, variant, rounds), params.relation,
                [&worst](const Distribution& here, const Distribution& there) {
                  for (const auto& [seen, p] : here) {
                    const double ratio = std::log(p / there.at(seen));
                    worst = std::max(worst, std::abs(ratio));
                  }
                });
  return worst;
}

constexpr double kSlack = 1e-9;

TEST(FiniteClassGameTest, NoTranscriptLeaksMoreThanIsAllowed) {
  for (const Relation relation : {Relation::kReplace, Relation::kAddRemove}) {
    for (const std::uint64_t votes : {1, 3}) {
      const auto params = Small(relation, votes, {4});
      EXPECT_LE(WorstRatio(params, {}, 3), Allowed(params) + kSlack);
    }
    const auto params = Small(relation, 1, {4, 6});
    const double worst = WorstRatio(params, {}, 4);
    EXPECT_LE(worst, Allowed(params) + kSlack);
    EXPECT_GT(worst, 0.4 * Allowed(params));
  }
}

TEST(FiniteClassGameTest, BrokenVariantsLeakMore) {
  const auto params = Small(Relation::kAddRemove, 1, {4});
  const double allowed = Allowed(params);
  ASSERT_LE(WorstRatio(params, {}, 4), allowed + kSlack);
  EXPECT_GT(WorstRatio(params, {.weight = 2}, 4), allowed + kSlack);
  EXPECT_GT(WorstRatio(params, {.votes = 3}, 3), allowed + kSlack);
  // The test alone: losses weigh nothing.
  const auto test = Small(Relation::kAddRemove, 1, {0});
  ASSERT_LE(WorstRatio(test, {}, 4), Allowed(test) + kSlack);
  EXPECT_GT(WorstRatio(test, {.counted = 2}, 4), Allowed(test) + kSlack);
  // A sample used again after the change that it was for.
  const auto twice = Small(Relation::kAddRemove, 1, {1, 6});
  const double once = twice.stopper + 6 * 0.25;
  ASSERT_LE(Allowed(twice), once);
  EXPECT_GT(WorstRatio(twice, {.keeps = true}, 4), Allowed(twice) + kSlack);
}

// ln E_Q[(P/Q)^order], both ways.
double Moment(const Distribution& p, const Distribution& q, double order) {
  double forth = 0;
  double back = 0;
  for (const auto& [seen, mass] : p) {
    const double other = q.at(seen);
    forth += std::pow(mass, order) * std::pow(other, 1 - order);
    back += std::pow(other, order) * std::pow(mass, 1 - order);
  }
  return std::log(std::max(forth, back));
}

TEST(FiniteClassGameTest, MomentsAreNoLargerThanAccounted) {
  for (const Relation relation : {Relation::kReplace, Relation::kAddRemove}) {
    const auto params = Small(relation, 1, {2, 3});
    const double moved = relation == Relation::kReplace ? 2 : 1;
    // The two weights cost 2 (2 / 4)^2 and (3 / 4)^2 draws.
    const double rho = moved * moved * std::max(2 * 0.25, 0.5625) / 8;
    const RenyiCurve curve =
        PureCurve(params.stopper).ComposedWith(ConcentratedCurve(rho));
    double used = 0;
    ForNeighbours(Distributions(params, {}, 4), relation,
                  [&](const Distribution& here, const Distribution& there) {
                    for (const double order : {1.5, 2.0, 4.0, 8.0}) {
                      const double most = curve.LogMomentAt(order);
                      used = std::max(used, Moment(here, there, order) / most);
                    }
                  });
    EXPECT_LE(used, 1 + kSlack);
    EXPECT_GT(used, 0.1);
  }
}

// The program draws from the distribution that was checked.
TEST(FiniteClassGameStatisticalTest, TheLearnerDrawsFromTheDistribution) {
  const auto params = Small(Relation::kAddRemove, 1, {2, 3});
  const std::vector<Example> stream = {
      {0, true}, {1, true}, {0, true}, {0, true}};
  const Distribution distribution = Game(params, {}).Play(stream);
  double total = 0;
  for (const auto& [seen, p] : distribution) total += p;
  EXPECT_NEAR(total, 1, 1e-9);
  constexpr int kRuns = 20'000;
  std::map<Transcript, int> counts;
  testing::SeededRng rng(5);
  for (int run = 0; run < kRuns; ++run) {
    auto learner = *FiniteClassLearner::Create(params);
    Transcript seen;
    std::uint64_t changes = 0;
    const auto note = [&](std::size_t t) {
      if (learner.changes() == changes) return;
      changes = learner.changes();
      seen.push_back(t);
      for (const std::size_t h : learner.drawn()) seen.push_back(100 + h);
    };
    for (std::size_t t = 0; t < stream.size(); ++t) {
      const auto round =
          learner.Open(static_cast<std::uint32_t>(stream[t].point), rng);
      note(t);
      learner.Close(round, stream[t].y);
    }
    learner.PlayEmptyRound(rng);
    note(stream.size());
    ++counts[seen];
  }
  // Each frequency within 6 standard deviations and a little.
  for (const auto& [seen, p] : distribution) {
    const double expected = p * kRuns;
    EXPECT_NEAR(counts[seen], expected, 6 * std::sqrt(expected) + 12);
  }
  for (const auto& [seen, count] : counts)
    EXPECT_TRUE(distribution.contains(seen));
}

}  // namespace
}  // namespace sotto
