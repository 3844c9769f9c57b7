// Steps that release fewer coordinates than the ones before, and the count of
// labels, on instances small enough to enumerate (tide.md, steps 3 and 5): two
// coordinates, three releases, the real noise of TideNoise. What is proved
// holds, and variants of it that would be easy to write by mistake do not.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "sotto/accounting/gaussian_analytic.h"
#include "sotto/models/tide/tide_noise.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

constexpr std::int64_t kReach = 6;  // of the noise: four deviations
constexpr std::size_t kSteps = 3;
constexpr double kSigma = 1.5;
constexpr double kEpsilon = 0.5;
using Pair = std::array<std::int64_t, 2>;
using Past = std::vector<Pair>;  // releases; 0 where nothing was

// Four buffers alike: c = (1, 2, 1, ...), integers, so that nothing is rounded.
TideFilter WholeFilter() {
  constexpr TideFilter::Buffer kHalf = {.loss = 1U << 31, .weight = 1U << 31};
  return {.buffers = {kHalf, kHalf, kHalf, kHalf}, .epoch = 10};
}
constexpr double kSquaredNorm = 1 + 4 + 1;  // of c, over three steps

// Pr[z] of a normal variable of deviation kSigma, rounded.
double Mass(std::int64_t z) {
  const double root = kSigma * std::sqrt(2.0);
  const auto x = static_cast<double>(z);
  return (std::erf((x + 0.5) / root) - std::erf((x - 0.5) / root)) / 2;
}

// Returns the given release, and keeps what noise would have been added to.
class Forced final : public TideNoiseSource {
 public:
  explicit Forced(Pair release) : release_(release) {}
  void Add(std::span<std::int64_t> values, Rng&) override {
    for (std::int64_t& value : values) {
      offered.at(count) = value;
      value = release_.at(count);
      ++count;
    }
  }
  Pair offered = {0, 0};
  std::size_t count = 0;

 private:
  Pair release_;
};

struct Game {
  // The gradient of a step in world P or Q, given the releases before it.
  std::function<Pair(bool q, const Past&)> gradient;
  // True if the second coordinate is released.
  std::function<bool(bool q, const Past&)> keeps = [](bool, const Past&) {
    return true;
  };
  // A mistake: what is not released with noise is shown without.
  bool bare = false;

  double delta = 0;    // the hockey stick of P over Q, as enumerated
  double missed = 1;   // the mass of P that was not
  double longest = 0;  // squared shift, over all paths

  struct World {
    TideNoise noise{WholeFilter(), 2};
    double probability = 1;
  };

  Forced Push(World& world, bool q, const Past& past, Pair release) const {
    Forced source(release);
    Pair g = gradient(q, past);
    const TideRange range = {0, keeps(q, past) ? 2U : 1U};
    testing::SeededRng unused(0);
    world.noise.Release(g, {&range, 1}, source, unused);
    return source;
  }

  // All that P can do from here is seen to be P.
  void Tell(const World& p) {
    delta += p.probability;
    missed -= p.probability;
  }

  void Walk(const World& p, const World& q, Past& past, double shift) {
    World at_p = p;
    World at_q = q;
    const Forced in_p = Push(at_p, false, past, {0, 0});
    const Forced in_q = Push(at_q, true, past, {0, 0});
    const bool hidden =
        bare && in_p.count == 1 &&
        gradient(false, past).at(1) != gradient(true, past).at(1);
    if (in_p.count != in_q.count || hidden) return Tell(p);
    const Pair gap = {in_p.offered[0] - in_q.offered[0],
                      in_p.offered[1] - in_q.offered[1]};
    shift += static_cast<double>(gap[0] * gap[0] + gap[1] * gap[1]);
    const bool two = in_p.count == 2;
    for (std::int64_t a = -kReach; a <= kReach; ++a) {
      for (std::int64_t b = two ? -kReach : 0; b <= (two ? kReach : 0); ++b) {
        World next_p = p;
        World next_q = q;
        next_p.probability *= Mass(a) * (two ? Mass(b) : 1);
        next_q.probability *= Mass(a + gap[0]) * (two ? Mass(b + gap[1]) : 1);
        if (past.size() + 1 == kSteps) {
          Judge(next_p, next_q, shift);
          continue;
        }
        const Pair release = {in_p.offered[0] + a,
                              two ? in_p.offered[1] + b : 0};
        Push(next_p, false, past, release);
        Push(next_q, true, past, release);
        past.push_back(release);
        Walk(next_p, next_q, past, shift);
        past.pop_back();
      }
    }
  }

