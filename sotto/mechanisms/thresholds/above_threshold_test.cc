#include "sotto/mechanisms/thresholds/above_threshold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <cstddef>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/distributions/sparse_vector.h"
#include "sotto/testing/exact_game.h"
#include "sotto/testing/exact_number.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

using Answer = AboveThreshold::Answer;
using Exact = ExactNumber;
using Noise = AboveThreshold::ThresholdNoise;
using Params = AboveThreshold::Params;

constexpr std::array kBothWays = {Direction::kPOverQ, Direction::kQOverP};

// One answered query: `need` = threshold + offset - value, answered above iff
// nu >= need + rho.
struct Answered {
  int need;
  bool above;
  // NOLINTNEXTLINE(modernize-use-nullptr)
  auto operator<=>(const Answered&) const = default;
};

// Pr[these answers], rho with Pr[rho >= x] = t1^x drawn once and a fresh nu
// with t2 for each. Given u = t2^rho the answers are a polynomial in u, and its
// terms are summed over rho as geometric series; the first few rho, where a
// query is certain, are summed one by one.
template <typename Number>
Number TranscriptProbability(const Number& t1, const Number& t2,
                             const std::vector<Answered>& answers) {
  int certain = 0;
  for (const Answered& a : answers) certain = std::max(certain, -a.need);
  Number sum = 0;
  for (int rho = 0; rho < certain; ++rho) {
    Number term = (1 - t1) * Power(t1, rho);
    for (const Answered& a : answers) {
      const Number above = Power(t2, std::max(a.need + rho, 0));
      term *= a.above ? above : Number(1 - above);
    }
    sum += term;
  }
  std::vector<Number> polynomial = {(1 - t1) * Power(t1, certain)};
  for (const Answered& a : answers) {
    const Number factor = Power(t2, a.need + certain);
    polynomial.push_back(Number(0));
    for (std::size_t j = polynomial.size() - 1; j > 0; --j) {
      const Number shifted = factor * polynomial[j - 1];
      polynomial[j] = a.above ? shifted : Number(polynomial[j] - shifted);
    }
    if (a.above) polynomial[0] = 0;
  }
  Number ratio = t1;
  for (const Number& coefficient : polynomial) {
    sum += coefficient / (1 - ratio);
    ratio *= t2;
  }
  return sum;
}

// AboveThreshold with its kept, one-sided noise. The queries are 0 or 1 below
// the threshold, in both worlds; `monotone` keeps world Q at or above world P.
struct OneSidedDistribution {
  using Number = Exact;
  using State = std::monostate;
  using Observation = bool;  // Above.
  struct Move {
    int p;  // How far below the threshold the query is.
    int q;
  };
  struct Context {
    int reports_left;
    std::array<std::vector<Answered>, 2> answers;  // By world.
    // NOLINTNEXTLINE(modernize-use-nullptr)
    auto operator<=>(const Context&) const = default;
  };

  Number threshold_theta;
  Number query_theta;
  int reports = 1;
  bool monotone = false;

  Context Start() const { return {reports, {}}; }
  std::vector<Weighted<Number, State>> Initial(World) const {
    return {{Number(1), {}}};
  }
  std::vector<Move> Moves(const Context& context) const {
    if (context.reports_left == 0) return {};
    std::vector<Move> moves = {{0, 0}, {1, 1}, {1, 0}};
    if (!monotone) moves.push_back({0, 1});
    return moves;
  }
  std::vector<Outcome<Number, Observation, State>> Step(
      World world, const Context& context, const State&,
      const Move& move) const {
    std::vector<Answered> answers =
        context.answers[static_cast<std::size_t>(world)];
    const Number before =
        TranscriptProbability(threshold_theta, query_theta, answers);
    answers.push_back({world == World::kP ? move.p : move.q, true});
    const Number above =
        TranscriptProbability(threshold_theta, query_theta, answers) / before;
    return {{above, true, {}}, {1 - above, false, {}}};
  }
  Context Next(const Context& context, const Move& move,
               const Observation& above) const {
    Context next = context;
    next.answers[0].push_back({move.p, above});
    next.answers[1].push_back({move.q, above});
    next.reports_left -= above ? 1 : 0;
    return next;
  }
};

Exact WorstRatio(const OneSidedDistribution& distribution, int horizon) {
  Exact worst = 0;
  for (const Direction direction : kBothWays) {
    worst =
        std::max(worst, **ExactGame(distribution, horizon).MaxRatio(direction));
  }
  return worst;
}

