#include "sotto/accounting/composition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "sotto/accounting/rounding.h"

namespace sotto {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(CompositionTest, AddsAndNeverRoundsDown) {
  const std::vector<ApproximateDp> parts(10, {0.1, 1e-7});
  const ApproximateDp all = Compose(parts);
  // The double 0.1 exceeds a tenth.
  EXPECT_GT(all.epsilon, 1);
  EXPECT_NEAR(all.epsilon, 1, 1e-14);
  EXPECT_GE(all.delta, 1e-6);
  EXPECT_NEAR(all.delta, 1e-6, 1e-20);
  EXPECT_EQ(Compose(std::array{PureDp{0.5}, PureDp{0.25}}), PureDp{0.75});
  EXPECT_EQ(Compose(std::array{Zcdp{0.5}, Zcdp{0.125}}), Zcdp{0.625});
  EXPECT_EQ(Compose(std::span<const PureDp>{}), PureDp{0});
}

TEST(CompositionTest, ReturnsNoBoundForWhatIsNoCost) {
  EXPECT_EQ(Compose(std::array{PureDp{1}, PureDp{-1}}).epsilon, kInf);
  EXPECT_EQ(Compose(std::array{Zcdp{kNan}}).rho, kInf);
  EXPECT_EQ(Compose(std::array{ApproximateDp{1, kNan}}).delta, 1);
  EXPECT_EQ(MaxLoss(std::array{ApproximateDp{kNan, 0}}).epsilon, kInf);
  const std::vector<ApproximateDp> many(20, {0.1, 0.1});
  EXPECT_EQ(Compose(many).delta, 1);
}

TEST(CompositionTest, ComposesAndComparesCurvesPointwise) {
  const std::vector<RenyiCurve> curves = {PureCurve(0.3), GaussianCurve(4)};
  for (const double order : {1.5, 3.0, 20.0}) {
    const double pure = curves[0].LogMomentAt(order);
    const double gaussian = curves[1].LogMomentAt(order);
    EXPECT_EQ(Compose(curves).LogMomentAt(order), LeastUpAdd(pure, gaussian));
    EXPECT_EQ(MaxLoss(curves).LogMomentAt(order), std::max(pure, gaussian));
  }
}

// Records are values 0 .. 3; part j counts those equal to j, with a two-sided
// geometric noise of ratio e^-epsilon_j. A record's change of value moves it
// between parts.
double CountDistribution(double epsilon, int noise) {
  const double ratio = std::exp(-epsilon);
  return (1 - ratio) / (1 + ratio) * std::pow(ratio, std::abs(noise));
}

TEST(CompositionTest, ReplacementMayTouchTwoPartsOfASplitByValue) {
  const std::array epsilons = {0.5, 0.4};
  double worst = 0;  // exact loss of leaving part 0 and entering part 1
  for (int a = -20; a <= 20; ++a) {
    for (int b = -20; b <= 20; ++b) {
      const double before =
          CountDistribution(epsilons[0], a) * CountDistribution(epsilons[1], b);
      const double after = CountDistribution(epsilons[0], a + 1) *
                           CountDistribution(epsilons[1], b - 1);
      worst = std::max(worst, std::abs(std::log(before / after)));
    }
  }
  const std::array parts = {ApproximateDp{0.5, 0}, ApproximateDp{0.4, 0}};
  EXPECT_NEAR(worst, 0.9, 1e-9);
  // The maximum, right for add-remove, is refuted for replace.
  EXPECT_GT(worst, MaxLoss(parts).epsilon + 0.3);
  EXPECT_LE(worst, DisjointByValueUnderReplace(parts).epsilon);
}

TEST(CompositionTest, ReplacementWithinAPartCostsTwoSteps) {
  const std::array parts = {ApproximateDp{0.5, 1e-6}, ApproximateDp{0.1, 2e-6}};
  const ApproximateDp all = DisjointByValueUnderReplace(parts);
  EXPECT_NEAR(all.epsilon, 1, 1e-15);
  EXPECT_NEAR(all.delta, 2e-6 * (1 + std::exp(0.1)), 1e-18);
}

// As printed: [POP] Thm 3.3: the formula.
TEST(CompositionTest, AdvancedCompositionIsTheoremThreeThree) {
  const auto all = AdvancedComposition({0.1, 1e-9}, 100, 1e-6);
  ASSERT_TRUE(all);
  const double formula =
      std::sqrt(200 * std::log(1e6)) * 0.1 + 100 * 0.1 * std::expm1(0.1);
  EXPECT_NEAR(all->epsilon, formula, 1e-12);
  EXPECT_NEAR(all->delta, 1e-6 + 1e-7, 1e-18);
  // Better than basic; the exact optimum is 4.782, Renyi lies between.
  EXPECT_LT(all->epsilon, 10);
  const auto renyi = EpsilonFromRenyi(PureCurve(0.1).Repeated(100), 1e-6);
  ASSERT_TRUE(renyi);
  EXPECT_GT(*renyi, 4.782);
  EXPECT_LT(*renyi, all->epsilon);
}

TEST(CompositionTest, AdvancedCompositionRefusesWhatItCannotProve) {
  EXPECT_FALSE(AdvancedComposition({kNan, 0}, 10, 1e-6));
  EXPECT_FALSE(AdvancedComposition({1, 1}, 10, 1e-6));
  EXPECT_FALSE(AdvancedComposition({1, 0}, 10, 0));
  EXPECT_EQ(AdvancedComposition({800, 0}, 10, 1e-6).error().code,
            ErrorCode::kNotConverged);
}

// The worst (epsilon, delta) mechanism [KOV15]: with probability delta it names
// its world, otherwise it is randomized response. Its k-fold composition is
// enumerated by the number of truthful answers.
double WorstApproximateDelta(const ApproximateDp& each, int count,
                             double epsilon) {
  const double likely = std::exp(each.epsilon) / (1 + std::exp(each.epsilon));
  double delta = 0;
  double choose = 1;
  for (int k = 0; k <= count; ++k) {
    const double p = std::pow(likely, k) * std::pow(1 - likely, count - k);
    const double q = std::pow(likely, count - k) * std::pow(1 - likely, k);
    delta += choose * std::max(0.0, p - std::exp(epsilon) * q);
    choose = choose * (count - k) / (k + 1);
  }
  const double hidden = std::pow(1 - each.delta, count);
  return 1 - hidden + hidden * delta;
}

TEST(CompositionTest, ApproximateCurvesCoverTheWorstMechanismExactly) {
  const ApproximateDp each{0.3, 1e-3};
  const std::vector<ApproximateRenyi> parts(12, ToRenyi(each));
  const ApproximateRenyi all = Compose(parts);
  EXPECT_NEAR(all.failure, 12e-3, 1e-15);
  for (const double epsilon : {0.5, 1.0, 2.0, 3.0}) {
    const double exact = WorstApproximateDelta(each, 12, epsilon);
    const double bound = DeltaFromRenyi(all, epsilon);
    EXPECT_LE(exact, bound) << epsilon;
    EXPECT_LE(bound, 0.1 + 2 * exact) << epsilon;
  }
  const auto epsilon = EpsilonFromRenyi(all, 0.02);
  ASSERT_TRUE(epsilon);
  EXPECT_LE(WorstApproximateDelta(each, 12, *epsilon), 0.02);
  EXPECT_FALSE(EpsilonFromRenyi(all, 0.01));
}

TEST(CompositionTest, ConvertsPureToConcentrated) {
  for (const double epsilon : {1e-3, 0.5, 3.0}) {
    const Zcdp rho = ToZcdp(PureDp{epsilon});
    EXPECT_GE(rho.rho, epsilon * epsilon / 2);
    for (const double order : {1.001, 1.5, 4.0, 100.0}) {
      EXPECT_LE(ToRenyi(PureDp{epsilon}).LogMomentAt(order),
                ToRenyi(rho).LogMomentAt(order) * (1 + 1e-13));
    }
  }
  EXPECT_EQ(ToRenyi(PureDp{0}).LogMomentAt(3), 0);
}

// Two randomized responses with two questions each, the second one's noise
// depending on the first answer, interleaved by an adaptive adversary.
class InterleavedGame {
 public:
  InterleavedGame(double low, double high, double epsilon)
      : low_(low), high_(high), weight_(std::exp(epsilon)) {}

