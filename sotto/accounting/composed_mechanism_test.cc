#include "sotto/accounting/composed_mechanism.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sotto {
namespace {

using Kind = NoiseKind;

struct Case {
  Kind kind;
  double parameter;
  std::uint64_t compositions;
  double delta;
  double epsilon;
};

TEST(EpsilonForTest, ReproducesTheReferenceTable) {
  const Case cases[] = {
      {Kind::kLaplace, 1, 1, 1e-6, 0.999998},
      {Kind::kDiscreteLaplace, 1, 1, 1e-6, 0.999999},
      {Kind::kGaussian, 1, 1, 1e-6, 4.886554},
      {Kind::kLaplace, 1, 1, 1e-3, 0.997999},
      {Kind::kDiscreteLaplace, 1, 1, 1e-3, 0.998631},
      {Kind::kGaussian, 1, 1, 1e-3, 3.138671},
      {Kind::kLaplace, 5, 10, 1e-6, 1.998978},
      {Kind::kDiscreteLaplace, 5, 10, 1e-6, 1.999604},
      {Kind::kGaussian, 5, 10, 1e-6, 2.921601},
      {Kind::kLaplace, 5, 10, 1e-3, 1.57799},
      {Kind::kDiscreteLaplace, 5, 10, 1e-3, 1.592486},
      {Kind::kGaussian, 5, 10, 1e-3, 1.793947},
      {Kind::kLaplace, 20, 100, 1e-6, 2.193281},
      {Kind::kDiscreteLaplace, 20, 100, 1e-6, 2.207533},
      {Kind::kGaussian, 20, 100, 1e-6, 2.254085},
      {Kind::kLaplace, 20, 100, 1e-3, 1.330729},
      {Kind::kDiscreteLaplace, 20, 100, 1e-3, 1.34612},
      {Kind::kGaussian, 20, 100, 1e-3, 1.352277},
  };
  for (const Case& c : cases) {
    const auto epsilon =
        EpsilonFor({c.kind, c.parameter, c.compositions}, c.delta);
    ASSERT_TRUE(epsilon);
    EXPECT_NEAR(*epsilon / c.epsilon, 1, 1e-5) << c.parameter << " " << c.delta;
  }
}

// The table's two pure cases are not the optimum: it lists 4.782011 and
// 6.640405, what losses rounded up to steps of 1e-4 compose to. The exact
// binomial sum gives the values below, and the table's are safe but loose.
TEST(EpsilonForTest, PureCompositionIsExactAndBelowTheReferenceTable) {
  EXPECT_NEAR(*EpsilonFor({Kind::kPure, 0.1, 100}, 1e-6), 4.774567588, 1e-7);
  EXPECT_NEAR(*EpsilonFor({Kind::kPure, 0.01, 10000}, 1e-9), 6.171915017, 1e-7);
  EXPECT_LT(*DeltaFor({Kind::kPure, 0.01, 10000}, 6.640405), 1e-10);
}

TEST(EpsilonForTest, DiscreteGaussianIsCloseToTheGaussian) {
  const double discrete =
      *EpsilonFor({Kind::kDiscreteGaussian, 50, 1000}, 1e-6);
  const double smooth = *EpsilonFor({Kind::kGaussian, 50, 1000}, 1e-6);
  EXPECT_NEAR(discrete / smooth, 1, 1e-6);
}

TEST(EpsilonForTest, IsTheSumAtDeltaZeroIfPure) {
  EXPECT_NEAR(*EpsilonFor({Kind::kLaplace, 4, 8}, 0), 2, 1e-14);
  EXPECT_GE(*EpsilonFor({Kind::kPure, 0.1, 3}, 0), 0.1 * 3);
  EXPECT_FALSE(EpsilonFor({Kind::kGaussian, 4, 8}, 0));
  EXPECT_FALSE(EpsilonFor({Kind::kDiscreteGaussian, 4, 8}, 0));
}

TEST(ParameterForTest, ReturnsTheLeastNoiseThatIsSafe) {
  for (const Kind kind :
       {Kind::kLaplace, Kind::kDiscreteLaplace, Kind::kGaussian,
        Kind::kDiscreteGaussian, Kind::kPure}) {
    const auto parameter = ParameterFor(kind, 20, 2, 1e-5);
    ASSERT_TRUE(parameter);
    const double less = kind == Kind::kPure ? 1 + 1e-4 : 1 - 1e-4;
    EXPECT_LE(*DeltaFor({kind, *parameter, 20}, 2), 1e-5);
    EXPECT_GT(*DeltaFor({kind, *parameter * less, 20}, 2), 1e-5);
  }
}

TEST(ParameterForTest, FindsEpsilonsOfEachBeyondTheRangeOfScales) {
  const auto small = ParameterFor(Kind::kPure, 1'000'000'000, 1e-10, 1e-12);
  ASSERT_TRUE(small);
  EXPECT_LT(*small, 1e-9);
  EXPECT_LE(*DeltaFor({Kind::kPure, *small, 1'000'000'000}, 1e-10), 1e-12);
  EXPECT_GE(*ParameterFor(Kind::kPure, 1, 9e8, 1e-9), 9e8 * (1 - 1e-6));
  EXPECT_EQ(*ParameterFor(Kind::kPure, 1, 2e9, 1e-9), 1e9);
}

// The reciprocal of 1e-9 is rounded up, and taken as it is.
TEST(EpsilonForTest, AcceptsTheEndsOfTheRange) {
  EXPECT_TRUE(EpsilonFor({Kind::kPure, 1e9, 1}, 1e-6));
  EXPECT_TRUE(EpsilonFor({Kind::kPure, 1e-15, 1}, 1e-6));
  EXPECT_GE(*EpsilonFor({Kind::kDiscreteLaplace, 1e-9, 1}, 1e-300),
            999999999.99999988);
}

TEST(ParameterForTest, UsesBasicCompositionAtDeltaZero) {
  EXPECT_GE(*ParameterFor(Kind::kLaplace, 10, 2, 0), 5);
  EXPECT_LE(*ParameterFor(Kind::kPure, 10, 2, 0), 0.2);
  EXPECT_FALSE(ParameterFor(Kind::kGaussian, 10, 2, 0));
}

TEST(ComposedMechanismTest, NamesItsMethods) {
  EXPECT_EQ(MethodName(Kind::kGaussian), "analytic gaussian");
  EXPECT_EQ(MethodName(Kind::kPure), "exact binomial");
  EXPECT_EQ(MethodName(Kind::kLaplace), "privacy loss distribution");
}

TEST(ComposedMechanismTest, RefusesBadParameters) {
  for (const Kind kind :
       {Kind::kLaplace, Kind::kDiscreteLaplace, Kind::kGaussian,
        Kind::kDiscreteGaussian, Kind::kPure}) {
    EXPECT_FALSE(EpsilonFor({kind, 0, 1}, 1e-6));
    EXPECT_FALSE(EpsilonFor({kind, std::nan(""), 1}, 1e-6));
    EXPECT_FALSE(EpsilonFor({kind, HUGE_VAL, 1}, 1e-6));
    EXPECT_FALSE(EpsilonFor({kind, 1, 0}, 1e-6));
    EXPECT_FALSE(EpsilonFor({kind, 1, 1}, 1));
    EXPECT_FALSE(DeltaFor({kind, 1, 1}, -1));
    EXPECT_FALSE(DeltaFor({kind, 1, 1}, HUGE_VAL));
    EXPECT_FALSE(ParameterFor(kind, 0, 1, 1e-6));
    EXPECT_FALSE(ParameterFor(kind, 1, HUGE_VAL, 1e-6));
    EXPECT_FALSE(ParameterFor(kind, 1, 1, 2));
  }
}

}  // namespace
}  // namespace sotto
