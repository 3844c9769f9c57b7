#include "sotto/accounting/renyi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sotto {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(RenyiCurveTest, HasNoBoundOutsideItsOrdersOrWhereTheFormulaFails) {
  const RenyiCurve curve([](double order) { return order < 3 ? 1 : kNan; }, 5);
  EXPECT_EQ(curve.LogMomentAt(2), 1);
  EXPECT_EQ(curve.LogMomentAt(1), kInf);
  EXPECT_EQ(curve.LogMomentAt(4), kInf);
  EXPECT_EQ(curve.LogMomentAt(5), kInf);
  EXPECT_EQ(curve.LogMomentAt(kNan), kInf);
}

TEST(RenyiCurveTest, ComposesByAddingAndNeverRoundsDown) {
  const RenyiCurve both = GaussianCurve(2).ComposedWith(GaussianCurve(3));
  for (const double order : {1.25, 2.0, 7.5, 1000.0}) {
    const double exact = order * (order - 1) * (13.0 / 72.0);
    EXPECT_GE(both.LogMomentAt(order), exact * (1 - 1e-15));
    EXPECT_NEAR(both.LogMomentAt(order), exact, 1e-14 * exact);
    EXPECT_NEAR(GaussianCurve(2).Repeated(16).LogMomentAt(order),
                order * (order - 1) * 2, 1e-14 * order * order * 2);
  }
  EXPECT_EQ(GaussianCurve(2).Repeated(0).LogMomentAt(2), 0);
  EXPECT_EQ(GaussianCurve(2).Repeated(-1).LogMomentAt(2), kInf);
  EXPECT_EQ(RenyiCurve([](double) { return 0.0; }, 4)
                .ComposedWith(RenyiCurve([](double) { return 0.0; }, 9))
                .max_order(),
            4);
}

// ln[(e^{ae} + e^{(1-a)e}) / (1 + e^e)] in 50 digits.
TEST(PureCurveTest, EqualsRandomizedResponseForTinyAndHugeExponents) {
  struct Case {
    double epsilon, order, log_moment;
  };
  for (const Case& c :
       {Case{1e-09, 1.0000001, 5.0000005029193368e-26},
        Case{1e-09, 2.5, 1.875e-18}, Case{0.1, 1.5, 0.0037422093080209449},
        Case{0.1, 10, 0.39499009820938968},
        Case{0.1, 11.5, 0.51068665969512506}, Case{1.0, 2, 0.73532566405551913},
        Case{1.0, 1000000.0, 999998.68673831248},
        Case{20.0, 1.001, 0.019999999919178807},
        Case{3.0, 1000, 2996.951412648426},
        Case{1e-06, 1000000000000.0, 999999.30685231939},
        Case{700.0, 3, 1400}}) {
    const double value = PureCurve(c.epsilon).LogMomentAt(c.order);
    EXPECT_GE(value, c.log_moment) << c.epsilon << " " << c.order;
    EXPECT_LE(value, c.log_moment * (1 + 5e-14)) << c.epsilon << " " << c.order;
  }
}

// 60-digit arithmetic, rounded down to a double.
TEST(RenyiConversionTest, IsNeverBelowTheExactValueAtAnOrder) {
  struct Case {
    double order, log_moment, epsilon, delta, epsilon_at_millionth;
  };
  for (const Case& c :
       {Case{1.0000001, 1e-08, 0.3, 0.9999982681919285, 138155088.48088279},
        Case{1.5, 0.01, 1.0, 0.2358000090633616, 25.741478611044109},
        Case{2.0, 0.1, 3.0, 0.013755805014101806, 12.529216196844382},
        Case{33.0, 20.0, 1.25, 2.333187559958036e-11, 0.91669718497380237},
        Case{1000000.0, 199990.0, 0.2, 2.0399513610703112e-11,
             0.19998919998969997},
        Case{1000000.0, 10.0, 1e-05, 3.6788330392591501e-07,
             9.0000095000096659e-06}}) {
    const double delta = DeltaAtOrder(c.order, c.log_moment, c.epsilon);
    EXPECT_GE(delta, c.delta) << c.order;
    // Relative error of exp(x) is the absolute error of x, here up to 1e5.
    EXPECT_LE(delta, c.delta * (1 + 1e-9)) << c.order;
    const double epsilon = EpsilonAtOrder(c.order, c.log_moment, 1e-6);
    EXPECT_GE(epsilon, c.epsilon_at_millionth) << c.order;
    EXPECT_LE(epsilon, c.epsilon_at_millionth * (1 + 1e-12)) << c.order;
  }
}

