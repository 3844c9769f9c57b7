#include "sotto/models/pop/pop_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "sotto/learners/ensembles/ensemble_factory.h"
#include "sotto/models/pop/pop_bound.h"
#include "sotto/models/pop/pop_test_tools.h"
#include "sotto/models/pop/private_online_procedure.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

PopPlanRequest Request(double epsilon, std::uint64_t rounds) {
  return {.epsilon = epsilon, .delta = 1e-6, .behaviour = {.rounds = rounds}};
}

TEST(PopPlanTest, TheDefaultPlanMeetsItsGuaranteeAndTheMistakesAimedAt) {
  const auto plan = PlanPop(Request(3, 1'000'000));
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_LT(plan->expected.mistakes, 1200);
  EXPECT_EQ(plan->verdict, Verdict::kComfortable);
  const auto delta = PopScheduleDelta(plan->schedule, 3);
  ASSERT_TRUE(delta);
  EXPECT_LE(*delta, 1e-6);
  EXPECT_GT(*delta, 0.5e-6);  // nothing much is wasted
}

TEST(PopPlanTest, APlanIsDeterministic) {
  const auto first = PlanPop(Request(3, 20'000));
  const auto second = PlanPop(Request(3, 20'000));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->schedule, second->schedule);
}

TEST(PopPlanTest, FewRoundsAreHopelessAndTheAdviceSaysWhatIsNot) {
  const auto plan = PlanPop(Request(1, 500));
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_NE(plan->verdict, Verdict::kComfortable);
  ASSERT_FALSE(plan->advice.empty());
}

TEST(PopPlanTest, ParametersByHandAreKeptAndRefusedIfTheyCostTooMuch) {
  PopPlanRequest request = Request(1, 100'000);
  request.by_hand.copies = 2001;
  request.by_hand.reports = 100;
  const auto plan = PlanPop(request);
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->schedule.phases.size(), 1U);
  EXPECT_EQ(plan->schedule.phases[0].copies, 2001);
  EXPECT_EQ(plan->schedule.phases[0].reports, 100);
  request.by_hand.noise_scale = 20;
  const auto refused = PlanPop(request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBudgetExhausted);
}

TEST(PopPlanTest, ABoundIsProvedForAClassThatErrsOnce) {
  PopPlanRequest request = Request(3, 1'000'000);
  request.goal = PopGoal::kBound;
  request.mistake_bound = 1;
  const auto plan = PlanPop(request);
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_TRUE(plan->mistakes_bound);
  EXPECT_LT(*plan->mistakes_bound, 5000);
  EXPECT_GT(*plan->mistakes_bound,
            static_cast<double>(plan->schedule.phases[0].copies));
  request.mistake_bound = 500;
  EXPECT_FALSE(PlanPop(request));
}

TEST(PopPlanTest, NonsenseIsRefused) {
  EXPECT_FALSE(PlanPop(Request(0, 1000)));
  EXPECT_FALSE(PlanPop(Request(1, 0)));
  PopPlanRequest request = Request(1, 1000);
  request.delta = 0;
  EXPECT_FALSE(PlanPop(request));
  request = Request(1, 1000);
  request.pin_users = true;
  EXPECT_FALSE(PlanPop(request));
  request = Request(1, 1000);
  request.goal = PopGoal::kBound;
  request.mistake_bound = 1;
  request.behaviour.label_delay = 10;
  EXPECT_FALSE(PlanPop(request));
  for (const double rate : {0.0, 1.5}) {
    request = Request(1, 1000);
    request.behaviour.label_rate = rate;
    EXPECT_FALSE(PlanPop(request)) << rate;
  }
  for (const double noise : {-0.1, 0.5}) {
    request = Request(1, 1000);
    request.behaviour.noise = noise;
    EXPECT_FALSE(PlanPop(request)) << noise;
  }
}

TEST(PopBoundTest, NothingIsProvedWhereTheArgumentDoesNotApply) {
  PopSchedule schedule{
      .handover = PhaseEnd::kRestart,
      .stopper = 0.5,
      .phases = {{.copies = 201, .rate = 0.05, .gap = 10, .reports = 2000}}};
  const PopBoundRequest request{.rounds = 2000, .mistakes = 1};
  EXPECT_TRUE(PopMistakes(schedule, request));
  PopSchedule other = schedule;
  other.pin_users = true;
  EXPECT_FALSE(PopMistakes(other, request));
  other = schedule;
  other.phases[0].rounds = 100;
  EXPECT_FALSE(PopMistakes(other, request));
  other = schedule;
  other.mistakes = 100;
  EXPECT_FALSE(PopMistakes(other, request));
}

// Wrong answers in all rounds of a stream that behaves so.
double CountMistakes(const PopPlan& plan, double epsilon,
                     const PopBehaviour& behaviour, std::uint64_t seed) {
  testing::SeededRng source(seed);
  TestStream stream = Thresholds(behaviour.rounds, source);
  std::vector<bool> labels;
  for (auto& example : stream.examples) {
    labels.push_back(*example.y != (Uniform(source) < behaviour.noise));
    example.y = labels.back();
    if (Uniform(source) >= behaviour.label_rate) example.y.reset();
  }
  const auto spec = LearnerSpec::Parse("threshold");
  auto pop = PrivateOnlineProcedure::Create(
      {.epsilon = epsilon, .delta = 1e-6, .schedule = plan.schedule},
      *MakeEnsembleFactory(*spec, {}));
  std::vector<PrivateOnlineProcedure::Answer> answers(labels.size());
  testing::SeededRng rng(seed + 100);
  EXPECT_TRUE(pop->Play(stream.examples, answers, rng));
  double mistakes = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    mistakes += answers[i].prediction != labels[i] ? 1 : 0;
  }
  return mistakes;
}

// Fixed seeds: the runs are the same every time, so there is no false alarm;
// the margin is what the page states.
void ExpectForetold(double epsilon, const PopBehaviour& behaviour) {
  PopPlanRequest request = Request(epsilon, behaviour.rounds);
  request.behaviour = behaviour;
  const auto plan = PlanPop(request);
  ASSERT_TRUE(plan) << plan.error().message;
  double mean = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    mean += CountMistakes(*plan, epsilon, behaviour, seed) / 4;
  }
  EXPECT_LT(mean, plan->expected.mistakes * 1.33) << epsilon;
  EXPECT_GT(mean, plan->expected.mistakes / 1.5) << epsilon;
}

TEST(PopPlanStatisticalTest, ForecastIsWithinAThird) {
  for (const double epsilon : {1.0, 3.0}) {
    ExpectForetold(epsilon, {.rounds = 300'000});
  }
}

TEST(PopPlanStatisticalTest, MissingAndWrongLabelsAreForetoldToWithinAThird) {
  ExpectForetold(3, {.rounds = 300'000, .label_rate = 0.1});
  ExpectForetold(3, {.rounds = 200'000, .noise = 0.05});
  ExpectForetold(3, {.rounds = 200'000, .label_rate = 0.5, .noise = 0.1});
}

TEST(PopPlanStatisticalTest, APlanThatKnowsTheLabelRateErrsHalfAsOften) {
  const PopBehaviour few{.rounds = 300'000, .label_rate = 0.1};
  PopPlanRequest request = Request(3, few.rounds);
  const auto unaware = PlanPop(request);
  request.behaviour = few;
  const auto aware = PlanPop(request);
  ASSERT_TRUE(unaware && aware);
  EXPECT_LT(CountMistakes(*aware, 3, few, 1),
            0.5 * CountMistakes(*unaware, 3, few, 1));
}

struct MovingTarget {
  bool jumps = false;  // half way, from 0.37 to 0.71
  double noise = 0;
};

double MistakesOn(const MovingTarget& target, const PopPlanRequest& request) {
  const auto plan = PlanPop(request);
  EXPECT_TRUE(plan);
  const std::size_t rounds = request.behaviour.rounds;
  testing::SeededRng source(21);
  TestStream stream = Thresholds(rounds, source);
  for (std::size_t i = 0; i < rounds; ++i) {
    const double t = target.jumps && i >= rounds / 2 ? 0.71 : 0.37;
    const bool flipped = Uniform(source) < target.noise;
    stream.examples[i].y = (stream.x[i][0].value >= t) != flipped;
  }
  auto pop = PrivateOnlineProcedure::Create(
      {.epsilon = request.epsilon, .delta = 1e-6, .schedule = plan->schedule},
      *MakeEnsembleFactory(*LearnerSpec::Parse("threshold"), {}));
  std::vector<PrivateOnlineProcedure::Answer> answers(rounds);
  testing::SeededRng rng(22);
  EXPECT_TRUE(pop->Play(stream.examples, answers, rng));
  double mistakes = 0;
  for (std::size_t i = 0; i < rounds; ++i) {
    mistakes += answers[i].prediction != *stream.examples[i].y ? 1 : 0;
  }
  return mistakes;
}

// A limit of 300 mistakes a phase, whatever the plan expected, ended every
// phase before it had learned anything: 50,976 mistakes after one jump.
TEST(PopPlanStatisticalTest, AgnosticModeHelpsWhereTheTargetMoves) {
  const PopPlanRequest plain = Request(1, 300'000);
  PopPlanRequest agnostic = plain;
  agnostic.mistakes_per_phase = 300;
  const MovingTarget jump{.jumps = true};
  EXPECT_LT(MistakesOn(jump, agnostic), 0.75 * MistakesOn(jump, plain));
  EXPECT_LT(MistakesOn({}, agnostic), 5000);
}

// 15,000 wrong labels cannot be foreseen.
TEST(PopPlanStatisticalTest, AgnosticModeLivesWithWrongLabels) {
  const MovingTarget noisy{.noise = 0.05};
  PopPlanRequest agnostic = Request(1, 300'000);
  agnostic.mistakes_per_phase = 300;
  EXPECT_LT(MistakesOn(noisy, agnostic), 28'000);
  agnostic.behaviour.noise = 0.05;
  EXPECT_LT(MistakesOn(noisy, agnostic), 21'000);
  const MovingTarget both{.jumps = true, .noise = 0.05};
  EXPECT_LT(MistakesOn(both, agnostic), 26'000);
}

// Copies that err once: each point of a long list has a label that a copy
// learns when it is taught. The stream repeats a point until it is learned.
TEST(PopBoundStatisticalTest, NoStreamOfPointsExceedsTheBound) {
  const PopPhase phase{.copies = 201, .rate = 0.05, .gap = 10, .reports = 400};
  const PopSchedule schedule{
      .handover = PhaseEnd::kRestart, .stopper = 0.1, .phases = {phase}};
  const std::size_t rounds = 5000;
  const auto bound =
      PopPhaseEvents(phase, PopEvent::kMistake, 1,
                     {.rounds = rounds, .mistakes = 1, .failure = 1e-6});
  ASSERT_TRUE(bound);
  EXPECT_LT(*bound, 1000);
  const auto spec = LearnerSpec::Parse("point");
  double most = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto pop = PrivateOnlineProcedure::Create(
        {.epsilon = 16, .delta = 0.999, .schedule = schedule},
        *MakeEnsembleFactory(*spec, {}));
    ASSERT_TRUE(pop) << pop.error().message;
    const FeatureVector x = {{0, 5}};
    const std::vector<PrivateOnlineProcedure::Example> stream(rounds,
                                                              {x, true});
    std::vector<PrivateOnlineProcedure::Answer> answers(rounds);
    testing::SeededRng rng(seed);
    ASSERT_TRUE(pop->Play(stream, answers, rng));
    const auto wrong = std::count_if(answers.begin(), answers.end(),
                                     [](auto& a) { return !a.prediction; });
    most = std::max(most, static_cast<double>(wrong));
  }
  EXPECT_LE(most, *bound);
  EXPECT_GT(most, 0.25 * *bound);  // the bound is not idle
}

}  // namespace
}  // namespace sotto
