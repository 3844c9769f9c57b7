#include "sotto/accounting/composed_loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/accounting/binomial_composition.h"
#include "sotto/accounting/privacy_loss.h"

namespace sotto {
namespace {

LossGrid ResponseGrid(double epsilon) {
  return *PrivacyLoss::RandomizedResponse(epsilon)->OnOwnLattice(1e-9);
}

// By the tilt the relative accuracy is the same at 1e-3 and at 1e-300.
TEST(ComposedLossTest, MatchesTheExactBinomialFarIntoTheTail) {
  const double each = 0.1;
  const std::uint64_t n = 1000;
  const LossGrid grid = ResponseGrid(each);
  const std::vector<GridTerm> terms = {{&grid, n}};
  for (const double epsilon : {5.0, 15.0, 30.0, 60.0, 90.0}) {
    // The tilted mean is n * each * tanh((1/2 + tilt) * each).
    const double tilt =
        std::atanh(epsilon / (static_cast<double>(n) * each)) / each - 0.5;
    const auto composed =
        ComposedLoss::Create(terms, {.tilt = std::max(0.0, tilt)});
    ASSERT_TRUE(composed);
    const ComposedLoss::Bound bound = composed->At(epsilon);
    const double exact = std::log(*BinomialDelta(each, n, epsilon));
    EXPECT_GE(bound.log_delta, exact - 1e-9) << epsilon;
    EXPECT_LE(bound.log_delta, exact + 1e-6) << epsilon;
    EXPECT_LE(bound.error_share, 1e-6);
  }
}

TEST(ComposedLossTest, ReportsAWrongTilt) {
  const LossGrid grid = ResponseGrid(0.1);
  const std::vector<GridTerm> terms = {{&grid, 1000}};
  const auto composed = ComposedLoss::Create(terms, {.tilt = 0});
  ASSERT_TRUE(composed);
  const ComposedLoss::Bound bound = composed->At(60);
  EXPECT_GE(bound.log_delta, std::log(*BinomialDelta(0.1, 1000, 60)));
  EXPECT_GT(bound.error_share, 0.5);
}

// A circular convolution on the window [low, low + size), with nothing added
// for the mass outside: mass above the window wraps to below epsilon.
double CircularDeltaWithoutTail(const LossGrid& grid, int n, double epsilon,
                                int low, int size) {
  std::vector<double> sum(static_cast<std::size_t>(size), 0.0);
  sum[0] = 1;
  for (int step = 0; step < n; ++step) {
    std::vector<double> next(sum.size(), 0.0);
    for (int k = 0; k < size; ++k) {
      for (std::size_t i = 0; i < grid.mass.size(); ++i) {
        const int to = (k + static_cast<int>(grid.first) + static_cast<int>(i) +
                        4 * size) %
                       size;
        next[static_cast<std::size_t>(to)] +=
            sum[static_cast<std::size_t>(k)] * grid.mass[i];
      }
    }
    sum = next;
  }
  double delta = 0;
  for (int k = low; k < low + size; ++k) {
    const double loss = (k + n * grid.offset) * grid.spacing;
    const double mass = sum[static_cast<std::size_t>((k + 8 * size) % size)];
    if (loss > epsilon) delta += mass * -std::expm1(epsilon - loss);
  }
  return delta;
}

TEST(ComposedLossTest, LeavingOutTheWindowTermIsRefuted) {
  const LossGrid grid = ResponseGrid(0.5);
  const double exact = *BinomialDelta(0.5, 60, 12);
  const std::vector<GridTerm> terms = {{&grid, 60}};
  EXPECT_LT(CircularDeltaWithoutTail(grid, 60, 12, -33, 18), exact * 0.9);
  // The same broken variant is right on a wide window, so the window is the
  // fault.
  EXPECT_NEAR(CircularDeltaWithoutTail(grid, 60, 12, -128, 256) / exact, 1,
              1e-9);
  // With the term, even a window that misses one tenth of the mass gives a
  // bound.
  const auto narrow =
      ComposedLoss::Create(terms, {.tilt = 0.1, .window_tail = 0.1});
  ASSERT_TRUE(narrow);
  EXPECT_GE(narrow->At(12).log_delta, std::log(exact));
}

// Tilted masses whose exponent cannot be computed prove nothing.
TEST(ComposedLossTest, RefusesATiltBeyondTheArithmetic) {
  const LossGrid grid = ResponseGrid(1e5);
  const std::vector<GridTerm> terms = {{&grid, 2}};
  const auto composed = ComposedLoss::Create(terms, {.tilt = 1e11});
  ASSERT_FALSE(composed);
  EXPECT_EQ(composed.error().code, ErrorCode::kNotConverged);
}

// A tilt that is too large puts the window above epsilon.
TEST(ComposedLossTest, CountsWhatLiesBetweenEpsilonAndTheWindow) {
  const LossGrid grid = ResponseGrid(0.5);
  const std::vector<GridTerm> terms = {{&grid, 400}};
  int above = 0;
  for (const double tilt : {0.5, 1.0, 2.0, 4.0, 8.0}) {
    const auto composed = ComposedLoss::Create(terms, {.tilt = tilt});
    ASSERT_TRUE(composed);
    for (const double epsilon : {0.0, 30.0, 60.0, 90.0, 120.0, 150.0, 180.0}) {
      if (epsilon < composed->lowest()) ++above;
      EXPECT_GE(composed->At(epsilon).log_delta,
                std::log(*BinomialDelta(0.5, 400, epsilon)) - 1e-9)
          << tilt << " " << epsilon;
    }
  }
  EXPECT_GT(above, 10);
}

TEST(ComposedLossTest, AddsTheMassAtInfinity) {
  const LossGrid grid =
      *PrivacyLoss::ApproximateDp(0.1, 1e-4)->OnOwnLattice(1e-9);
  const std::vector<GridTerm> terms = {{&grid, 10}};
  const auto composed = ComposedLoss::Create(terms, {.tilt = 5});
  ASSERT_TRUE(composed);
  const double delta = std::exp(composed->At(2).log_delta);
  EXPECT_GE(delta, -std::expm1(10 * std::log1p(-1e-4)));
  EXPECT_LE(delta, 1e-3);
}

TEST(ComposedLossTest, RefusesBadParameters) {
  const LossGrid fine = ResponseGrid(0.1);
  const LossGrid coarse = ResponseGrid(0.2);
  EXPECT_FALSE(ComposedLoss::Create({}, {}));
  const std::vector<GridTerm> none = {{&fine, 0}};
  EXPECT_FALSE(ComposedLoss::Create(none, {}));
  const std::vector<GridTerm> mixed = {{&fine, 1}, {&coarse, 1}};
  EXPECT_FALSE(ComposedLoss::Create(mixed, {}));
  const std::vector<GridTerm> one = {{&fine, 1000000}};
  EXPECT_FALSE(ComposedLoss::Create(one, {.tilt = -1}));
  EXPECT_FALSE(ComposedLoss::Create(one, {.tilt = std::nan("")}));
  const auto small = ComposedLoss::Create(one, {.tilt = 0, .max_size = 64});
  ASSERT_FALSE(small);
  EXPECT_EQ(small.error().code, ErrorCode::kNotConverged);
}

}  // namespace
}  // namespace sotto
