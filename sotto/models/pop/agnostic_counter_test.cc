// POP restarted on mistakes, by a private counter of them: Definition F.2 and
// Theorem F.4 of [POP].
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <optional>
#include <vector>

#include "sotto/base/rational.h"
#include "sotto/learners/ensembles/ensemble_factory.h"
#include "sotto/learners/learner_spec.h"
#include "sotto/learners/threshold_learner.h"
#include "sotto/mechanisms/counters/tree_counter.h"
#include "sotto/models/pop/counter_online_procedure.h"
#include "sotto/models/pop/paper_pop_plan.h"
#include "sotto/models/pop/pop_test_tools.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using Pop = CounterOnlineProcedure;

Pop::Params Calibrated(std::uint64_t mistakes, std::int64_t reports,
                       std::uint64_t horizon, double delta = 0.5) {
  const auto plan = PlanPaperPop({.epsilon = 16,
                                  .delta = delta,
                                  .agnostic = mistakes,
                                  .behaviour = {.rounds = horizon},
                                  .reports = reports});
  EXPECT_TRUE(plan) << (plan ? "" : plan.error().message);
  return plan->params;
}

// Definition F.2 from its lines, over and over, with the noise given: the
// counters are the class, the rest is plain.
class PrintedAgnostic {
 public:
  struct Line {
    bool prediction = false;
    bool report = false;
    int phase = 0;
    std::int64_t copy = 0;
  };

  explicit PrintedAgnostic(const Pop::Params& params)
      : params_(params),
        laplace_(*FixedWorkLaplace::Create(*RationalBelow(params.noise.rate))) {
    Begin();
  }

  Line Play(const std::optional<FeatureVector>& x, Rng& rng) {
    const bool coin = (rng.Next() >> 63) != 0;
    const auto k = static_cast<std::int64_t>(copies_.size());
    const std::int64_t l = ChooseCopy(rng.Next(), k);
    std::int64_t sum = 0;
    for (const ThresholdLearner& copy : copies_) {
      sum += x && copy.Predict(*x) ? 1 : 0;
    }
    const std::int64_t noise = laplace_.Sample(rng);
    const bool sigma = x && noise - std::abs(k / 2 - sum) >= -k / 4;
    const Line line{sigma ? coin : 2 * sum >= k, sigma, phase_, l};
    const bool reported = *reports_->Add(sigma ? 1 : 0, rng) >= params_.reports;
    const bool erred = *mistakes_->Add(wrong_, rng) >= params_.mistakes;
    wrong_ = 0;
    if (reported || erred) {
      ++phase_;
      by_mistakes_ += erred ? 1 : 0;
      Begin();
    }
    return line;
  }
  // The label of a round comes; after its phase it is of no use.
  void Learn(const Line& line, const FeatureVector& x, bool y) {
    if (line.phase != phase_) return;
    wrong_ += line.prediction != y ? 1 : 0;
    copies_[static_cast<std::size_t>(line.copy)].Update(x, y);
  }
  int phase() const { return phase_; }
  int by_mistakes() const { return by_mistakes_; }

 private:
  void Begin() {
    copies_.assign(static_cast<std::size_t>(params_.copies), {});
    const auto counter = [&](double epsilon) {
      return *TreeCounter::Create(
          {.epsilon = epsilon,
           .horizon = params_.horizon,
           .radices = std::vector<std::uint64_t>(17, 2)});
    };
    reports_ = counter(params_.noise.counter_epsilon);
    mistakes_ = counter(params_.mistake_epsilon);
    wrong_ = 0;
  }

  Pop::Params params_;
  std::vector<ThresholdLearner> copies_;
  std::optional<TreeCounter> reports_;
  std::optional<TreeCounter> mistakes_;
  FixedWorkLaplace laplace_;
  std::uint64_t wrong_ = 0;
  int phase_ = 0;
  int by_mistakes_ = 0;
};

// Every seventh user is absent, every fifth label is missing, the others come
// three rounds later. The target jumps, so that phases end by mistakes.
TEST(AgnosticCounterTest, AnswersAsTheLinesOfThePaper) {
  constexpr std::uint64_t kRounds = 100'000;
  const auto fast = MakeEnsembleFactory(*LearnerSpec::Parse("threshold"), {});
  ASSERT_TRUE(fast);
  auto made = Pop::Create(Calibrated(900, 1100, kRounds, 0.9), *fast);
  ASSERT_TRUE(made) << made.error().message;
  Pop pop = *std::move(made);
  PrintedAgnostic printed(pop.params());
  struct Open {
    std::uint64_t due;
    PrintedAgnostic::Line line;
    Pop::Round round;
    FeatureVector x;
    bool y;
  };
  std::deque<Open> open;
  testing::SeededRng here(4);
  testing::SeededRng there(4);
  testing::SeededRng data(5);
  for (std::uint64_t i = 0; i < kRounds; ++i) {
    for (; !open.empty() && open.front().due <= i; open.pop_front()) {
      Open& now = open.front();
      printed.Learn(now.line, now.x, now.y);
      ASSERT_TRUE(pop.Close(std::move(now.round), now.y));
    }
    const double value = Uniform(data);
    const FeatureVector x = {{0, value}};
    if (i % 7 == 3) {
      printed.Play(std::nullopt, there);
      ASSERT_TRUE(pop.PlayEmptyRound(here));
      continue;
    }
    const auto line = printed.Play(x, there);
    auto round = pop.Open(x, "", here);
    ASSERT_TRUE(round);
    ASSERT_EQ(round->prediction(), line.prediction) << i;
    ASSERT_EQ(round->paid(), line.report) << i;
    if (i + 1 < kRounds) {
      ASSERT_EQ(pop.phase(), static_cast<std::uint64_t>(printed.phase())) << i;
    }
    const bool y = value >= (i / 20'000 % 2 == 0 ? 0.2 : 0.8);
    if (i % 5 != 2) open.push_back({i + 3, line, *std::move(round), x, y});
  }
  EXPECT_TRUE(pop.halted());
  EXPECT_GE(printed.phase(), 4);
  EXPECT_GE(printed.by_mistakes(), 2);
  EXPECT_LT(printed.by_mistakes(), printed.phase());
  EXPECT_EQ(here.Next(), there.Next());
}

TEST(AgnosticCounterTest, AnEmptyRoundDrawsAsMuch) {
  const Pop::Params params = Calibrated(200, 500, 400);
  auto one = Pop::Create(params, PlainThresholds());
  auto two = Pop::Create(params, PlainThresholds());
  ASSERT_TRUE(one && two);
  testing::SeededRng first(1);
  testing::SeededRng second(1);
  const FeatureVector x = {{0, 0.5}};
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(one->Open(x, "", first));
    ASSERT_TRUE(two->PlayEmptyRound(second));
    ASSERT_EQ(first.Next(), second.Next()) << i;
  }
}

