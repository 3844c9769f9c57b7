#include "sotto/models/pop/counter_online_procedure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "sotto/base/rational.h"
#include "sotto/learners/ensembles/ensemble_factory.h"
#include "sotto/learners/learner_spec.h"
#include "sotto/learners/threshold_learner.h"
#include "sotto/mechanisms/counters/tree_counter.h"
#include "sotto/models/pop/paper_pop_plan.h"
#include "sotto/models/pop/pop_schedule.h"
#include "sotto/models/pop/pop_test_tools.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using Pop = CounterOnlineProcedure;

// The least noise for an epsilon that is of no use: few copies, quick tests.
Pop::Params Calibrated(std::int64_t reports, std::uint64_t horizon,
                       double delta = 1e-2) {
  const auto plan = PlanPaperPop({.epsilon = 16,
                                  .delta = delta,
                                  .behaviour = {.rounds = horizon},
                                  .reports = reports});
  EXPECT_TRUE(plan) << (plan ? "" : plan.error().message);
  return plan->params;
}

Pop MustCreate(const Pop::Params& params) {
  auto pop = Pop::Create(params, PlainThresholds());
  EXPECT_TRUE(pop) << (pop ? "" : pop.error().message);
  return *std::move(pop);
}

struct Line {
  bool prediction = false;
  bool report = false;
  bool halted = false;
};

// Algorithms 6 and 7 from their lines, with the noise given: the counter is the
// class, the rest is plain.
class Printed {
 public:
  explicit Printed(const Pop::Params& params)
      : params_(params),
        copies_(static_cast<std::size_t>(params.copies)),
        counter_(*TreeCounter::Create(
            {.epsilon = params.noise.counter_epsilon,
             .horizon = params.horizon,
             .failure = params.noise.counter_failure,
             .radices = std::vector<std::uint64_t>(17, 2)})),
        laplace_(*FixedWorkLaplace::Create(*RationalBelow(params.noise.rate))) {
  }

  Line Play(const std::optional<FeatureVector>& x, std::optional<bool> y,
            Rng& rng) {
    const bool coin = (rng.Next() >> 63) != 0;
    const auto k = static_cast<std::int64_t>(copies_.size());
    const std::int64_t l = ChooseCopy(rng.Next(), k);  // (c)
    std::int64_t sum = 0;                              // (d)
    for (const ThresholdLearner& copy : copies_) {
      sum += x && copy.Predict(*x) ? 1 : 0;
    }
    const std::int64_t f = -std::abs(k / 2 - sum);  // (e)
    const std::int64_t noise = laplace_.Sample(rng);
    const bool sigma = x && f + noise >= -k / 4;
    ++rounds_;
    Line line{.report = sigma};
    line.halted = *counter_.Add(sigma ? 1 : 0, rng) >= params_.reports ||
                  rounds_ == params_.horizon;
    line.prediction = sigma ? coin : 2 * sum >= k;  // (f), (g)
    if (x && y && !line.halted) {                   // (h)
      copies_[static_cast<std::size_t>(l)].Update(*x, *y);
    }
    return line;
  }

 private:
  Pop::Params params_;
  std::vector<ThresholdLearner> copies_;
  TreeCounter counter_;
  FixedWorkLaplace laplace_;
  std::uint64_t rounds_ = 0;
};

