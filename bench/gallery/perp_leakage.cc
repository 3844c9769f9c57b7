// The leakage attack: a thief names a point that another user asked.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/gallery/figures.h"
#include "bench/gallery/share.h"
#include "sotto/audit/games/leakage_adversaries.h"
#include "sotto/audit/games/leakage_predictors.h"
#include "sotto/models/rectangles/rectangles_predictor.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::gallery {
namespace {

constexpr double kFixed = 1e-4;
constexpr int kRepeats = 3;  // of a question
constexpr double kMostPlayed = 1e6;

double Constant(double) { return kFixed; }
double Falling(double i) { return 0.07 / (i * i); }  // in all below 1/8

// Plays `games` attacks with that many secret points.
template <typename Fresh, typename Thief>
FigurePoint Attack(std::uint64_t secrets, std::uint64_t games,
                   const Fresh& fresh, const Thief& thief) {
  testing::SeededRng rng(secrets);
  View view;
  std::uint64_t stolen = 0;
  for (std::uint64_t i = 0; i < games; ++i) {
    auto predictor = fresh();
    Thief one = thief;
    const auto won = PlayLeakage(LeakageRounds(secrets, kRepeats), predictor,
                                 one, rng, view);
    stolen += won && *won ? 1 : 0;
  }
  return Share(static_cast<double>(secrets), stolen, games);
}

FigureCurve Speakers(std::string name, double (*delta)(double), double most,
                     std::uint64_t games) {
  FigureCurve curve{
      .name = std::move(name), .seeds = static_cast<int>(games), .marks = true};
  const auto last = static_cast<int>(2 * std::log10(most) + 0.02);
  for (int half = 4; half <= last; ++half) {
    const auto secrets = static_cast<std::uint64_t>(std::pow(10, half / 2.0));
    const auto fewer = std::max<std::uint64_t>(
        20, std::min(games, static_cast<std::uint64_t>(2e7) / secrets));
    curve.points.push_back(Attack(
        secrets, fewer, [&] { return SpeaksRarely{delta}; },
        DigitAttack{secrets}));
  }
  return curve;
}

// 1 - the product of 1 - delta(i).
FigureCurve Computed(std::string name, double (*delta)(double)) {
  FigureCurve curve{.name = std::move(name), .dashed = true};
  double silent = 1;
  double next = 100;
  for (std::int64_t n = 1; n <= 10'010'000; ++n) {
    const auto i = static_cast<double>(n);
    silent *= 1 - delta(i);
    if (i < next) continue;
    curve.points.push_back(Exact(i, 1 - silent));
    next *= std::pow(10, 0.25);
  }
  return curve;
}

// Rectangles in one dimension, trained on an interval. Random points of the
// game are queries, which the next phase is made of.
class RectanglesTarget {
 public:
  explicit RectanglesTarget(RectanglesPredictor predictor)
      : predictor_(std::move(predictor)) {}
  Result<std::int64_t> Step(const LeakageInput& input, Rng& rng) {
    return predictor_.Answer(FeatureVector{{0, input.x()}}, rng).inside ? 1 : 0;
  }