TEST(AboveThresholdTest, ExactRatioIsAtMostItsEpsilonInBothDirections) {
  const Exact half = Exact(1) / 2;
  const Exact two_thirds = Exact(2) / 3;
  for (const auto& [t1, t2] :
       {std::pair(half, half), {two_thirds, half}, {half, two_thirds}}) {
    for (const int reports : {1, 2}) {
      const Exact general = 1 / (t1 * Power(t2, 2 * reports));
      const Exact monotone = 1 / (t1 * Power(t2, reports));
      const OneSidedDistribution distribution{t1, t2, reports};
      const Exact worst = WorstRatio(distribution, 3);
      EXPECT_LE(worst, general);
      // Broken variant: queries that move both ways, at the lower price.
      EXPECT_GT(worst, monotone);
      EXPECT_LE(WorstRatio({t1, t2, reports, true}, 3), monotone);
    }
  }
}

TEST(AboveThresholdTest, OneReportMoreThanPaidIsRefuted) {
  const Exact half = Exact(1) / 2;
  const Exact claim = 8;  // e1 + 2 e2, each ln 2.
  EXPECT_EQ(*ExactGame(OneSidedDistribution{half, half, 1}, 3).Delta(claim), 0);
  EXPECT_GT(*ExactGame(OneSidedDistribution{half, half, 2}, 3).Delta(claim), 0);
}

TEST(AboveThresholdTest, WithoutThresholdNoiseThereIsNoPureEpsilon) {
  const SparseVectorDistribution<Exact> broken{.query_theta = Exact(1) / 2};
  for (const int queries : {3, 6, 9}) {
    EXPECT_EQ(**ExactGame(broken, queries).MaxRatio(Direction::kPOverQ),
              Power(Exact(2), queries));
  }
}

TEST(AboveThresholdTest, SpendsItsEpsilonAndNotMore) {
  for (const double epsilon : {0.01, 0.3, 1.0, 7.0}) {
    for (const std::int64_t reports : {1, 3, 100}) {
      for (const bool monotone : {false, true}) {
        const auto test = AboveThreshold::Create(
            {.epsilon = epsilon, .reports = reports, .monotone = monotone});
        ASSERT_TRUE(test);
        const double total = test->threshold_rate() +
                             (monotone ? 1 : 2) * static_cast<double>(reports) *
                                 test->query_rate();
        EXPECT_LE(total, epsilon * (1 + 1e-15));
        EXPECT_GT(total, epsilon * (1 - 1e-9));
        EXPECT_EQ(test->guarantee().epsilon(), epsilon);
        EXPECT_EQ(test->guarantee().relation(),
                  monotone ? Relation::kAddRemove : Relation::kReplace);
        EXPECT_EQ(test->guarantee().delta(), SamplerSlack(epsilon));
      }
    }
  }
}

TEST(AboveThresholdTest, SplitsTheBudgetForTheLeastDeviation) {
  const auto best = AboveThreshold::Create({.epsilon = 1, .reports = 4});
  ASSERT_TRUE(best);
  for (const double factor : {0.9, 0.97, 1.03, 1.1}) {
    const double threshold_rate = best->threshold_rate() * factor;
    const auto other =
        AboveThreshold::Create({.reports = 4,
                                .threshold_rate = threshold_rate,
                                .query_rate = (1 - threshold_rate) / 8});
    ASSERT_TRUE(other);
    EXPECT_GT(other->NoiseDeviation(), best->NoiseDeviation());
    EXPECT_NEAR(other->guarantee().epsilon(), 1, 1e-12);
  }
}

TEST(AboveThresholdTest, RedrawnThresholdIsTheCompositionOfItsEpochs) {
  const auto test =
      AboveThreshold::Create({.epsilon = 1,
                              .delta = 1e-6,
                              .reports = 100,
                              .threshold_noise = Noise::kRedrawn});
  ASSERT_TRUE(test);
  const auto by_hand =
      AboveThreshold::Create({.epsilon = 1,
                              .reports = 100,
                              .threshold_noise = Noise::kRedrawn,
                              .threshold_rate = test->threshold_rate(),
                              .query_rate = test->query_rate()});
  ASSERT_TRUE(by_hand);
  EXPECT_LE(by_hand->guarantee().delta(), 1e-6);
  EXPECT_GT(by_hand->guarantee().delta(), 0.99e-6);
  const auto too_much =
      AboveThreshold::Create({.epsilon = 1,
                              .delta = 1e-6,
                              .reports = 100,
                              .threshold_noise = Noise::kRedrawn,
                              .threshold_rate = 1.01 * test->threshold_rate(),
                              .query_rate = test->query_rate()});
  ASSERT_FALSE(too_much);
  EXPECT_EQ(too_much.error().code, ErrorCode::kBudgetExhausted);
}