TEST(RenyiConversionTest, LogMomentBudgetIsTheLargestThatProvesTheTarget) {
  for (const double order : {1.5, 4.0, 30.0}) {
    const double budget = LogMomentBudget(order, 2, 1e-3);
    EXPECT_LE(DeltaAtOrder(order, budget, 2), 1e-3 * (1 + 1e-13)) << order;
    EXPECT_GT(DeltaAtOrder(order, budget + 1e-10, 2), 1e-3) << order;
  }
  EXPECT_LT(LogMomentBudget(1.01, 1, 1e-9), 0);
}

double NormalCdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

// [BW18]: the exact curve of the Gaussian mechanism.
double GaussianDelta(double sigma, double epsilon) {
  return NormalCdf(0.5 / sigma - epsilon * sigma) -
         std::exp(epsilon) * NormalCdf(-0.5 / sigma - epsilon * sigma);
}

TEST(RenyiConversionTest, LiesAboveTheExactGaussianCurveAndNotFar) {
  for (const double sigma : {0.5, 1.0, 5.0, 50.0}) {
    for (const double scaled : {0.5, 2.0, 4.0}) {
      const double epsilon = scaled / sigma;
      const double exact = GaussianDelta(sigma, epsilon);
      const double converted = DeltaFromRenyi(GaussianCurve(sigma), epsilon);
      EXPECT_GE(converted, exact) << sigma << " " << epsilon;
      EXPECT_LE(converted, 8 * exact) << sigma << " " << epsilon;
    }
  }
}

TEST(RenyiConversionTest, LiesAboveRandomizedResponse) {
  for (const double epsilon : {0.0, 0.3, 0.9, 0.999}) {
    const double exact =
        (std::exp(1.0) - std::exp(epsilon)) / (1 + std::exp(1.0));
    EXPECT_GE(DeltaFromRenyi(PureCurve(1), epsilon), exact) << epsilon;
    EXPECT_LE(DeltaFromRenyi(PureCurve(1), epsilon), 1.35 * exact + 1e-12);
  }
  // Huge orders find the pure guarantee.
  EXPECT_LE(DeltaFromRenyi(PureCurve(1), 1), 1e-15);
  EXPECT_LE(*EpsilonFromRenyi(PureCurve(1), 1e-12), 1 + 1e-9);
}

TEST(RenyiConversionTest, FindsTheBestOrderOfASmoothCurve) {
  for (const double rho : {1e-9, 1e-4, 0.02, 1.0, 40.0}) {
    const double epsilon = rho + 5 * std::sqrt(rho);
    double best = 1;
    for (int i = -6000; i < 25000; ++i) {
      const double order = 1 + std::exp(1e-3 * i);
      best = std::min(best,
                      DeltaAtOrder(order, order * (order - 1) * rho, epsilon));
    }
    EXPECT_NEAR(DeltaFromRenyi(ConcentratedCurve(rho), epsilon), best,
                1e-4 * best)
        << rho;
  }
}

// ln R of the threshold tests, and the mechanism's delta: r reports with middle
// band G, and one Stopper.
RenyiCurve BandCurve(double rate, double gap, double reports, double ceiling) {
  return RenyiCurve(
      [=](double order) {
        const double x = std::expm1((order - 1) * rate) *
                         std::expm1(order * rate) / -std::expm1(-rate * gap);
        return x < 1 ? -reports * std::log1p(-x) : kInf;
      },
      ceiling);
}

TEST(RenyiConversionTest, ReproducesTheDeltaOfStoppedProcesses) {
  EXPECT_NEAR(
      DeltaFromRenyi(BandCurve(.01, 100, 100, kInf).ComposedWith(PureCurve(.1)),
                     1),
      7.4497e-7, 1e-3 * 7.4497e-7);
  EXPECT_NEAR(
      DeltaFromRenyi(
          BandCurve(.003, 200, 1000, kInf).ComposedWith(PureCurve(.08)), 1),
      7.29161e-7, 1e-3 * 7.29161e-7);
}

