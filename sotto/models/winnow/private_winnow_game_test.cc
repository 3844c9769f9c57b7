// PrivateWinnow's privacy, played out in full on small instances: every data
// set, every neighbour, every transcript of halts and releases, and the exact
// delta of each pair beside the claim. Broken variants must exceed it. Exact;
// the longer ones are called statistical because they are for release builds.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/base/rational.h"
#include "sotto/models/winnow/winnow_noise.h"
#include "sotto/random/fixed_work_gaussian.h"
#include "sotto/testing/distributions/stopper.h"

namespace sotto {
namespace {

using Point = std::vector<int>;  // y x; empty if the user is absent

enum class BrokenVariant {
  kSound,
  kKeepsCache,     // the sum is not emptied at a release
  kBareTest,       // the test is not charged: no noise at all
  kTicksOnLabels,  // an absent user takes the round away
  kFirstOnly,      // the sum stops at the first example of a batch
  kLowThreshold,   // lets features through that only one example has
  kLittleNoise,    // calibrated for the length of an example, not for twice it
};

struct Game {
  BrokenVariant variant = BrokenVariant::kSound;
  double exp_epsilon = 0;
  double theta = 0;  // e^-e_s
  int limit = 2;
  double variance = 0;
  // The lattice is cut at +-reach. What P has beyond counts against us.
  int reach = 0;
  int releases = 1;  // the transcript ends with this one
  std::size_t dimension = 1;
  // Above 0: examples have one non-zero, and only coordinates of the batch's
  // examples are released, where they reach this.
  int threshold = 0;
};

// State of one world at some point of a transcript.
struct Side {
  double probability = 1;
  std::vector<int> checked;  // counts at the checks of this batch
  int count = 0;
  std::vector<int> sum;
  std::vector<bool> touched;
};

class Transcripts {
 public:
  explicit Transcripts(const Game& game) : game_(game) {
    double total = 0;
    for (int v = -60; v <= 60; ++v) total += Bell(v);
    for (int v = -60; v <= 60; ++v) distribution_.push_back(Bell(v) / total);
  }

  // sum over transcripts of [P - e^epsilon Q]_+, and all of P that was cut off.
  double Delta(const std::vector<Point>& p, const std::vector<Point>& q) {
    Side side;
    side.sum.assign(game_.dimension, 0);
    side.touched.assign(game_.dimension, false);
    seen_ = 0;
    const double gain =
        Round(0, p, q, side, side, std::vector<int>(game_.dimension, 0), 0);
    return gain + std::max(0.0, 1 - seen_);
  }

 private:
  double Bell(int v) const { return std::exp(-v * v / (2 * game_.variance)); }
  double Noise(int v) const {
    return v < -60 || v > 60 ? 0
                             : distribution_[static_cast<std::size_t>(v + 60)];
  }

  // Distribution of a released coordinate. With a threshold 0 stands for
  // "nothing".
  double Seen(const Side& side, std::size_t j, int v) const {
    if (game_.threshold == 0) return Noise(v - side.sum[j]);
    if (v != 0 && std::abs(v) < game_.threshold) return 0;
    if (!side.touched[j]) return v == 0 ? 1 : 0;
    if (v != 0) return Noise(v - side.sum[j]);
    double hidden = 0;
    for (int u = 1 - game_.threshold; u < game_.threshold; ++u) {
      hidden += Noise(u - side.sum[j]);
    }
    return hidden;
  }

  // The published weights are the signs of the last release; c = 0.
  static bool Charged(const std::vector<int>& h, const Point& z) {
    if (z.empty()) return false;
    int score = 0;
    for (std::size_t j = 0; j < z.size(); ++j) {
      score += z[j] * ((h[j] > 0 ? 1 : 0) - (h[j] < 0 ? 1 : 0));
    }
    return score <= 0;
  }

  void Add(const std::vector<int>& h, const Point& z, Side& side) const {
    if (!Charged(h, z)) return;
    ++side.count;
    if (game_.variant == BrokenVariant::kFirstOnly && side.count > 1) return;
    for (std::size_t j = 0; j < z.size(); ++j) {
      side.sum[j] += z[j];
      if (z[j] != 0) side.touched[j] = true;
    }
  }

  // The probability that this check does not halt, given the ones before.
  double Survives(const Point& z, Side& side) const {
    if (game_.variant == BrokenVariant::kTicksOnLabels && z.empty()) return 1;
    if (game_.variant == BrokenVariant::kBareTest)
      return side.count >= game_.limit ? 0 : 1;
    const double before =
        StopperSurvival(game_.theta, game_.limit, side.checked);
    side.checked.push_back(side.count);
    return StopperSurvival(game_.theta, game_.limit, side.checked) / before;
  }