 private:
  RectanglesPredictor predictor_;
};

Result<RectanglesTraining> Train() {
  SOTTO_TRY_ASSIGN(auto training,
                   RectanglesTraining::Create({.dimensions = 1,
                                               .epsilon = 8,
                                               .delta = 1e-3,
                                               .error = 0.2,
                                               .honest_fraction = 1}));
  for (int i = 0; i < 8000; ++i) {
    const double x = std::fmod(i * 0.6180339887498949, 1.0);
    training.Add(FeatureVector{{0, x}}, x > 0.25 && x < 0.75);
  }
  return training;
}

FigureCurve Rectangles(bool small) {
  FigureCurve curve{.name = "rectangles, epsilon 8", .marks = true};
  const auto trained = Train();
  if (!trained) return curve;
  testing::SeededRng noise(3);
  const auto fresh = [&] {
    RectanglesTraining training = *trained;
    return RectanglesTarget(*std::move(training).Finish(noise));
  };
  // The last one ends in the middle of the second phase.
  const auto& phases = trained->phases().phases;
  const std::uint64_t second = phases[0].length + phases[1].length / 2;
  for (const std::uint64_t secrets :
       {std::uint64_t{100}, std::uint64_t{1'000}, std::uint64_t{10'000},
        std::uint64_t{100'000}, second}) {
    if (small && secrets > 1'000) break;
    const std::uint64_t games = small || secrets == second ? 20 : 100;
    curve.points.push_back(
        Attack(secrets, games, fresh, BoundaryAttack(secrets, kRepeats)));
  }
  curve.seeds = 20;
  return curve;
}

Figure Make(bool small) {
  Figure figure{"Chance that a thief names another user's point",
                "points asked by others, T", "Pr[a point is stolen]", true,
                false};
  const std::uint64_t games = small ? 40 : 200;
  FigureCurve heart{
      .name = "learner without privacy", .seeds = 20, .marks = true};
  for (const double secrets : {1e2, 1e4, 1e6}) {
    if (small && secrets > 1e4) break;
    heart.points.push_back(Attack(
        static_cast<std::uint64_t>(secrets), 20, [] { return LearnsByHeart{}; },
        BoundaryAttack(static_cast<std::uint64_t>(secrets), kRepeats)));
  }
  FigureCurve half{.name = "leaking: 1/2", .dashed = true};
  half.points = {Exact(100, 0.5), Exact(1e7, 0.5)};
  const double most = small ? 3.2e4 : kMostPlayed;
  figure.curves = {std::move(heart),
                   Computed("delta 1e-4, computed", Constant),
                   Speakers("delta 1e-4, played", Constant, most, games),
                   Computed("delta 0.07 / i^2, computed", Falling),
                   Speakers("delta 0.07 / i^2, played", Falling, most, games),
                   Rectangles(small),
                   std::move(half)};
  return figure;
}

Failures Check(const Figure& figure) {
  Failures failures;
  for (const char* name : {"delta 1e-4", "delta 0.07 / i^2"}) {
    const auto& exact = Curve(figure, std::string(name) + ", computed");
    for (const FigurePoint& point :
         Curve(figure, std::string(name) + ", played").points) {
      const double truth = At(exact, point.x);
      Expect(std::abs(truth - point.y) < 0.3, "plays agree with the formula",
             failures);
    }
  }
  const auto& fixed = Curve(figure, "delta 1e-4, computed");
  Expect(At(fixed, 1e4) > 0.6 && At(fixed, 1e5) > 0.99,
         "a fixed delta leaks from 1 / delta rounds on", failures);
  Expect(Curve(figure, "delta 0.07 / i^2, computed").points.back().y < 0.125,
         "a summable delta never does", failures);
  for (const FigurePoint& point :
       Curve(figure, "learner without privacy").points) {
    Expect(point.y == 1, "bisection finds a memorised point", failures);
  }
  const FigureCurve& ours = Curve(figure, "rectangles, epsilon 8");
  Expect(ours.points.size() >= 2, "rectangles were attacked", failures);
  for (const FigurePoint& point : ours.points) {
    Expect(point.y == 0, "nothing is stolen from rectangles", failures);
  }
  return failures;
}

}  // namespace

GalleryEntry PerpLeakage() {
  return {
      "perp-leakage",
      "[PERP] Definition 3.4, Fact 3.5, Observation 3.9",
      "A predictor answers forever, and other users bring points drawn at "
      "random. A thief sees all answers, asks what it likes and names a point; "
      "it wins if another user brought exactly that one. A learner that "
      "memorises loses its nearest point to bisection. A predictor that in "
      "each round decides with probability delta to spell out the user's point "
      "is (0, delta)-private in every round, and over 1 / delta rounds gives a "
      "point away. With a delta(i) that falls so fast that all rounds together "
      "stay below 1/8 it does not. `rectangles`, whose guarantee is of that "
      "kind, was attacked by bisection; the largest T is in the middle of its "
      "second phase, where it has learned from the queries themselves.",
      Make,
      "A constant delta leaks by T = 1 / delta, a summable one never; nothing "
      "was stolen from `rectangles`. The bars are intervals of 95 %.",
      Check};
}

}  // namespace sotto::gallery