// Phases that end by reports, and by mistakes: every second label is one.
void ExpectContinues(std::int64_t reports) {
  const Pop::Params params = Calibrated(120, reports, 600);
  auto straight = Pop::Create(params, PlainThresholds());
  auto saved = Pop::Create(params, PlainThresholds());
  ASSERT_TRUE(straight && saved);
  testing::SeededRng here(2);
  testing::SeededRng there(2);
  testing::SeededRng data(3);
  for (int i = 0; i < 600; ++i) {
    ByteWriter writer;
    ASSERT_TRUE(saved->Save(writer));
    ByteReader reader(writer.bytes());
    saved = Pop::Load(straight->params(), PlainThresholds(), reader);
    ASSERT_TRUE(saved) << saved.error().message;
    ASSERT_TRUE(reader.Finish());
    const FeatureVector x = {{0, Uniform(data)}};
    auto one = straight->Open(x, "", here);
    auto two = saved->Open(x, "", there);
    ASSERT_TRUE(one && two);
    ASSERT_EQ(one->answer, two->answer) << i;
    ASSERT_EQ(straight->phase(), saved->phase()) << i;
    const bool y = Uniform(data) > 0.5;
    ASSERT_TRUE(straight->Close(*std::move(one), y));
    ASSERT_TRUE(saved->Close(*std::move(two), y));
  }
  EXPECT_TRUE(saved->halted());
  EXPECT_GE(saved->phase(), 3u);
}

TEST(AgnosticCounterTest, ContinuesFromItsStateAtEveryRound) {
  ExpectContinues(10);
  ExpectContinues(300);
}

// Mistakes are a part of ChallengeAT's cost, two steps of their counter.
TEST(AgnosticCounterTest, ThePromiseIsMadeOfItsParts) {
  const Pop::Params params = Calibrated(300, 100, 1000, 1e-2);
  const auto promise = Pop::Promise(params);
  ASSERT_TRUE(promise) << promise.error().message;
  const Spend& tests = promise->spend().parts[0];
  ASSERT_EQ(tests.parts.size(), 3U);
  EXPECT_EQ(tests.parts[2].name, "mistakes");
  EXPECT_NEAR(Total(tests.parts[2]).epsilon, 2 * params.mistake_epsilon, 1e-9);
  // The same without mistakes costs less, and another counter more.
  Pop::Params without = params;
  without.mistakes = 0;
  const auto less = Pop::Promise(without);
  ASSERT_TRUE(less);
  EXPECT_LT(less->spend().parts[0].cost.delta, 0.9 * tests.cost.delta);
  Pop::Params louder = params;
  louder.mistake_epsilon *= 2;
  const auto more = Pop::Promise(louder);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::kBudgetExhausted);
}

// Definition F.2 with w = 2u, and Lemma F.3.
TEST(AgnosticCounterTest, ThePlansNumbersAreThoseOfTheLemma) {
  PaperPopRequest request{.epsilon = 8,
                          .delta = 1e-6,
                          .agnostic = 20'000,
                          .behaviour = {.rounds = 1'000'000},
                          .mistake_bound = 1};
  const auto least = PlanPaperPop(request);
  ASSERT_TRUE(least) << least.error().message;
  EXPECT_EQ(least->params.mistakes, 20'000);
  EXPECT_LE(least->mistake_error, 20'000 / 3.0);
  EXPECT_GT(least->mistake_error, 0.99 * 20'000 / 3.0);
  EXPECT_TRUE(Pop::Promise(least->params));
  request.printed = true;
  const auto printed = PlanPaperPop(request);
  ASSERT_TRUE(printed) << printed.error().message;
  const auto& params = printed->params;
  EXPECT_EQ(params.mistake_epsilon, 2);
  EXPECT_EQ(params.noise.counter_epsilon, 2);
  EXPECT_EQ(params.mistakes, params.reports + params.reports / 2);
  const double needed = 18 * std::log(1e6) * static_cast<double>(params.copies);
  EXPECT_NEAR(static_cast<double>(params.reports), needed, 1e-3 * needed);
  request.printed = false;
  request.agnostic = 20;
  const auto few = PlanPaperPop(request);
  ASSERT_FALSE(few);
  EXPECT_EQ(few.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace sotto