  double Round(std::size_t t, const std::vector<Point>& p,
               const std::vector<Point>& q, Side a, Side b,
               const std::vector<int>& h, int released) {
    if (t == p.size()) return Gain(a.probability, b.probability);
    Add(h, p[t], a);
    Add(h, q[t], b);
    const double stays_a = Survives(p[t], a);
    const double stays_b = Survives(q[t], b);
    Side halted_a = a;
    Side halted_b = b;
    halted_a.probability *= 1 - stays_a;
    halted_b.probability *= 1 - stays_b;
    a.probability *= stays_a;
    b.probability *= stays_b;
    return Round(t + 1, p, q, a, b, h, released) +
           Release(t, p, q, halted_a, halted_b, released);
  }

  double Release(std::size_t t, const std::vector<Point>& p,
                 const std::vector<Point>& q, const Side& a, const Side& b,
                 int released) {
    if (a.probability == 0 && b.probability == 0) return 0;
    std::vector<int> v(game_.dimension, -game_.reach);
    double total = 0;
    for (;;) {
      double seen_a = a.probability;
      double seen_b = b.probability;
      for (std::size_t j = 0; j < v.size(); ++j) {
        seen_a *= Seen(a, j, v[j]);
        seen_b *= Seen(b, j, v[j]);
      }
      total += released + 1 == game_.releases
                   ? Gain(seen_a, seen_b)
                   : Round(t + 1, p, q, Next(a, seen_a), Next(b, seen_b), v,
                           released + 1);
      std::size_t j = 0;
      while (j < v.size() && ++v[j] > game_.reach) v[j++] = -game_.reach;
      if (j == v.size()) return total;
    }
  }

  Side Next(const Side& side, double probability) const {
    Side next;
    next.probability = probability;
    next.sum = game_.variant == BrokenVariant::kKeepsCache
                   ? side.sum
                   : std::vector<int>(game_.dimension, 0);
    next.touched.assign(game_.dimension, false);
    return next;
  }

  double Gain(double a, double b) {
    seen_ += a;
    return std::max(0.0, a - game_.exp_epsilon * b);
  }

