// The adaptive shift lemma (tide.md, step 6) on instances small enough to
// enumerate: two coordinates, three releases, shifts that follow the releases.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "sotto/accounting/gaussian_analytic.h"
#include "sotto/models/tide/tide_noise.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

constexpr int kReach = 6;  // of the noise: four deviations
constexpr int kSteps = 3;
constexpr double kSigma = 1.5;
constexpr double kEpsilon = 0.5;
using Pair = std::vector<std::int64_t>;

// Four buffers alike: c = (1, 2, 1, ...), integers, so that no shift is rounded
// and what is enumerated is as long as the claim says on every path. If epochs
// are one step long, c = (1, 2, 0, ...).
TideFilter WholeFilter(std::uint64_t epoch) {
  constexpr TideFilter::Buffer kHalf = {.loss = 1U << 31, .weight = 1U << 31};
  return {.buffers = {kHalf, kHalf, kHalf, kHalf}, .epoch = epoch};
}

// Pr[noise = z] for |z| <= kReach + shifts.
class Distribution {
 public:
  // A normal variable, rounded: what the proof speaks of.
  static Distribution Rounded(double sigma) {
    return Distribution([sigma](int z) {
      const double root = sigma * std::sqrt(2.0);
      return (std::erf((z + 0.5) / root) - std::erf((z - 0.5) / root)) / 2;
    });
  }
  // The distribution that is drawn.
  static Distribution Discrete(double variance) {
    double total = 0;
    for (int z = -80; z <= 80; ++z) total += std::exp(-z * z / (2 * variance));
    return Distribution([variance, total](int z) {
      return std::exp(-z * z / (2 * variance)) / total;
    });
  }
  double operator()(std::int64_t z) const {
    return std::abs(z) > kMost ? 0 : mass_[static_cast<std::size_t>(z + kMost)];
  }

 private:
  static constexpr std::int64_t kMost = 80;
  explicit Distribution(const std::function<double(int)>& mass) {
    for (int z = -kMost; z <= kMost; ++z) mass_.push_back(mass(z));
  }
  std::vector<double> mass_;
};

// Returns the given release, and keeps the values that noise would have been
// added to.
class Forced final : public TideNoiseSource {
 public:
  void Add(std::span<std::int64_t> values, Rng&) override {
    in.assign(values.begin(), values.end());
    std::ranges::copy(release, values.begin());
  }
  Pair release = {0, 0};
  Pair in;
};

// The gradient of step k in world P or Q, given the releases before it.
using Gradient = std::function<Pair(bool q, int k, const std::vector<Pair>&)>;

struct Game {
  Gradient gradient;
  Distribution distribution;
  TideFilter filter;
  double delta = 0;       // the hockey stick of P over Q, as enumerated
  double missed = 1;      // the mass of P that was not
  double longest = 0;     // squared shift, over all paths
  double shortest = 1e9;  // the same

  struct World {
    TideNoise noise;
    double probability = 1;
  };

  // Value that noise is added to in step k, and the step itself, once the
  // release is known.
  Pair Offered(World world, bool q, const std::vector<Pair>& past) {
    return Push(world, q, past, {0, 0});
  }
  Pair Push(World& world, bool q, const std::vector<Pair>& past,
            const Pair& release) {
    Forced source;
    source.release = release;
    Pair g = gradient(q, static_cast<int>(past.size()), past);
    testing::SeededRng unused(0);
    world.noise.Release(g, source, unused);
    return source.in;
  }

  void Walk(const World& p, const World& q, std::vector<Pair>& past,
            double shift) {
    const Pair in_p = Offered(p, false, past);
    const Pair in_q = Offered(q, true, past);
    for (std::size_t j = 0; j < 2; ++j) {
      shift += std::pow(static_cast<double>(in_p[j] - in_q[j]), 2);
    }
    if (past.size() + 1 == kSteps) return Judge(p, q, in_p, in_q, shift);
    for (std::int64_t a = -kReach; a <= kReach; ++a) {
      for (std::int64_t b = -kReach; b <= kReach; ++b) {
        const Pair release = {in_p[0] + a, in_p[1] + b};
        World next_p = p;
        World next_q = q;
        Push(next_p, false, past, release);
        Push(next_q, true, past, release);
        next_p.probability *= distribution(a) * distribution(b);
        next_q.probability *= distribution(release[0] - in_q[0]) *
                              distribution(release[1] - in_q[1]);
        past.push_back(release);
        Walk(next_p, next_q, past, shift);
        past.pop_back();
      }
    }
  }
  // The last release.
  void Judge(const World& p, const World& q, const Pair& in_p, const Pair& in_q,
             double shift) {
    static const double kFactor = std::exp(kEpsilon);
    longest = std::max(longest, shift);
    shortest = std::min(shortest, shift);
    for (std::int64_t a = -kReach; a <= kReach; ++a) {
      const double row_p = p.probability * distribution(a);
      const double row_q =
          q.probability * distribution(in_p[0] + a - in_q[0]) * kFactor;
      for (std::int64_t b = -kReach; b <= kReach; ++b) {
        const double mass_p = row_p * distribution(b);
        const double mass_q = row_q * distribution(in_p[1] + b - in_q[1]);
        missed -= mass_p;
        delta += std::max(0.0, mass_p - mass_q);
      }
    }
  }
};