  void Judge(const World& p, const World& q, double shift) {
    longest = std::max(longest, shift);
    missed -= p.probability;
    delta += std::max(0.0, p.probability - std::exp(kEpsilon) * q.probability);
  }
};

Game Played(Game game) {
  Past past;
  game.Walk({}, {}, past, 0);
  return game;
}

// Delta of one Gaussian release as far away as all shifts together.
double Claim(double squares) {
  return *GaussianDelta({.sigma = kSigma / std::sqrt(squares)}, kEpsilon);
}

// One row, in the first batch of P, over a column and a pair.
Pair OneRow(bool q, const Past& past) {
  return !q && past.empty() ? Pair{1, 1} : Pair{0, 0};
}

TEST(TideDropTest, ADropByTheReleasesIsCoveredByTheWholeRow) {
  const Game game =
      Played({.gradient = OneRow, .keeps = [](bool, const Past& past) {
                return past.empty() || past[0][1] > 0;
              }});
  EXPECT_EQ(game.longest, 2 * kSquaredNorm);
  EXPECT_LE(game.delta + game.missed, Claim(2 * kSquaredNorm));
  // The pair was in the first release, so its column alone does not do.
  EXPECT_GT(game.delta, Claim(kSquaredNorm));
}

TEST(TideDropTest, ADropByTheDataIsRefuted) {
  const Game game =
      Played({.gradient = OneRow, .keeps = [](bool q, const Past& past) {
                return past.empty() || !q;
              }});
  EXPECT_GT(game.delta, 0.99);
}

TEST(TideDropTest, ADroppedPairThatIsShownWithoutNoiseIsRefuted) {
  const auto row = [](bool q, const Past& past) {
    return !q && past.size() == 2 ? Pair{1, 1} : Pair{0, 0};
  };
  const auto keeps = [](bool, const Past& past) { return past.empty(); };
  const Game sound = Played({.gradient = row, .keeps = keeps});
  EXPECT_EQ(sound.longest, 1);
  EXPECT_LE(sound.delta + sound.missed, Claim(1));
  EXPECT_GT(Played({.gradient = row, .keeps = keeps, .bare = true}).delta,
            0.99);
}

// The second coordinate counts labels, here in units as long as a gradient. A
// row against nothing: noise for the gradient alone is refuted, as it is if the
// count is not released with the rest.
TEST(TideDropTest, TheCountOfLabelsHasToBePaidFor) {
  const Game game = Played({.gradient = OneRow});
  EXPECT_EQ(game.longest, 2 * kSquaredNorm);
  EXPECT_LE(game.delta + game.missed, Claim(2 * kSquaredNorm));
  EXPECT_GT(game.delta, 1.2 * Claim(kSquaredNorm));
}

// A label that is another one and comes later: the gradients add up where the
// counts do not, so that the row is nowhere farther away than twice its length.
TEST(TideDropTest, ALabelsTimeInTheCountIsCovered) {
  const auto late = [](bool q, const Past& past) -> Pair {
    if (past.size() != (q ? 1U : 0U)) return {0, 0};
    return {q ? -1 : 1, 1};
  };
  const Game game = Played({.gradient = late});
  EXPECT_EQ(game.longest, (1 + 9 + 9) + (1 + 1 + 1));
  EXPECT_LE(game.longest, 4 * 2 * kSquaredNorm);
  EXPECT_LE(game.delta + game.missed, Claim(game.longest));
  EXPECT_GT(game.delta, 0.95 * Claim(game.longest));
}

}  // namespace
}  // namespace sotto
