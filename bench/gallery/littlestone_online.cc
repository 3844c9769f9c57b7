// Mistakes of online learners of one point out of many, by the rounds that they
// are planned for.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/gallery/figures.h"
#include "sotto/learners/classes/class_file.h"
#include "sotto/learners/version_space_learner.h"
#include "sotto/models/littlestone/finite_class_plan.h"
#include "sotto/models/papers/dp_online_plan.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::gallery {
namespace {

constexpr ApproximateDp kUser = {8, 1e-6};

using Class = std::shared_ptr<const FiniteClass>;
// Mistakes of one run. NAN if it cannot be run.
using Run = std::function<double(std::uint64_t rounds, std::uint64_t seed)>;

// Half of the rounds are the secret point, labelled 1, the others any other.
struct Example {
  std::uint32_t point = 0;
  bool y = false;
};

Example Draw(std::size_t points, Rng& rng) {
  const auto secret = static_cast<std::uint32_t>(points / 3);
  const bool one = (rng.Next() & 1) != 0;
  auto other = static_cast<std::uint32_t>(rng.Next() % (points - 1));
  other += other >= secret ? 1 : 0;
  return {one ? secret : other, one};
}

template <typename Learner>
double Play(Learner learner, std::size_t points, std::uint64_t rounds,
            std::uint64_t seed) {
  testing::SeededRng data(seed);
  testing::SeededRng noise(1000 + seed);
  double mistakes = 0;
  for (std::uint64_t t = 0; t < rounds; ++t) {
    const Example example = Draw(points, data);
    const auto round = learner.Open(example.point, noise);
    mistakes += round.prediction != example.y ? 1 : 0;
    learner.Close(round, example.y);
  }
  return mistakes;
}

Run DpOl(const Class& functions, bool printed) {
  return [functions, printed](std::uint64_t rounds, std::uint64_t seed) {
    const auto params = ChooseDpOnline({.functions = functions,
                                        .user = kUser,
                                        .horizon = rounds,
                                        .printed = printed});
    if (!params) return static_cast<double>(NAN);
    auto learner = DpOnlineLearner::Create(*params);
    if (!learner) return static_cast<double>(NAN);
    return Play(*std::move(learner), functions->points(), rounds, seed);
  };
}

Run Finite(const Class& functions) {
  return [functions](std::uint64_t rounds, std::uint64_t seed) {
    const auto params = ChooseFiniteClass(
        {.functions = functions, .user = kUser, .horizon = rounds});
    if (!params) return static_cast<double>(NAN);
    auto learner = FiniteClassLearner::Create(*params);
    if (!learner) return static_cast<double>(NAN);
    return Play(*std::move(learner), functions->points(), rounds, seed);
  };
}

// The standard optimal algorithm. Once it knows the point it makes no mistake.
Run Optimal(const Class& functions) {
  return [functions](std::uint64_t rounds, std::uint64_t seed) {
    auto soa = SoaLearner::Create(functions.get());
    if (!soa) return static_cast<double>(NAN);
    testing::SeededRng data(seed);
    double mistakes = 0;
    const std::uint64_t played = std::min<std::uint64_t>(rounds, 1'000);
    for (std::uint64_t t = 0; t < played; ++t) {
      const Example example = Draw(functions->points(), data);
      const FeatureVector x = {{0, static_cast<double>(example.point)}};
      const bool wrong = soa->Predict(x) != example.y;
      mistakes += wrong ? 1 : 0;
      if (wrong) soa->Update(x, example.y);
    }
    return mistakes;
  };
}

FigureCurve Measure(const std::string& name,
                    const std::vector<double>& horizons, int seeds,
                    const Run& run) {
  FigureCurve curve{.name = name, .seeds = seeds};
  for (const double horizon : horizons) {
    FigurePoint point{horizon, 0, 1e300, 0};
    for (int seed = 0; seed < seeds; ++seed) {
      const double mistakes = run(static_cast<std::uint64_t>(horizon),
                                  static_cast<std::uint64_t>(seed));
      point.y += mistakes / seeds;
      point.low = std::min(point.low, mistakes);
      point.high = std::max(point.high, mistakes);
    }
    if (std::isfinite(point.y)) curve.points.push_back(point);
  }
  return curve;
}

Figure Make(bool small) {
  Figure figure{"Mistakes of private learners of one point out of 1,024",
                "rounds T", "mistakes"};
  const Class functions =
      std::make_shared<const FiniteClass>(*ReadClass("points:1024"));
  std::vector<double> horizons = {1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6};
  if (small) horizons = {1e3, 1e4, 3e4};
  const int seeds = small ? 2 : 5;
  FigureCurve constant{.name = "always 0", .dashed = true};
  for (const double x : horizons) constant.points.push_back(Exact(x, x / 2));
  figure.curves = {
      std::move(constant),
      Measure("DP-OL printed", horizons, seeds, DpOl(functions, true)),
      Measure("DP-OL least", horizons, seeds, DpOl(functions, false)),
      Measure("littlestone", horizons, seeds, Finite(functions)),
      Measure("SOA, not private", horizons, seeds, Optimal(functions))};
  return figure;
}

Failures Check(const Figure& figure) {
  Failures failures;
  const FigureCurve& printed = Curve(figure, "DP-OL printed");
  const FigureCurve& least = Curve(figure, "DP-OL least");
  const FigureCurve& ours = Curve(figure, "littlestone");
  const FigureCurve& soa = Curve(figure, "SOA, not private");
  const double last = least.points.back().x;
  const double growth = At(least, last) / At(least, last / 3);
  Expect(At(least, last) < 0.2 * last, "the printed lines learn", failures);
  Expect(growth < 1.4, "and their mistakes grow as log T", failures);
  for (const FigurePoint& point : printed.points) {
    Expect(point.y > 0.45 * point.x, "the printed numbers never draw",
           failures);
  }
  Expect(At(ours, last) < 0.2 * At(least, last), "littlestone makes fewer",
         failures);
  for (const FigurePoint& point : soa.points) {
    Expect(point.high <= 1, "SOA makes one mistake", failures);
  }
  return failures;
}

}  // namespace

GalleryEntry LittlestoneOnline() {
  return {
      "littlestone-online",
      "[Littlestone] Algorithms 3 and 4, Lemma 6.2",
      "One of 1,024 points is labelled 1, and every second round is that "
      "point. "
      "The paper's learner publishes a function, deals its mistakes out to "
      "teachers, and lets them agree on the next function; its mistakes grow "
      "with a power of the dimension (1 here) and with log T. Its lines with "
      "the printed numbers, with the least numbers that keep the guarantee, "
      "and `littlestone`, which draws from the whole class. Epsilon 8, delta "
      "1e-6, every point a run planned for that many rounds; the mean and "
      "range of five.",
      Make,
      "The lines learn, and their mistakes grow with log T: 450 at a thousand "
      "rounds, 796 at a million, one call of the training. The printed "
      "numbers have too few teachers for any draw at this dimension, so that "
      "the first function stays. Drawing from the whole class makes 60 to 73, "
      "and the optimal algorithm without privacy one.",
      Check};
}

}  // namespace sotto::gallery
