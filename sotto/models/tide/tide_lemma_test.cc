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

constexpr int kReach = 5;  // of the noise
constexpr int kSteps = 3;
using Pair = std::vector<std::int64_t>;

TideFilter SmallFilter() {
  return {.buffers = {{.loss = 1U << 31, .weight = 1U << 31}}, .epoch = 10};
}

// Pr[noise = z] for |z| <= kReach + shifts.
class Law {
 public:
  // A normal variable, rounded: what the proof speaks of.
  static Law Rounded(double sigma) {
    return Law([sigma](int z) {
      const double root = sigma * std::sqrt(2.0);
      return (std::erf((z + 0.5) / root) - std::erf((z - 0.5) / root)) / 2;
    });
  }
  // What is drawn.
  static Law Discrete(double variance) {
    double total = 0;
    for (int z = -80; z <= 80; ++z) total += std::exp(-z * z / (2 * variance));
    return Law([variance, total](int z) {
      return std::exp(-z * z / (2 * variance)) / total;
    });
  }
  double operator()(std::int64_t z) const {
    return std::abs(z) > kMost ? 0 : mass_[static_cast<std::size_t>(z + kMost)];
  }

 private:
  static constexpr std::int64_t kMost = 80;
  explicit Law(const std::function<double(int)>& mass) {
    for (int z = -kMost; z <= kMost; ++z) mass_.push_back(mass(z));
  }
  std::vector<double> mass_;
};

// Gives out what it is told to, and keeps what noise would have been added to.
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
  Law law;
  double epsilon;
  double delta = 0;    // the hockey stick of P over Q
  double longest = 0;  // squared shift, over all paths
  double mass = 0;     // that was enumerated

  struct World {
    TideNoise noise{SmallFilter(), 2};
    double probability = 1;
  };

  // What noise is added to in step k; and the step itself, once the release is
  // known.
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
    longest = std::max(longest, shift);
    for (std::int64_t a = -kReach; a <= kReach; ++a) {
      for (std::int64_t b = -kReach; b <= kReach; ++b) {
        const Pair release = {in_p[0] + a, in_p[1] + b};
        const double mass_p = p.probability * law(a) * law(b);
        const double mass_q = q.probability * law(release[0] - in_q[0]) *
                              law(release[1] - in_q[1]);
        if (past.size() + 1 == kSteps) {
          mass += mass_p;
          delta += std::max(0.0, mass_p - std::exp(epsilon) * mass_q);
          continue;
        }
        World next_p = p;
        World next_q = q;
        Push(next_p, false, past, release);
        Push(next_q, true, past, release);
        next_p.probability = mass_p;
        next_q.probability = mass_q;
        past.push_back(release);
        Walk(next_p, next_q, past, shift);
        past.pop_back();
      }
    }
  }
  void Play() {
    std::vector<Pair> past;
    Walk({}, {}, past, 0);
  }
};

// A user with two rows; the second's gradient follows the first release.
Pair TwoRows(bool q, int k, const std::vector<Pair>& past) {
  if (!q || k == 2) return {0, 0};
  if (k == 0) return {1, 0};
  return past[0][0] > 0 ? Pair{0, 1} : Pair{1, 0};
}

// One row, whose label comes in the second batch instead of the first.
Pair LateLabel(bool q, int k, const std::vector<Pair>&) {
  if (k == (q ? 1 : 0)) return q ? Pair{0, -1} : Pair{1, 0};
  return {0, 0};
}

Game Played(const Gradient& gradient, Law law) {
  Game game{gradient, std::move(law), 0.5};
  game.Play();
  return game;
}

TEST(TideLemmaTest, RoundedNormalNoiseIsAsPrivateAsOneGaussianRelease) {
  for (const Gradient& gradient : {Gradient(TwoRows), Gradient(LateLabel)}) {
    const double sigma = 1.3;
    const Game game = Played(gradient, Law::Rounded(sigma));
    const double length = std::sqrt(game.longest);
    const double claim = *GaussianDelta({.sigma = sigma / length}, 0.5);
    EXPECT_LE(game.delta, claim);
    EXPECT_GT(game.delta + 1 - game.mass, 0.5 * claim);
    // The bound that is declared, rounding and all.
    const TideFilter filter = SmallFilter();
    EXPECT_LE(length,
              2 * filter.Norm() + filter.RoundingUnits() * std::sqrt(2.0 * 2));
  }
}

TEST(TideLemmaTest, DiscreteNoiseIsWithinItsDistanceOfThat) {
  const double variance = 2.0;
  const Game game = Played(TwoRows, Law::Discrete(variance));
  const double sigma = std::sqrt(variance - 1.0 / 12) / std::sqrt(game.longest);
  const double distance =
      2 * kSteps *
      FixedWorkGaussian::RoundedNormalDistance(*Rational::Create(2, 1));
  EXPECT_LE(game.delta, *GaussianDelta({.sigma = sigma}, 0.5) +
                            (1 + std::exp(0.5)) * distance);
}

TEST(TideLemmaTest, NoiseForTheFirstStepAloneIsRefuted) {
  // Deviation for a shift of length 2, as if c were (1, 0, 0, ...) and the rows
  // in one batch were all: the shifts go on.
  const Game game = Played(
      [](bool q, int k, const std::vector<Pair>&) {
        return q && k == 0 ? Pair{2, 2} : Pair{0, 0};
      },
      Law::Rounded(1.4));
  const double one_step = *GaussianDelta({.sigma = 1.4 / std::sqrt(8.0)}, 0.5);
  EXPECT_GT(game.delta, 1.05 * one_step);
  EXPECT_LE(game.delta,
            *GaussianDelta({.sigma = 1.4 / std::sqrt(game.longest)}, 0.5));
}

}  // namespace
}  // namespace sotto