TEST(AboveThresholdTest, RejectsParametersOutsideTheContract) {
  for (const Params& bad :
       {Params{.epsilon = 0}, Params{.epsilon = -1}, Params{.epsilon = 17},
        Params{.epsilon = NAN}, Params{.epsilon = 1, .reports = 0},
        Params{.epsilon = 1, .threshold = kQueryLimit + 1},
        Params{.epsilon = 1, .threshold_rate = 0.1},
        Params{.epsilon = 1, .threshold_rate = NAN, .query_rate = 0.1},
        Params{.epsilon = 1, .threshold_noise = Noise::kRedrawn},
        Params{.epsilon = 1e-9, .reports = 100}}) {
    const auto test = AboveThreshold::Create(bad);
    ASSERT_FALSE(test) << bad.epsilon << " " << bad.reports;
    EXPECT_EQ(test.error().code, ErrorCode::kInvalidArgument);
  }
  const auto dear = AboveThreshold::Create(
      {.epsilon = 0.5, .threshold_rate = 0.3, .query_rate = 0.2});
  ASSERT_FALSE(dear);
  EXPECT_EQ(dear.error().code, ErrorCode::kBudgetExhausted);
}

TEST(AboveThresholdTest, HaltsAfterItsReports) {
  testing::SeededRng rng(1);
  auto test = AboveThreshold::Create({.epsilon = 1, .reports = 2});
  ASSERT_TRUE(test);
  EXPECT_EQ(test->Test(-1'000'000, rng), Answer::kBelow);
  EXPECT_EQ(test->Test(kQueryLimit + 5, rng), Answer::kAbove);
  EXPECT_EQ(test->Test(std::numeric_limits<std::int64_t>::min(), rng),
            Answer::kBelow);
  EXPECT_EQ(test->Test(1'000'000, rng), Answer::kAbove);
  EXPECT_TRUE(test->halted());
  EXPECT_EQ(test->Test(1'000'000, rng), Answer::kHalted);
}

TEST(AboveThresholdTest, ChargingBelowIsTheMirrorImage) {
  testing::SeededRng rng_above(3);
  testing::SeededRng rng_below(3);
  auto above =
      AboveThreshold::Create({.epsilon = 0.5, .threshold = 40, .reports = 20});
  auto below = AboveThreshold::Create({.epsilon = 0.5,
                                       .threshold = -39,
                                       .reports = 20,
                                       .charge = Charge::kBelow});
  ASSERT_TRUE(above && below);
  while (!above->halted()) {
    for (const std::int64_t value : {-100, 0, 60, 150}) {
      const bool charged = above->Test(value, rng_above) == Answer::kAbove;
      const bool mirrored = below->Test(-value, rng_below) == Answer::kBelow;
      EXPECT_EQ(charged, mirrored);
    }
  }
  EXPECT_TRUE(below->halted());
}

TEST(AboveThresholdTest, ASavedTestGoesOnAsIfNothingHappened) {
  const Params params{.epsilon = 1, .threshold = 50, .reports = 5};
  testing::SeededRng rng(9);
  auto test = AboveThreshold::Create(params);
  ASSERT_TRUE(test);
  for (int i = 0; i < 10; ++i) test->Test(i, rng);
  ByteWriter writer;
  test->Save(writer);
  ByteReader reader(writer.bytes());
  auto loaded = AboveThreshold::Load(params, reader);
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(reader.Finish());
  testing::SeededRng rng_a(10);
  testing::SeededRng rng_b(10);
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(test->Test(i, rng_a), loaded->Test(i, rng_b));
  }
  EXPECT_EQ(test->rounds(), loaded->rounds());

  ByteReader again(writer.bytes());
  Params other = params;
  other.threshold = 51;
  EXPECT_EQ(AboveThreshold::Load(other, again).error().code,
            ErrorCode::kFailedPrecondition);
  ByteReader cheap(writer.bytes());
  other = params;
  other.epsilon = 0.5;
  EXPECT_EQ(AboveThreshold::Load(other, cheap).error().code,
            ErrorCode::kBudgetExhausted);
  ByteReader cut(std::string_view(writer.bytes()).substr(0, 60));
  EXPECT_EQ(AboveThreshold::Load(params, cut).error().code,
            ErrorCode::kCorruption);
}

