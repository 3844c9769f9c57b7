// Mistakes at the one point that is labelled 1, by the rounds of that point.
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/gallery/figures.h"
#include "sotto/models/points/histogram_point_predictor.h"
#include "sotto/models/points/point_design.h"
#include "sotto/models/points/point_predictor.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::gallery {
namespace {

constexpr double kDelta = 1e-6;
constexpr PointName kPoint = {1, 0};

// Mistakes after 10^2, 10^2.5, ... rounds of the point. Once it is answered 1
// ten thousand times in a row it always is: the rest is not played.
template <typename Predictor>
std::vector<double> Play(Predictor points, const std::vector<double>& rounds,
                         Rng& rng) {
  std::vector<double> mistakes;
  double here = 0;
  std::uint64_t t = 0;
  std::uint64_t right = 0;
  for (const double end : rounds) {
    for (; static_cast<double>(t) < end && right < 10'000; ++t) {
      const auto opened = points.Open(kPoint, rng);
      here += opened.prediction ? 0 : 1;
      right = opened.prediction ? right + 1 : 0;
      points.Close(opened.round, true);
    }
    mistakes.push_back(here);
  }
  return mistakes;
}

// The mean of the runs in which the point was learned by the end.
template <typename Predictor>
FigureCurve Runs(std::string name, const Predictor& points, int seeds,
                 const std::vector<double>& rounds) {
  FigureCurve curve{.name = std::move(name), .seeds = seeds};
  std::vector<std::vector<double>> learned;
  for (int seed = 0; seed < seeds; ++seed) {
    testing::SeededRng rng(static_cast<std::uint64_t>(seed));
    auto mistakes = Play(points, rounds, rng);
    if (mistakes.back() < 0.5 * rounds.back()) learned.push_back(mistakes);
  }
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    double sum = 0;
    double squares = 0;
    for (const auto& run : learned) sum += run[i];
    const double n = std::max<double>(1, static_cast<double>(learned.size()));
    for (const auto& run : learned) squares += std::pow(run[i] - sum / n, 2);
    const double error = std::sqrt(squares / std::max(1.0, n - 1) / n);
    curve.points.push_back(
        {rounds[i], sum / n, sum / n - 2 * error, sum / n + 2 * error});
  }
  return curve;
}

Figure Make(bool small) {
  Figure figure{"Mistakes at the one point that is labelled 1",
                "rounds of the point", "mistakes"};
  std::vector<double> rounds;
  for (double x = 1.5; x <= (small ? 4 : 6); x += 0.25) {
    rounds.push_back(std::round(std::pow(10, x)));
  }
  const int seeds = small ? 6 : 20;
  for (const double epsilon : {1.0, 3.0}) {
    const std::string end =
        ", epsilon " + std::to_string(static_cast<int>(epsilon));
    for (const PaperNumbers numbers :
         {PaperNumbers::kPrinted, PaperNumbers::kLeast}) {
      const auto design =
          ChooseHistogramPointDesign({epsilon, kDelta}, numbers);
      if (!design) continue;
      const auto points = HistogramPointPredictor::Create({.design = *design});
      if (!points) continue;
      const bool printed = numbers == PaperNumbers::kPrinted;
      figure.curves.push_back(
          Runs((printed ? "Algorithm 3 printed" : "Algorithm 3 least") + end,
               *points, seeds, rounds));
    }
    const auto design =
        ChoosePointDesign({epsilon, kDelta}, Relation::kReplace);
    if (!design) continue;
    const auto points = PointPredictor::Create({.design = *design});
    if (points) {
      figure.curves.push_back(Runs("ours" + end, *points, seeds, rounds));
    }
  }
  return figure;
}

Failures Check(const Figure& figure) {
  Failures failures;
  for (const char* epsilon : {", epsilon 1", ", epsilon 3"}) {
    const std::string end = epsilon;
    const FigureCurve& printed = Curve(figure, "Algorithm 3 printed" + end);
    const FigureCurve& least = Curve(figure, "Algorithm 3 least" + end);
    const FigureCurve& ours = Curve(figure, "ours" + end);
    const double last = printed.points.back().x;
    Expect(printed.points.back().y == At(printed, last / 1.78),
           "printed is flat", failures);
    Expect(least.points.back().y == At(least, last / 10), "least is flat",
           failures);
    Expect(At(printed, last) > 3 * At(least, last),
           "printed numbers cost three times the least", failures);
    Expect(At(least, last) > 1.3 * At(ours, last), "ours errs less", failures);
  }
  return failures;
}

}  // namespace

GalleryEntry PointsHorizon() {
  return {
      "points-horizon",
      "[Counters] Lemma 1.12, Algorithm 3",
      "Users bring values, and one value is labelled 1. A predictor that "
      "answers each user privately, and publishes nothing, needs a number of "
      "mistakes that does not depend on how long the stream is; anything that "
      "publishes what it learned needs more and more (log T). Algorithm 3 with "
      "the paper's numbers, corrected only where privacy asks for it, with the "
      "least numbers that keep the guarantee, and our predictor. Delta 1e-6; "
      "the mean of the runs that learned the point, with two standard errors.",
      Make,
      "All three are flat. The printed numbers cost several times the least "
      "ones, and those about twice what a test and a mirror for each point "
      "cost.",
      Check};
}

}  // namespace sotto::gallery
