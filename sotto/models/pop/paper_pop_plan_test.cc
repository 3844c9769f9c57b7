#include "sotto/models/pop/paper_pop_plan.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sotto {
namespace {

PaperPopRequest Thresholds(double epsilon, std::uint64_t rounds) {
  return {.epsilon = epsilon,
          .delta = 1e-6,
          .behaviour = {.rounds = rounds},
          .mistake_bound = 10};
}

TEST(PaperPopPlanTest, TheLeastNumbersLastForAllRounds) {
  const auto plan = PlanPaperPop(Thresholds(8, 1'000'000));
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_FALSE(plan->halts);
  EXPECT_TRUE(CheckFits(*plan));
  const auto promise = CounterOnlineProcedure::Promise(plan->params);
  ASSERT_TRUE(promise) << promise.error().message;
  EXPECT_LE(promise->delta(), 1e-6);
  EXPECT_GT(plan->expected.mistakes, 0.02 * 1e6);
  EXPECT_LT(plan->expected.mistakes, 0.08 * 1e6);
  EXPECT_GT(static_cast<double>(plan->params.reports), plan->expected.paid);
  // Half of the reports are used up before the last round.
  PaperPopRequest fewer = Thresholds(8, 1'000'000);
  fewer.reports = plan->params.reports / 2;
  const auto halts = PlanPaperPop(fewer);
  ASSERT_TRUE(halts);
  ASSERT_TRUE(halts->halts);
  EXPECT_LT(*halts->halts, 1e6);
  EXPECT_GT(halts->expected.mistakes, plan->expected.mistakes);
}

TEST(PaperPopPlanTest, TheBestCounterErrsLess) {
  PaperPopRequest request = Thresholds(8, 1'000'000);
  request.reports = 100'000;
  const auto binary = PlanPaperPop(request);
  request.best_counter = true;
  const auto best = PlanPaperPop(request);
  ASSERT_TRUE(binary && best);
  EXPECT_LT(best->counter_error / best->params.noise.counter_epsilon,
            binary->counter_error / binary->params.noise.counter_epsilon);
  EXPECT_GE(best->params.noise.rate, binary->params.noise.rate);
}

// The paper's formulas, checked one by one.
TEST(PaperPopPlanTest, ThePrintedNumbersAreThePapers) {
  PaperPopRequest request = Thresholds(8, 1'000'000);
  request.printed = true;
  const auto plan = PlanPaperPop(request);
  ASSERT_TRUE(plan) << plan.error().message;
  const auto& params = plan->params;
  const auto k = static_cast<double>(params.copies);
  const auto late = static_cast<double>(params.noise.late);
  EXPECT_NEAR(static_cast<double>(params.reports),
              18 * 10 * k + 18 + 6 * std::log(20) + late, 1e-5 * 180 * k);
  const double all = static_cast<double>(params.reports) + late;
  const double gamma = 2.0 / 8 * std::sqrt(all) * std::log(2 * all / 1e-6);
  EXPECT_NEAR(1 / params.noise.rate, gamma, 1e-5 * gamma);
  EXPECT_NEAR(k, 20 * gamma * std::log(1e6 / 0.05), 1e-4 * k);
  EXPECT_EQ(params.noise.counter_epsilon, 4);
  EXPECT_EQ(params.noise.counter_failure, 2.5e-7);
  // More copies than an ensemble holds, and than there are rounds.
  EXPECT_GT(k, 2e9);
  EXPECT_FALSE(CheckFits(*plan));
  request.constant = 0.01;
  const auto small = PlanPaperPop(request);
  ASSERT_TRUE(small);
  EXPECT_LT(static_cast<double>(small->params.copies), k / 1000);
}

TEST(PaperPopPlanTest, RefusesWhatMakesNoSense) {
  const auto refused = [](const auto& change) {
    PaperPopRequest request = Thresholds(3, 10'000);
    change(request);
    return !PlanPaperPop(request);
  };
  EXPECT_FALSE(refused([](auto&) {}));
  EXPECT_TRUE(refused([](auto& r) { r.epsilon = 0; }));
  EXPECT_TRUE(refused([](auto& r) { r.delta = 0; }));
  EXPECT_TRUE(refused([](auto& r) { r.behaviour.rounds = 0; }));
  EXPECT_TRUE(refused([](auto& r) { r.behaviour.rounds = 1ULL << 32; }));
  EXPECT_TRUE(refused([](auto& r) { r.reports = 0; }));
  EXPECT_TRUE(refused([](auto& r) { r.noise_scale = -1; }));
  EXPECT_TRUE(refused([](auto& r) {
    r.printed = true;
    r.mistake_bound.reset();
  }));
}

}  // namespace
}  // namespace sotto