// An adversary who spends the shift that is left where it pays: at once, on the
// other coordinate, or in the last release.
Pair AsReleased(bool q, int k, const std::vector<Pair>& past) {
  if (!q) return {0, 0};
  if (k == 0) return {1, 0};
  const bool now = past[0][0] > 0;
  if (k == 1) return now ? Pair{-2, 2} : Pair{-2, 0};
  return now ? Pair{3, -4} : Pair{5, 0};
}

// One row, whose label comes in the second batch instead of the first.
Pair LateLabel(bool q, int k, const std::vector<Pair>&) {
  if (k == (q ? 1 : 0)) return q ? Pair{0, -1} : Pair{1, 0};
  return {0, 0};
}

struct Case {
  Gradient gradient;
  std::uint64_t epoch;
  double length;  // squared, of the shifts
};

// Both ways: P over Q, and Q over P.
std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const Case& one :
       {Case{AsReleased, 10, 1 + 4}, Case{LateLabel, 10, 1 + 5 + 5},
        Case{LateLabel, 1, 1 + 5 + 4}}) {
    cases.push_back(one);
    cases.push_back(one);
    cases.back().gradient = [g = one.gradient](bool q, int k,
                                               const auto& past) {
      return g(!q, k, past);
    };
  }
  return cases;
}

Game Played(const Case& what, Distribution distribution) {
  const TideFilter filter = WholeFilter(what.epoch);
  Game game{what.gradient, std::move(distribution), filter};
  std::vector<Pair> past;
  const Game::World world{TideNoise(filter, 2)};
  game.Walk(world, world, past, 0);
  EXPECT_EQ(game.longest, what.length);
  EXPECT_EQ(game.shortest, what.length);
  return game;
}

// Delta of one Gaussian release as far away as all shifts together.
double Claim(double sigma, double squares) {
  return *GaussianDelta({.sigma = sigma / std::sqrt(squares)}, kEpsilon);
}

TEST(TideLemmaTest, RoundedNormalNoiseIsAsPrivateAsOneGaussianRelease) {
  for (const Case& what : Cases()) {
    const Game game = Played(what, Distribution::Rounded(kSigma));
    const double claim = Claim(kSigma, what.length);
    EXPECT_LE(game.delta + game.missed, claim);
    EXPECT_GT(game.delta, 0.95 * claim);
    // Noise that is 5 % short is refuted.
    const Game broken = Played(what, Distribution::Rounded(0.95 * kSigma));
    EXPECT_GT(broken.delta, claim);
  }
}

// Distance between the distribution that is drawn and that of the proof.
double TotalVariation(const Distribution& a, const Distribution& b) {
  double sum = 0;
  for (int z = -80; z <= 80; ++z) sum += std::abs(a(z) - b(z));
  return sum / 2;
}

TEST(TideLemmaTest, DiscreteNoiseIsWithinItsDistanceOfThat) {
  constexpr double kVariance = 7.0 / 3;
  const double sigma = std::sqrt(kVariance - 1.0 / 12);
  const double distance = TotalVariation(Distribution::Discrete(kVariance),
                                         Distribution::Rounded(sigma));
  EXPECT_LE(distance,
            FixedWorkGaussian::RoundedNormalDistance(*Rational::Create(7, 3)));
  for (const Case& what : Cases()) {
    const Game game = Played(what, Distribution::Discrete(kVariance));
    const double claim = Claim(sigma, what.length) +
                         (1 + std::exp(kEpsilon)) * 2 * kSteps * distance;
    EXPECT_LE(game.delta + game.missed, claim);
    const Game broken =
        Played(what, Distribution::Discrete(0.95 * 0.95 * kVariance));
    EXPECT_GT(broken.delta, claim);
  }
}

TEST(TideLemmaTest, NoiseForTheFirstStepAloneIsRefuted) {
  // As if c were (1, 0, 0, ...), but the shifts continue.
  const Case what = {[](bool q, int k, const std::vector<Pair>&) {
                       return q && k == 0 ? Pair{1, 1} : Pair{0, 0};
                     },
                     10, 2 * (1 + 4 + 1)};
  const Game game = Played(what, Distribution::Rounded(kSigma));
  EXPECT_GT(game.delta, 1.5 * Claim(kSigma, 2));
  EXPECT_LE(game.delta + game.missed, Claim(kSigma, what.length));
}

}  // namespace
}  // namespace sotto
