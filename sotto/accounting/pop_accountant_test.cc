#include "sotto/accounting/pop_accountant.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sotto {
namespace {

TEST(PopDeltaTest, ReproducesTheReferenceMoments) {
  const auto delta = [](const StoppedProcess& band, double stopper) {
    const auto curve = StoppedProcessCurve(band);
    return curve ? DeltaFromRenyi(curve->ComposedWith(PureCurve(stopper)), 1)
                 : NAN;
  };
  EXPECT_NEAR(delta({.rate = .01, .targets = 100, .gap = 100}, .1) / 7.4497e-7,
              1, 1e-3);
  EXPECT_NEAR(
      delta({.rate = .003, .targets = 1000, .gap = 200}, .08) / 7.29161e-7, 1,
      1e-3);
}

struct Sample {
  PopProcess process;
  double epsilon;
  double attack;  // exact value of a game with few rounds: a lower bound
  double bound;   // min(A, B), computed independently
};

constexpr Sample kSamples[] = {
    {{.rate = .2, .gap = 4, .targets = 1, .stopper = 2}, .5, .6845, .7776},
    {{.rate = .2, .gap = 4, .targets = 1, .stopper = 2}, 1, .5589, .6641},
    {{.rate = .3, .gap = 6, .targets = 2, .stopper = 2}, 3, .0616, .2281},
    {{.rate = .3, .gap = 6, .targets = 1, .stopper = 2}, 4, .00372, .0446},
    {{.rate = .5, .gap = 4, .targets = 1, .stopper = 2}, 4, .0347, .2408},
    {{.rate = .5, .gap = 4, .targets = 2, .stopper = 1}, 4, .0260, .2979},
    {{.rate = .5, .gap = 4, .targets = 1, .stopper = 1}, 6, .00178, .0724},
    {{.rate = 1, .gap = 2, .targets = 1, .stopper = 3}, 6, .2115, .7002},
};

TEST(PopDeltaTest, IsTheSmallerOfBothForms) {
  for (const Sample& sample : kSamples) {
    const auto cost = PopDelta(sample.process, sample.epsilon);
    ASSERT_TRUE(cost);
    EXPECT_NEAR(cost->delta, sample.bound, 6e-5);
    EXPECT_EQ(cost->delta, std::min(cost->form_a, cost->form_b));
  }
}

TEST(PopDeltaTest, FindsTheBestNumberOfLateTargets) {
  const PopProcess pop{.rate = .01, .gap = 100, .targets = 30, .stopper = .3};
  const auto cost = PopDelta(pop, 1);
  ASSERT_TRUE(cost);
  double best = 1;
  for (int late = 0; late < 200; ++late) {
    const auto band = StoppedProcessCurve(
        {.rate = pop.rate, .targets = pop.targets + late, .gap = pop.gap});
    ASSERT_TRUE(band);
    best = std::min(
        best,
        std::exp(-pop.stopper * (late + 1)) +
            DeltaFromRenyi(band->ComposedWith(PureCurve(pop.stopper)), 1));
  }
  EXPECT_NEAR(cost->form_a / best, 1, 1e-9);
}

TEST(ExactPopDeltaTest, LiesBetweenTheAttackAndTheMoments) {
  for (const Sample& sample : kSamples) {
    const auto cost = ExactPopDelta(sample.process, sample.epsilon);
    const auto moments = PopDelta(sample.process, sample.epsilon);
    ASSERT_TRUE(cost && moments);
    EXPECT_GE(cost->delta, sample.attack);
    EXPECT_LE(cost->form_a, moments->form_a);
    EXPECT_LE(cost->form_b, moments->form_b);
    EXPECT_LT(cost->delta, .95 * sample.bound);
  }
}

// One check after the hidden round, no votes at all: with threshold 1 the
// Stopper halts with probability 1/(1 + t) if the hidden bit is set and
// t/(1 + t) if not, t = exp(-stopper).
TEST(PopDeltaTest, ChargesTheStopperInFull) {
  const double stopper = 2;
  const double epsilon = .95 * stopper;
  const double t = std::exp(-stopper);
  const double attack = (1 - std::exp(epsilon) * t) / (1 + t);
  PopProcess pop{
      .rate = 1e-6, .gap = 1000000, .targets = 1, .stopper = stopper};
  EXPECT_GE(PopDelta(pop, epsilon)->delta, attack);
  pop.stopper = .9 * stopper;  // broken variant
  EXPECT_LT(PopDelta(pop, epsilon)->delta, attack);
}

TEST(PopDeltaTest, PinnedUsersPayForEveryHiddenBit) {
  PopProcess pop{.rate = .004, .gap = 250, .targets = 50, .stopper = .1};
  const auto one = PopDelta(pop, 1);
  pop.rounds_per_user = 3;
  const auto three = PopDelta(pop, 1);
  ASSERT_TRUE(one && three);
  EXPECT_GT(three->form_a, one->form_a);
  EXPECT_EQ(three->form_b, 1);
  double best = 1;
  for (int late = 0; late < 400; ++late) {
    const auto band = StoppedProcessCurve(
        {.rate = pop.rate, .targets = pop.targets + late, .gap = pop.gap});
    ASSERT_TRUE(band);
    best = std::min(best,
                    std::exp(-.1 * (late + 1)) +
                        DeltaFromRenyi(band->ComposedWith(PureCurve(.3)), 1));
  }
  EXPECT_NEAR(three->delta / best, 1, 1e-9);
  const auto exact = ExactPopDelta(pop, 1);
  ASSERT_TRUE(exact);
  EXPECT_LT(exact->delta, three->delta);
  EXPECT_EQ(exact->form_b, 1);
}

TEST(PopEpsilonTest, InvertsDelta) {
  const PopProcess pop{.rate = .02, .gap = 50, .targets = 20, .stopper = .3};
  for (const double delta : {1e-7, 1e-3}) {
    const auto epsilon = PopEpsilon(pop, delta);
    ASSERT_TRUE(epsilon);
    EXPECT_LE(PopDelta(pop, *epsilon)->delta, delta);
    EXPECT_GT(PopDelta(pop, *epsilon * .9998)->delta, delta);
    const auto exact = ExactPopEpsilon(pop, delta);
    ASSERT_TRUE(exact);
    EXPECT_LT(*exact, *epsilon);
    EXPECT_LE(ExactPopDelta(pop, *exact)->delta, delta);
    EXPECT_GT(ExactPopDelta(pop, *exact * .998)->delta, delta);
  }
}

TEST(PopLeastNoiseTest, MatchesTheRecordedPlans) {
  // (epsilon, e_s, r) and the noise scale by form B, gap of one scale.
  const auto scale = [](double epsilon, double stopper, std::int64_t targets) {
    const auto pop = PopLeastNoise({.epsilon = epsilon,
                                    .delta = 1e-6,
                                    .targets = targets,
                                    .gap_in_scales = 1,
                                    .stopper = stopper});
    return pop ? 1 / pop->rate : NAN;
  };
  EXPECT_NEAR(scale(1, .3, 87), 123, .5);
  EXPECT_NEAR(scale(1, .2, 185), 151, .5);
  EXPECT_NEAR(scale(1, .1, 1169), 318, .6);
  EXPECT_NEAR(scale(3, .45, 138), 45, .5);
  EXPECT_NEAR(scale(3, .15, 1113), 107, .5);
}

TEST(PopLeastNoiseTest, TheExactCurveSavesSevenPercent) {
  const PopTarget target{.epsilon = 1,
                         .delta = 1e-6,
                         .targets = 87,
                         .gap_in_scales = 1,
                         .stopper = .3};
  const auto moments = PopLeastNoise(target);
  const auto exact = ExactPopLeastNoise(target);
  ASSERT_TRUE(moments && exact);
  EXPECT_NEAR(1 / exact->rate, 113.1, .2);
  EXPECT_LT(moments->rate / exact->rate, .93);
  EXPECT_LE(ExactPopDelta(*exact, 1)->delta, 1e-6);
}

// Form A of PopDelta for the same number of targets and the same failure.
TEST(CounterPopDeltaTest, IsFormAWithTheCountersNumbers) {
  const CounterPopProcess counter{
      .rate = .03, .targets = 40, .counter = .2, .late = 17, .failure = 1e-7};
  const auto delta = CounterPopDelta(counter, 1);
  const auto tests = StoppedProcessCurve({.rate = .03, .targets = 57});
  ASSERT_TRUE(delta && tests);
  EXPECT_NEAR(
      *delta / (1e-7 + DeltaFromRenyi(tests->ComposedWith(PureCurve(.2)), 1)),
      1, 1e-9);
  // Each number is paid for.
  const auto costs = [&](CounterPopProcess other) {
    return *CounterPopDelta(other, 1) / *delta;
  };
  CounterPopProcess other = counter;
  other.late = 0;
  EXPECT_LT(costs(other), 0.8);
  other = counter;
  other.counter = 0.1;
  EXPECT_LT(costs(other), 0.9);
  other = counter;
  other.failure = 1e-4;
  EXPECT_GT(*CounterPopDelta(other, 1), *delta + 0.99e-4);
}

// A counter of no use to anybody: one step whose estimate decides, no tests.
TEST(CounterPopDeltaTest, ChargesTheCounterInFull) {
  const double epsilon = 1.9;
  const double t = std::exp(-2.0);
  const double attack = (1 - std::exp(epsilon) * t) / (1 + t);
  CounterPopProcess pop{.rate = 1e-6, .targets = 1, .counter = 2};
  EXPECT_GE(*CounterPopDelta(pop, epsilon), attack);
  pop.counter = 1.8;  // broken variant
  EXPECT_LT(*CounterPopDelta(pop, epsilon), attack);
}

TEST(CounterPopDeltaTest, TheLeastNoiseMeetsTheTargetAndNoMore) {
  const auto least = CounterPopLeastNoise(
      {.targets = 1000, .counter = .2, .late = 500, .failure = 2.5e-7}, 1,
      1e-6);
  ASSERT_TRUE(least) << least.error().message;
  EXPECT_LE(*CounterPopDelta(*least, 1), 1e-6);
  CounterPopProcess less = *least;
  less.rate *= 1.0003;
  EXPECT_GT(*CounterPopDelta(less, 1), 1e-6);
}

TEST(CounterPopDeltaTest, RefusesParametersOutOfRange) {
  const CounterPopProcess good{
      .rate = .1, .targets = 3, .counter = .5, .late = 2, .failure = .01};
  EXPECT_TRUE(CounterPopDelta(good, 1));
  const auto refused = [&](const auto& change) {
    CounterPopProcess bad = good;
    change(bad);
    return !CounterPopDelta(bad, 1);
  };
  EXPECT_TRUE(refused([](auto& p) { p.rate = 0; }));
  EXPECT_TRUE(refused([](auto& p) { p.targets = 0; }));
  EXPECT_TRUE(refused([](auto& p) { p.counter = 0; }));
  EXPECT_TRUE(refused([](auto& p) { p.late = -1; }));
  EXPECT_TRUE(refused([](auto& p) { p.failure = 1; }));
  EXPECT_FALSE(CounterPopDelta(good, NAN));
  const auto dear = CounterPopLeastNoise(good, 0.4, 0.01);
  ASSERT_FALSE(dear);
  EXPECT_EQ(dear.error().code, ErrorCode::kNotConverged);
}

TEST(PopAccountantTest, RefusesParametersOutOfRange) {
  const PopProcess good{.rate = .1, .gap = 5, .targets = 3, .stopper = .5};
  EXPECT_TRUE(PopDelta(good, 1));
  PopProcess bad = good;
  bad.gap = 0;
  EXPECT_FALSE(PopDelta(bad, 1));
  bad = good;
  bad.stopper = 0;
  EXPECT_FALSE(ExactPopDelta(bad, 1));
  bad = good;
  bad.rounds_per_user = 0;
  EXPECT_FALSE(PopDelta(bad, 1));
  EXPECT_FALSE(PopDelta(good, -1));
  EXPECT_FALSE(PopDelta(good, NAN));
  EXPECT_FALSE(PopEpsilon(good, 0));
  EXPECT_FALSE(PopEpsilon(good, 1));
  const auto dear =
      PopLeastNoise({.epsilon = .1, .delta = 1e-9, .targets = 5, .stopper = 1});
  ASSERT_FALSE(dear);
  EXPECT_EQ(dear.error().code, ErrorCode::kNotConverged);
}

}  // namespace
}  // namespace sotto
