// Noise of ChallengeAT by the horizon: the private counter of the paper against
// a one-sided Stopper.
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "bench/gallery/figures.h"
#include "sotto/mechanisms/counters/tree_counter_bound.h"
#include "sotto/mechanisms/thresholds/challenge_above_threshold.h"
#include "sotto/mechanisms/thresholds/counter_above_threshold.h"

namespace sotto::gallery {
namespace {

constexpr double kEpsilon = 1;
constexpr double kDelta = 1e-6;
constexpr double kReports = 1000;

// Scale of the noise of ChallengeAT with a counter of these radices.
double Scale(std::uint64_t horizon, bool printed,
             std::vector<std::uint64_t> radices) {
  const auto test = CounterAboveThreshold::Create(
      {.epsilon = kEpsilon,
       .delta = kDelta,
       .reports = static_cast<std::int64_t>(kReports),
       .horizon = horizon,
       .printed = printed,
       .radices = std::move(radices)});
  return test ? 1 / test->noise().rate : NAN;
}

// Radices with the least error, at about the share of epsilon that is best.
std::vector<std::uint64_t> BestRadices(std::uint64_t horizon) {
  const auto shape = TreeShape::Best(
      {.epsilon = 0.3 * kEpsilon, .horizon = horizon, .failure = kDelta / 4});
  return shape ? shape->radices : std::vector<std::uint64_t>{};
}

Figure Make(bool small) {
  Figure figure{"How the halt costs noise: a private counter, or a Stopper",
                "rounds T", "scale of the noise on each test", true, false};
  FigureCurve printed{"printed formula, c = 1"};
  FigureCurve binary{"binary counter, exact cost"};
  FigureCurve best{"best tree counter, exact cost"};
  FigureCurve stopper{"one-sided Stopper (ours)"};
  // The same for every T: `rounds` only sizes the failure of utility.
  const auto ours = ChallengeAboveThreshold::Create(
      {.epsilon = kEpsilon,
       .delta = kDelta,
       .reports = static_cast<std::int64_t>(kReports)});
  for (double exponent = 2; exponent <= 9; exponent += small ? 3.5 : 0.5) {
    const double rounds = std::round(std::pow(10, exponent));
    const auto horizon = static_cast<std::uint64_t>(rounds);
    printed.points.push_back(Exact(rounds, Scale(horizon, true, {})));
    binary.points.push_back(Exact(rounds, Scale(horizon, false, {})));
    best.points.push_back(
        Exact(rounds, Scale(horizon, false, BestRadices(horizon))));
    if (ours) {
      stopper.points.push_back(Exact(rounds, 1 / ours->noise().rate));
    }
  }
  figure.curves = {printed, binary, best, stopper};
  return figure;
}

Failures Check(const Figure& figure) {
  Failures failures;
  const auto growth = [&](const char* name) {
    const FigureCurve& curve = Curve(figure, name);
    return At(curve, 1e9) / At(curve, 1e2);
  };
  Expect(growth("printed formula, c = 1") > 1.3, "the printed noise grows",
         failures);
  Expect(growth("binary counter, exact cost") > 1.3,
         "the counter's noise grows", failures);
  Expect(growth("one-sided Stopper (ours)") < 1.01, "the Stopper's does not",
         failures);
  Expect(At(Curve(figure, "printed formula, c = 1"), 1e6) >
             2 * At(Curve(figure, "binary counter, exact cost"), 1e6),
         "exact cost needs less than half of the printed noise", failures);
  return failures;
}

}  // namespace

GalleryEntry PopHalt() {
  return {
      "pop-halt",
      "[POP] Theorems 2.10 and 4.2",
      "POP tests in each round whether its copies agree, and must stop after "
      "about 1,000 disagreements without showing in which round one occurred. "
      "The paper counts them with a private counter, whose error grows with "
      "the "
      "square of log T, and the noise of every test must cover the reports "
      "that "
      "come too many. A Stopper that is asked once a round has no such term. "
      "Epsilon 1, delta 1e-6; the best share of epsilon for the counter.",
      Make,
      "The counter's noise grows with log^2 T, the Stopper's not at all; "
      "computing the cost exactly saves more than either.",
      Check};
}

}  // namespace sotto::gallery