// Rates that Create chose fit epsilon by the rounding of one inequality; Load
// must not judge them by the rounding of another.
TEST(AboveThresholdTest, LoadAcceptsWhateverCreateMade) {
  testing::SeededRng rng(21);
  const auto accepts = [](const Params& params) {
    const auto test = AboveThreshold::Create(params);
    ASSERT_TRUE(test) << test.error().message;
    ByteWriter writer;
    test->Save(writer);
    ByteReader reader(writer.bytes());
    const auto loaded = AboveThreshold::Load(params, reader);
    ASSERT_TRUE(loaded) << loaded.error().message << " " << params.epsilon;
    EXPECT_TRUE(reader.Finish());
    EXPECT_EQ(loaded->guarantee(), test->guarantee());
  };
  for (int i = 0; i < 200; ++i) {
    const double unit = static_cast<double>(rng.Next() >> 11) * 0x1p-53;
    accepts({.epsilon = 0.05 + 4 * unit,
             .threshold = 10,
             .reports = 1 + static_cast<std::int64_t>(rng.Next() % 200),
             .monotone = i % 2 == 0});
  }
  // Found by a search.
  accepts({.epsilon = 2.7537287417311989, .reports = 3, .monotone = true});
  accepts({.epsilon = 0.56930248142443607, .reports = 90});
  for (int i = 0; i < 10; ++i) {
    const double unit = static_cast<double>(rng.Next() >> 11) * 0x1p-53;
    accepts({.epsilon = 0.3 + 2 * unit,
             .delta = 1e-6,
             .reports = 1 + static_cast<std::int64_t>(rng.Next() % 30),
             .monotone = i % 2 == 0,
             .threshold_noise = AboveThreshold::ThresholdNoise::kRedrawn});
  }
}

// The same game with more rounds; too slow under the sanitizers.
TEST(AboveThresholdStatisticalTest, ExactRatioHoldsInLongerGames) {
  const Exact half = Exact(1) / 2;
  for (const int reports : {1, 2}) {
    const Exact bound = Power(Exact(2), 1 + 2 * reports);
    const Exact worst = WorstRatio({half, half, reports}, 5);
    EXPECT_LE(worst, bound);
    EXPECT_GT(worst, bound * 9 / 10) << worst;
  }
}

// The class against the distribution that was checked above: all transcripts of
// three queries, alpha = 1e-6.
// Printed lines: [Winnow] AboveThreshold: its distribution.
TEST(AboveThresholdStatisticalTest, AnswersFollowTheCheckedDistribution) {
  const double e1 = std::log(2.0);
  const double e2 = 0.4;
  const auto offset = std::llround(1 / std::expm1(e2) - 1 / std::expm1(e1));
  const std::array<int, 3> needs = {2, 0, -1};
  constexpr int kTrials = 200'000;
  testing::SeededRng rng(20240607);
  std::array<std::uint64_t, 8> counts{};
  const auto fresh = AboveThreshold::Create(
      {.reports = 4, .threshold_rate = e1, .query_rate = e2});
  ASSERT_TRUE(fresh);
  for (int trial = 0; trial < kTrials; ++trial) {
    AboveThreshold test = *fresh;
    std::size_t transcript = 0;
    for (const int need : needs) {
      const bool above = test.Test(offset - need, rng) == Answer::kAbove;
      transcript = 2 * transcript + (above ? 1 : 0);
    }
    ++counts[transcript];
  }
  std::array<double, 8> probabilities{};
  for (std::size_t t = 0; t < 8; ++t) {
    const std::vector<Answered> answers = {{needs[0], (t & 4) != 0},
                                           {needs[1], (t & 2) != 0},
                                           {needs[2], (t & 1) != 0}};
    probabilities[t] =
        TranscriptProbability(std::exp(-e1), std::exp(-e2), answers);
  }
  EXPECT_GT(ChiSquaredPValue(counts, probabilities), 1e-6);
}

TEST(AboveThresholdStatisticalTest, ErrsWithinItsBound) {
  constexpr int kRuns = 400;
  constexpr int kTests = 1000;
  testing::SeededRng rng(5);
  int failed = 0;
  const auto fresh = AboveThreshold::Create({.epsilon = 1, .reports = kTests});
  ASSERT_TRUE(fresh);
  const std::int64_t w = fresh->ErrorBound(kTests, 0.05);
  for (int run = 0; run < kRuns; ++run) {
    AboveThreshold test = *fresh;
    bool right = true;
    for (int i = 0; i < kTests; ++i) {
      const bool far_above = i % 2 == 0;
      const auto answer = test.Test(far_above ? w : -w, rng);
      right = right && (answer == Answer::kAbove) == far_above;
    }
    failed += right ? 0 : 1;
  }
  EXPECT_LE(
      ClopperPearsonLower(static_cast<std::uint64_t>(failed), kRuns, 1e-6),
      0.05);
}

}  // namespace
}  // namespace sotto