// One report of a threshold test without middle band: the best order lies close
// to the ceiling ln(1 + e^-rate) / rate + 1, where the curve blows up.
TEST(RenyiConversionTest, SearchesDenselyBelowACeiling) {
  const double rate = 1 / 19.4;
  const double ceiling = 1 + std::log1p(std::exp(-rate)) / rate;
  const RenyiCurve hinted = BandCurve(rate, 1e9, 1, ceiling);
  const RenyiCurve plain = BandCurve(rate, 1e9, 1, kInf);
  double best = 1;
  for (int i = 0; i < 20000; ++i) {
    const double order = ceiling - (ceiling - 1) * std::exp(-1e-3 * i);
    best = std::min(best, DeltaAtOrder(order, hinted.LogMomentAt(order), 1));
  }
  EXPECT_NEAR(best, 1e-6, 2e-8);  // 19.4 is rounded up
  EXPECT_NEAR(DeltaFromRenyi(hinted, 1), best, 1e-4 * best);
  EXPECT_NEAR(DeltaFromRenyi(plain, 1), best, 1e-4 * best);
}

TEST(RenyiConversionTest, TakesAtMostTwoHundredEvaluations) {
  int calls = 0;
  const RenyiCurve counted([&](double order) {
    ++calls;
    return order * (order - 1) * 0.02;
  });
  DeltaFromRenyi(counted, 1);
  EXPECT_LE(calls, 200);
}

TEST(RenyiConversionTest, InvertsItself) {
  for (const double delta : {0.3, 1e-3, 1e-9, 1e-200}) {
    const RenyiCurve curve = GaussianCurve(3).Repeated(7);
    const Result<double> epsilon = EpsilonFromRenyi(curve, delta);
    ASSERT_TRUE(epsilon);
    EXPECT_NEAR(DeltaFromRenyi(curve, *epsilon), delta, 1e-5 * delta);
  }
}

TEST(RenyiConversionTest, FailsWhereNothingCanBeProved) {
  const RenyiCurve none([](double) { return kInf; });
  EXPECT_EQ(DeltaFromRenyi(none, 1), 1);
  EXPECT_EQ(DeltaFromRenyi(GaussianCurve(1), kNan), 1);
  EXPECT_EQ(DeltaFromRenyi(GaussianCurve(0), 1), 1);
  EXPECT_EQ(DeltaFromRenyi(PureCurve(-1), 1), 1);
  EXPECT_EQ(EpsilonFromRenyi(none, 1e-6).error().code,
            ErrorCode::kNotConverged);
  for (const double bad : {0.0, 1.0, -1.0, kNan}) {
    EXPECT_EQ(EpsilonFromRenyi(PureCurve(1), bad).error().code,
              ErrorCode::kInvalidArgument);
  }
}

TEST(ConcentratedBudgetTest, EqualsTheTabulatedRho) {
  struct Case {
    double epsilon, delta, rho;
  };
  for (const Case& c :
       {Case{1, 1e-5, .0306}, Case{1, 1e-6, .0244}, Case{1, 1e-9, .0150},
        Case{3, 1e-5, .224}, Case{3, 1e-6, .185}}) {
    const Result<double> rho = ConcentratedBudget(c.epsilon, c.delta);
    ASSERT_TRUE(rho);
    EXPECT_NEAR(*rho, c.rho, c.epsilon == 3 ? 5e-4 : 5e-5);
    EXPECT_LE(DeltaFromRenyi(ConcentratedCurve(*rho), c.epsilon), c.delta);
    EXPECT_GT(DeltaFromRenyi(ConcentratedCurve(*rho * (1 + 1e-6)), c.epsilon),
              c.delta);
  }
}

TEST(ConcentratedBudgetTest, RejectsTargetsOutsideTheContract) {
  for (const double bad : {0.0, -1.0, kNan, kInf}) {
    EXPECT_EQ(ConcentratedBudget(bad, 1e-6).error().code,
              ErrorCode::kInvalidArgument);
    EXPECT_EQ(ConcentratedBudget(1, bad).error().code,
              ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace sotto