  // asked/last: how far each of the two components is, and its first answer.
  double Worst(std::array<int, 2> asked, std::array<bool, 2> last, double p,
               double q) const {
    double worst = std::max(0.0, p - weight_ * q);
    for (const std::size_t j : {0U, 1U}) {
      if (asked[j] == 2) continue;
      const double noise = asked[j] == 1 && last[j] ? high_ : low_;
      const double truth = 1 / (1 + std::exp(-noise));
      std::array<int, 2> next = asked;
      ++next[j];
      std::array<bool, 2> yes = last;
      std::array<bool, 2> no = last;
      yes[j] = true;
      no[j] = false;
      worst = std::max(worst, Worst(next, yes, p * truth, q * (1 - truth)) +
                                  Worst(next, no, p * (1 - truth), q * truth));
    }
    return worst;
  }

 private:
  double low_;
  double high_;
  double weight_;
};

TEST(CompositionTest, CoversConcurrentComponentsExactly) {
  const double low = 0.2;
  const double high = 0.5;
  // One component, both answers: the log-moment over its adaptive tree.
  const RenyiCurve one([&](double order) {
    const double first = PureCurve(low).LogMomentAt(order);
    return UpAdd(first, PureCurve(high).LogMomentAt(order));
  });
  const RenyiCurve both = Compose(std::array{one, one});
  const PureDp pure =
      Compose(std::array{PureDp{low + high}, PureDp{low + high}});
  for (const double epsilon : {0.1, 0.4, 0.9, 1.3}) {
    const double exact =
        InterleavedGame(low, high, epsilon).Worst({}, {}, 1, 1);
    EXPECT_LE(exact, DeltaFromRenyi(both, epsilon));
    EXPECT_GT(exact, 0);
  }
  EXPECT_LE(InterleavedGame(low, high, pure.epsilon).Worst({}, {}, 1, 1),
            1e-15);
}

}  // namespace
}  // namespace sotto
