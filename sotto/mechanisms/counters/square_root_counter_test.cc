#include "sotto/mechanisms/counters/square_root_counter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sotto/accounting/gaussian_analytic.h"
#include "sotto/testing/seeded_rng.h"
#include "sotto/testing/statistics.h"

namespace sotto {
namespace {

std::vector<double> Coefficients(const SquareRootFilter& filter, int count) {
  std::vector<double> c = {1};
  for (int j = 1; j < count; ++j) {
    double sum = 0;
    for (const auto& b : filter.buffers) {
      sum += std::ldexp(b.weight, -32) *
             std::pow(1 - std::ldexp(static_cast<double>(b.loss), -64), j - 1);
    }
    c.push_back(sum);
  }
  return c;
}

std::vector<double> Answers(const SquareRootFilter& filter, int scale_bits,
                            const std::vector<std::uint64_t>& counts) {
  ExponentialBuffers buffers(filter);
  std::vector<double> answers;
  for (const std::uint64_t count : counts) {
    answers.push_back(static_cast<double>(buffers.Filtered(count, scale_bits)));
    buffers.Push(static_cast<Int128>(count) << SquareRootFilter::kStateBits);
  }
  return answers;
}

// The l2 distance of the answers to two streams.
double Change(const SquareRootFilter& filter, int scale_bits,
              const std::vector<std::uint64_t>& a,
              const std::vector<std::uint64_t>& b) {
  const auto from = Answers(filter, scale_bits, a);
  const auto to = Answers(filter, scale_bits, b);
  double sum = 0;
  for (std::size_t t = 0; t < from.size(); ++t) {
    sum += (from[t] - to[t]) * (from[t] - to[t]);
  }
  return std::sqrt(sum);
}

// Over all streams of six counts of 0, 1 or 2 and all neighbours.
double LargestChange(const SquareRootFilter& filter, int scale_bits) {
  double largest = 0;
  for (int code = 0; code < 729; ++code) {
    std::vector<std::uint64_t> counts;
    for (int rest = code, t = 0; t < 6; ++t, rest /= 3) {
      counts.push_back(static_cast<std::uint64_t>(rest % 3));
    }
    for (std::size_t s = 0; s < 6; ++s) {
      std::vector<std::uint64_t> neighbour = counts;
      ++neighbour[s];
      largest =
          std::max(largest, Change(filter, scale_bits, counts, neighbour));
    }
  }
  return largest;
}

double UnroundedSensitivity(const SquareRootFilter& filter, int scale_bits) {
  double sum = 0;
  for (const double c : Coefficients(filter, 6)) sum += c * c;
  return std::ldexp(std::sqrt(sum), scale_bits);
}

TEST(SquareRootFilterTest, SensitivityHoldsForEveryShortStream) {
  const SquareRootFilter filter = SquareRootFilter::Best(6);
  for (const int scale_bits : {0, 1, 2, 4, 8, 20}) {
    EXPECT_LE(LargestChange(filter, scale_bits),
              filter.Sensitivity(scale_bits, 6));
  }
  EXPECT_GT(LargestChange(filter, 20), 0.9999 * filter.Sensitivity(20, 6));
}

TEST(SquareRootFilterTest, SensitivityWithoutTheRoundingIsRefuted) {
  const SquareRootFilter filter = SquareRootFilter::Best(6);
  EXPECT_GT(LargestChange(filter, 1), UnroundedSensitivity(filter, 1));
  EXPECT_GT(LargestChange(filter, 4), UnroundedSensitivity(filter, 4));
}

TEST(SquareRootFilterTest, SensitivityHoldsOnLongStreams) {
  const SquareRootFilter filter = SquareRootFilter::Best(20'000);
  testing::SeededRng rng(3);
  for (const int scale_bits : {4, 20}) {
    std::vector<std::uint64_t> counts(20'000);
    for (auto& c : counts) c = rng.Next() % 100;
    std::vector<std::uint64_t> neighbour = counts;
    ++neighbour[scale_bits];
    const double change = Change(filter, scale_bits, counts, neighbour);
    EXPECT_LE(change, filter.Sensitivity(scale_bits, 20'000));
    EXPECT_GT(change, 0.3 * filter.Sensitivity(scale_bits, 20'000));
  }
}

TEST(SquareRootFilterTest, InverseInClosedFormIsTheRecursion) {
  for (const int horizon : {1, 2, 17, 600}) {
    const SquareRootFilter filter =
        SquareRootFilter::Best(static_cast<std::uint64_t>(horizon));
    const auto c = Coefficients(filter, horizon);
    std::vector<double> inverse;
    double b = 0;
    double squares = 0;
    double sum = 0;
    for (std::size_t j = 0; j < c.size(); ++j) {
      double next = j == 0 ? 1 : 0;
      for (std::size_t k = 1; k <= j; ++k) next -= c[k] * inverse[j - k];
      inverse.push_back(next);
      b += next;
      squares += b * b;
      sum += b;
    }
    const InverseFilter closed(filter);
    EXPECT_NEAR(closed.SumOfSquares(horizon), squares, 1e-9 * squares);
    EXPECT_NEAR(closed.Sum(horizon), sum, 1e-9 * sum);
  }
}

TEST(SquareRootFilterTest, IsAsGoodAsTheSquareRoot) {
  // (sum of f_j^2) of the square root itself: ln(T) / pi + 1.066.
  for (const double horizon : {1e4, 1e6, 1e8}) {
    const auto steps = static_cast<std::uint64_t>(horizon);
    const SquareRootFilter filter = SquareRootFilter::Best(steps);
    const double product =
        std::ldexp(filter.Sensitivity(20, steps), -20) *
        std::sqrt(InverseFilter(filter).SumOfSquares(horizon));
    EXPECT_LT(product, 1.003 * (std::log(horizon) / 3.14159265 + 1.066));
    EXPECT_LE(filter.buffers.size(), 12U);
  }
}

// delta of adding discrete Gaussian noise to two integers that change by
// (a, b), exactly but for the doubles.
double ExactDelta(double variance, int a, int b, double epsilon) {
  const int reach = static_cast<int>(9 * std::sqrt(variance));
  std::vector<double> mass;
  double total = 0;
  for (int z = -reach; z <= reach; ++z) {
    mass.push_back(std::exp(-z * z / (2 * variance)));
    total += mass.back();
  }
  double delta = 0;
  for (int x = -reach; x <= reach; ++x) {
    for (int y = -reach; y <= reach; ++y) {
      const double p = mass[static_cast<std::size_t>(x + reach)] *
                       mass[static_cast<std::size_t>(y + reach)] /
                       (total * total);
      const double loss =
          ((x - a) * (x - a) + (y - b) * (y - b) - x * x - y * y) /
          (2 * variance);
      // loss = ln p / q with q the same noise around (a, b).
      delta += std::max(0.0, p * (1 - std::exp(epsilon - loss)));
    }
  }
  return delta;
}

TEST(SquareRootCounterTest, DiscreteNoiseIsAsPrivateAsTheNormalOne) {
  // Two steps at a scale of 2^3: the change is (8, 4) or (8, 5).
  for (const int b : {4, 5}) {
    const double sensitivity = std::sqrt(64.0 + b * b);
    const double sigma = *GaussianSigma(1, 1e-3, 1) * sensitivity;
    const double variance = sigma * sigma + 1.0 / 12;
    const double distance =
        2 * FixedWorkGaussian::RoundedNormalDistance(*RationalBelow(variance));
    const double exact = ExactDelta(variance, 8, b, 1);
    EXPECT_LE(exact, 1e-3 + (1 + std::exp(1)) * distance);
    EXPECT_GT(exact, 0.95e-3);
    // Broken variant: the second step is not part of the sensitivity.
    const double less = sigma / sensitivity * 8;
    EXPECT_GT(ExactDelta(less * less + 1.0 / 12, 8, b, 1), 1.2e-3);
  }
}

const SquareRootCounter::Params kMillion = {
    .epsilon = 1, .delta = 1e-6, .horizon = 1'000'000};

TEST(SquareRootCounterTest, NoiseIsCalibratedToTheSensitivity) {
  const SquareRootCounter counter = *SquareRootCounter::Create(kMillion);
  const double sensitivity =
      counter.filter().Sensitivity(counter.scale_bits(), 1'000'000);
  const double sigma = *GaussianSigma(1, 1e-6, 1) * sensitivity;
  const double variance = counter.variance().ToDoubleDown();
  EXPECT_GE(variance, sigma * sigma + 1.0 / 12);
  EXPECT_LE(variance, sigma * sigma * (1 + 1e-9));
  EXPECT_EQ(counter.guarantee().delta(), 1e-6);
  EXPECT_NEAR(counter.LastDeviation(), 23.1, 0.1);
  EXPECT_NEAR(counter.ErrorBound(), 124, 1);
}

TEST(SquareRootCounterTest, CountsAreRecoveredUpToTheNoise) {
  SquareRootCounter counter = *SquareRootCounter::Create(
      {.epsilon = 16, .delta = 0.5, .horizon = 3000});
  testing::SeededRng rng(8);
  std::int64_t total = 0;
  for (std::uint64_t t = 0; t < 3000; ++t) {
    const std::uint64_t count = t * t * 100;
    total += static_cast<std::int64_t>(count);
    const auto estimate = *counter.Add(count, rng);
    ASSERT_LE(std::abs(static_cast<double>(estimate - total)),
              counter.ErrorBound());
  }
  EXPECT_LT(counter.ErrorBound(), 10);
}

TEST(SquareRootCounterTest, AResumedStreamEqualsAnUninterruptedOne) {
  const SquareRootCounter::Params params = {
      .epsilon = 1, .delta = 1e-6, .horizon = 400};
  SquareRootCounter whole = *SquareRootCounter::Create(params);
  SquareRootCounter part = whole;
  testing::SeededRng rng(5);
  testing::SeededRng same(5);
  for (std::uint64_t t = 0; t < 400; ++t) {
    if (t % 157 == 0) {
      ByteWriter writer;
      part.Save(writer);
      ByteReader reader(writer.bytes());
      auto loaded = SquareRootCounter::Load(params, reader);
      ASSERT_TRUE(loaded && reader.Finish());
      part = *std::move(loaded);
      ByteReader other(writer.bytes());
      EXPECT_FALSE(SquareRootCounter::Load(
          {.epsilon = 1, .delta = 1e-6, .horizon = 300}, other));
    }
    ASSERT_EQ(*whole.Add(t % 3, rng), *part.Add(t % 3, same));
  }
  EXPECT_EQ(whole.Add(0, rng).error().code, ErrorCode::kFailedPrecondition);
}

TEST(SquareRootCounterTest, AStateIsRefusedUnderAnyOtherParameter) {
  ByteWriter writer;
  SquareRootCounter::Create({.epsilon = 2, .delta = 1e-6, .horizon = 20})
      ->Save(writer);
  auto code = [&](const SquareRootCounter::Params& other) {
    ByteReader reader(writer.bytes());
    return SquareRootCounter::Load(other, reader).error().code;
  };
  EXPECT_EQ(code({.epsilon = 1, .delta = 1e-6, .horizon = 20}),
            ErrorCode::kCorruption);
  EXPECT_EQ(code({.epsilon = 2, .delta = 1e-7, .horizon = 20}),
            ErrorCode::kCorruption);
  EXPECT_EQ(code({.epsilon = 2, .delta = 1e-6, .horizon = 20, .failure = 0.01}),
            ErrorCode::kCorruption);
}

TEST(SquareRootCounterTest, RefusesParametersOutOfRange) {
  auto with = [](double epsilon, double delta, std::uint64_t horizon) {
    return SquareRootCounter::Create(
               {.epsilon = epsilon, .delta = delta, .horizon = horizon})
        .has_value();
  };
  EXPECT_TRUE(with(1, 1e-6, 10));
  EXPECT_FALSE(with(0, 1e-6, 10));
  EXPECT_FALSE(with(1, 0, 10));
  EXPECT_FALSE(with(1, 1e-6, 0));
}

TEST(SquareRootCounterStatisticalTest, ErrorHasTheDeviationAndBoundStated) {
  constexpr int kRuns = 200;
  const SquareRootCounter fresh = *SquareRootCounter::Create(
      {.epsilon = 1, .delta = 1e-6, .horizon = 5000, .failure = 0.2});
  const std::vector<std::uint64_t> counts(5000, 2);
  std::vector<std::int64_t> estimates(counts.size());
  std::uint64_t exceeded = 0;
  double squares = 0;
  for (int run = 0; run < kRuns; ++run) {
    testing::SeededRng rng(2000 + static_cast<std::uint64_t>(run));
    SquareRootCounter counter = fresh;
    ASSERT_TRUE(counter.AddBatch(counts, estimates, rng));
    double worst = 0;
    for (std::size_t t = 0; t < counts.size(); ++t) {
      worst = std::max(worst, std::abs(static_cast<double>(estimates[t]) -
                                       2.0 * static_cast<double>(t + 1)));
    }
    if (worst > fresh.ErrorBound()) ++exceeded;
    squares += std::pow(static_cast<double>(estimates.back()) - 10'000, 2);
  }
  EXPECT_LE(ClopperPearsonLower(exceeded, kRuns, 1e-6), 0.2);
  // Six standard deviations of a variance estimated from 200 runs.
  EXPECT_NEAR(std::sqrt(squares / kRuns) / fresh.LastDeviation(), 1, 0.3);
}

}  // namespace
}  // namespace sotto