// Every seventh user is absent, every fifth label is missing.
TEST(CounterOnlineProcedureTest, AnswersAsTheLinesOfThePaper) {
  const auto fast = MakeEnsembleFactory(*LearnerSpec::Parse("threshold"), {});
  ASSERT_TRUE(fast);
  for (const std::int64_t reports : {1500, 20'000}) {
    auto made = Pop::Create(Calibrated(reports, 100'000, 0.9), *fast);
    ASSERT_TRUE(made) << made.error().message;
    Pop pop = *std::move(made);
    Printed printed(pop.params());
    testing::SeededRng here(4);
    testing::SeededRng there(4);
    testing::SeededRng data(5);
    std::uint64_t rounds = 0;
    std::uint64_t paid = 0;
    for (; rounds < 100'000 && !pop.halted(); ++rounds) {
      const double value = Uniform(data);
      const FeatureVector x = {{0, value}};
      if (rounds % 7 == 3) {
        const Line line = printed.Play(std::nullopt, std::nullopt, there);
        ASSERT_TRUE(pop.PlayEmptyRound(here));
        ASSERT_EQ(pop.halted(), line.halted) << rounds;
        continue;
      }
      std::optional<bool> y = value >= 0.37;
      if (rounds % 5 == 2) y.reset();
      const Line line = printed.Play(x, y, there);
      auto round = pop.Open(x, "", here);
      ASSERT_TRUE(round);
      ASSERT_EQ(round->prediction(), line.prediction) << rounds;
      ASSERT_EQ(round->paid(), line.report) << rounds;
      ASSERT_EQ(pop.halted(), line.halted) << rounds;
      paid += line.report ? 1 : 0;
      if (y) {
        ASSERT_TRUE(pop.Close(*std::move(round), *y));
      }
    }
    EXPECT_TRUE(pop.halted());
    EXPECT_EQ(rounds == 100'000, reports == 20'000);
    EXPECT_GT(paid, 200u);
    EXPECT_EQ(here.Next(), there.Next());
  }
}

TEST(CounterOnlineProcedureTest, AnEmptyRoundDrawsAsMuch) {
  Pop here = MustCreate(Calibrated(100, 200));
  Pop there = MustCreate(Calibrated(100, 200));
  testing::SeededRng first(1);
  testing::SeededRng second(1);
  const FeatureVector x = {{0, 0.5}};
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(here.Open(x, "", first));
    ASSERT_TRUE(there.PlayEmptyRound(second));
    ASSERT_EQ(first.Next(), second.Next()) << i;
  }
  EXPECT_TRUE(here.halted() && there.halted());
  EXPECT_EQ(here.Open(x, "", first).error().code,
            ErrorCode::kFailedPrecondition);
}

TEST(CounterOnlineProcedureTest, ContinuesFromItsStateAtEveryRound) {
  const Pop::Params params = Calibrated(60, 300);
  Pop straight = MustCreate(params);
  Pop saved = MustCreate(params);
  testing::SeededRng here(2);
  testing::SeededRng there(2);
  testing::SeededRng data(3);
  for (int i = 0; i < 300 && !straight.halted(); ++i) {
    ByteWriter writer;
    ASSERT_TRUE(saved.Save(writer));
    ByteReader reader(writer.bytes());
    auto loaded = Pop::Load(saved.params(), PlainThresholds(), reader);
    ASSERT_TRUE(loaded) << loaded.error().message;
    ASSERT_TRUE(reader.Finish());
    saved = *std::move(loaded);
    const FeatureVector x = {{0, Uniform(data)}};
    auto one = straight.Open(x, "", here);
    auto two = saved.Open(x, "", there);
    ASSERT_TRUE(one && two);
    ASSERT_EQ(one->answer, two->answer) << i;
    ByteWriter open;
    two->Save(open);
    ByteReader again(open.bytes());
    auto round = PopRound::Load(again, 1);
    ASSERT_TRUE(round);
    const bool y = x[0].value > 0.5;
    ASSERT_TRUE(straight.Close(*std::move(one), y));
    ASSERT_TRUE(saved.Close(*std::move(round), y));
  }
  ByteWriter writer;
  ASSERT_TRUE(straight.Save(writer));
  ByteReader reader(writer.bytes());
  Pop::Params other = straight.params();
  other.reports = 61;
  EXPECT_FALSE(Pop::Load(other, PlainThresholds(), reader));
}

// The promise is the sum of ChallengeAT and of the majorities that are shown.
TEST(CounterOnlineProcedureTest, ThePromiseIsMadeOfItsParts) {
  const Pop::Params params = Calibrated(60, 300);
  const Pop pop = MustCreate(params);
  const Spend& spend = pop.guarantee().spend();
  EXPECT_LE(pop.guarantee().delta(), 1e-2);
  ASSERT_EQ(spend.parts.size(), 2U);
  EXPECT_EQ(spend.parts[1].name, "majorities");
  EXPECT_GT(spend.parts[1].cost.delta, 0.2 * 1e-2);
  EXPECT_LE(spend.parts[1].cost.delta, 0.25 * 1e-2);
  const auto& noise = pop.params().noise;
  const double missed =
      std::exp(-noise.rate * static_cast<double>(params.copies) / 4);
  const double shown = (1 + std::exp(params.epsilon)) * missed / (1 - missed) *
                       static_cast<double>(60 + noise.late + 1);
  EXPECT_NEAR(spend.parts[1].cost.delta, shown, 1e-9 * shown);
  // A quarter fewer copies show more majorities than there is delta for.
  Pop::Params fewer = params;
  fewer.copies = params.copies / 16 * 12;
  const auto refused = Pop::Create(fewer, PlainThresholds());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBudgetExhausted);
  // So does a report more than the noise is for, many times over.
  Pop::Params more = params;
  more.reports *= 2;
  EXPECT_FALSE(Pop::Create(more, PlainThresholds()));
}

TEST(CounterOnlineProcedureTest, UsersOfThreeRoundsGetMoreNoise) {
  const auto one = PlanPaperPop({.epsilon = 8,
                                 .delta = 1e-3,
                                 .behaviour = {.rounds = 1000},
                                 .reports = 50});
  const auto three = PlanPaperPop({.epsilon = 8,
                                   .delta = 1e-3,
                                   .rounds_per_user = 3,
                                   .behaviour = {.rounds = 1000},
                                   .reports = 50});
  ASSERT_TRUE(one && three);
  EXPECT_GT(one->params.noise.rate, 2 * three->params.noise.rate);
  const Pop pop = MustCreate(three->params);
  EXPECT_EQ(pop.guarantee().rounds_per_user(), 3u);
  // The promise has the cost of all three.
  EXPECT_GT(Total(pop.guarantee().spend()).epsilon, 7.99);
  EXPECT_LE(Total(pop.guarantee().spend()).epsilon, 8);
  EXPECT_LE(pop.guarantee().delta(), 1e-3);
}

TEST(CounterOnlineProcedureTest, RefusesNumbersOutOfRange) {
  const auto refused = [](const auto& change) {
    Pop::Params params = Calibrated(100, 1000);
    change(params);
    return !Pop::Create(params, PlainThresholds());
  };
  EXPECT_FALSE(refused([](auto&) {}));
  EXPECT_TRUE(refused([](auto& p) { p.copies = 402; }));
  EXPECT_TRUE(refused([](auto& p) { p.copies = 0; }));
  EXPECT_TRUE(refused([](auto& p) { p.reports = 0; }));
  EXPECT_TRUE(refused([](auto& p) { p.horizon = 0; }));
  EXPECT_TRUE(refused([](auto& p) { p.noise.rate = 0; }));
  EXPECT_TRUE(refused([](auto& p) { p.rounds_per_user = 0; }));
}

TEST(LeastCopiesTest, AreTheFewestThatCostNoMore) {
  const CounterAboveThreshold::Noise noise{.rate = 0.01, .late = 50};
  const std::int64_t k = LeastCopies(noise, 1000, 3, 1e-7);
  EXPECT_EQ(k % 4, 0);
  EXPECT_LE(MajorityCost(k, 0.01, 1051, 3), 1e-7);
  EXPECT_GT(MajorityCost(k - 4, 0.01, 1051, 3), 1e-7);
}

}  // namespace
}  // namespace sotto