  Game game_;
  std::vector<double> distribution_;
  double seen_ = 0;  // the probability, in P, of the transcripts so far
};

std::vector<Point> Points(std::size_t dimension) {
  std::vector<Point> points = {{}};
  for (unsigned bits = 0; bits < (1U << dimension); ++bits) {
    Point z;
    for (std::size_t j = 0; j < dimension; ++j) {
      z.push_back(((bits >> j) & 1) != 0 ? 1 : -1);
    }
    points.push_back(z);
  }
  return points;
}

std::vector<Point> UnitPoints(std::size_t dimension) {
  std::vector<Point> points = {{}};
  for (std::size_t j = 0; j < dimension; ++j) {
    for (const int sign : {-1, 1}) {
      Point z(dimension, 0);
      z[j] = sign;
      points.push_back(z);
    }
  }
  return points;
}

// The largest delta over all data sets of `rounds` rounds and all neighbours.
double WorstDelta(const Game& game, std::size_t rounds) {
  Transcripts transcripts(game);
  const std::vector<Point> points =
      game.threshold > 0 ? UnitPoints(game.dimension) : Points(game.dimension);
  std::size_t sets = 1;
  for (std::size_t t = 0; t < rounds; ++t) sets *= points.size();
  double worst = 0;
  for (std::size_t set = 0; set < sets; ++set) {
    std::vector<Point> p;
    for (std::size_t t = 0, rest = set; t < rounds; ++t) {
      p.push_back(points[rest % points.size()]);
      rest /= points.size();
    }
    for (std::size_t t = 0; t < rounds; ++t) {
      for (const Point& other : points) {
        if (other == p[t]) continue;
        std::vector<Point> q = p;
        q[t] = other;
        worst = std::max(worst, transcripts.Delta(p, q));
      }
    }
  }
  return worst;
}

constexpr double kEpsilon = 1;
constexpr double kDeltaWanted = 0.02;

struct Claim {
  Game game;
  double delta = 0;
};

// Noise as private_winnow.md wants it, on the lattice of the integers: the
// variance rounded up, and the Stopper's share from the formula.
Claim ClaimFor(BrokenVariant variant, std::size_t dimension, int releases) {
  Claim claim;
  const double length = std::sqrt(static_cast<double>(dimension));
  double sigma = 1;  // per length
  const auto delta = [&](double s, double es) {
    const auto d = WinnowDelta(kEpsilon, s, es, Relation::kReplace);
    return d ? *d : 1.0;
  };
  while (delta(sigma, 1e-9) > kDeltaWanted) sigma += 0.01;
  double es = 0.01;
  while (delta(sigma, es + 0.01) <= kDeltaWanted) es += 0.01;
  const double variance = std::ceil(sigma * length * sigma * length + 1.0 / 12);
  claim.delta = kDeltaWanted +
                (1 + std::exp(kEpsilon)) * static_cast<double>(dimension) *
                    FixedWorkGaussian::RoundedNormalDistance(*Rational::Create(
                        static_cast<std::uint64_t>(variance), 1));
  claim.game = {.variant = variant,
                .exp_epsilon = std::exp(kEpsilon),
                .theta = std::exp(-es),
                .limit = 2,
                .variance = variant == BrokenVariant::kLittleNoise
                                ? variance / 4
                                : variance,
                .reach = static_cast<int>(4 * std::sqrt(variance)) + 4,
                .releases = releases,
                .dimension = dimension};
  return claim;
}

TEST(PrivateWinnowGameExactTest,
     OneBatchOfTwoFeaturesKeepsTheClaimAndUsesItUp) {
  const Claim claim = ClaimFor(BrokenVariant::kSound, 2, 1);
  const double worst = WorstDelta(claim.game, 3);
  EXPECT_LE(worst, claim.delta);
  EXPECT_GE(worst, 0.3 * claim.delta);
}

TEST(PrivateWinnowGameExactTest, TwoBatchesCostNoMoreThanOne) {
  const Claim claim = ClaimFor(BrokenVariant::kSound, 1, 2);
  const double worst = WorstDelta(claim.game, 4);
  EXPECT_LE(worst, claim.delta);
  EXPECT_GE(worst, 0.3 * claim.delta);
}

// The claim of a release with a threshold: noise for examples of length 1, and
// what step 7 adds, with the exact tail.
Claim SparseClaim(BrokenVariant variant) {
  Claim claim = ClaimFor(variant, 1, 1);
  const double variance = claim.game.variance;
  const auto tail = [&](int threshold) {
    double all = 0;
    double outside = 0;
    for (int v = -60; v <= 60; ++v) {
      const double p = std::exp(-v * v / (2 * variance));
      all += p;
      if (std::abs(v) >= threshold) outside += p;
    }
    return outside / all;
  };
  int threshold = 1;
  while ((1 + std::exp(kEpsilon)) * tail(threshold) > kDeltaWanted / 4) {
    ++threshold;
  }
  claim.game.dimension = 2;
  claim.game.threshold =
      variant == BrokenVariant::kLowThreshold ? 3 : threshold;
  claim.game.reach = 20;
  claim.delta += (1 + std::exp(kEpsilon)) * tail(threshold);
  return claim;
}

TEST(PrivateWinnowGameExactTest, AReleaseWithAThresholdKeepsTheClaim) {
  const Claim claim = SparseClaim(BrokenVariant::kSound);
  const double worst = WorstDelta(claim.game, 3);
  EXPECT_LE(worst, claim.delta);
  EXPECT_GE(worst, 0.03 * claim.delta);
}

TEST(PrivateWinnowGameExactTest, AThresholdThatOneExampleReachesIsRefuted) {
  const Claim claim = SparseClaim(BrokenVariant::kLowThreshold);
  EXPECT_GT(WorstDelta(claim.game, 3), 2 * claim.delta);
}

TEST(PrivateWinnowGameExactTest, ACacheThatIsKeptIsRefuted) {
  const Claim claim = ClaimFor(BrokenVariant::kKeepsCache, 1, 2);
  EXPECT_GT(WorstDelta(claim.game, 4), 1.1 * claim.delta);
}

TEST(PrivateWinnowGameTest, ATestThatNobodyPaysForIsRefuted) {
  const Claim claim = ClaimFor(BrokenVariant::kBareTest, 1, 1);
  EXPECT_GT(WorstDelta(claim.game, 3), 0.9);
}

TEST(PrivateWinnowGameTest, AClockThatSkipsAbsentUsersIsRefuted) {
  const Claim claim = ClaimFor(BrokenVariant::kTicksOnLabels, 1, 1);
  EXPECT_GT(WorstDelta(claim.game, 4), 1.1 * claim.delta);
}

TEST(PrivateWinnowGameTest, ASumThatStopsAtItsFirstExampleIsRefuted) {
  const Claim claim = ClaimFor(BrokenVariant::kFirstOnly, 1, 1);
  EXPECT_GT(WorstDelta(claim.game, 4), 1.1 * claim.delta);
}

TEST(PrivateWinnowGameTest, HalfTheNoiseIsRefuted) {
  const Claim claim = ClaimFor(BrokenVariant::kLittleNoise, 1, 1);
  EXPECT_GT(WorstDelta(claim.game, 3), 2 * claim.delta);
}

}  // namespace
}  // namespace sotto
