// Composition of m mechanisms of epsilon 0.1: Theorem 3.3 against the exact
// answer.
#include <array>
#include <cmath>
#include <cstdint>

#include "bench/gallery/figures.h"
#include "sotto/accounting/composition.h"
#include "sotto/accounting/privacy_loss.h"
#include "sotto/accounting/tight_composition.h"

namespace sotto::gallery {
namespace {

constexpr double kEach = 0.1;
constexpr double kDelta = 1e-6;

Figure Make(bool small) {
  Figure figure{"Composition of m mechanisms of epsilon 0.1, delta 1e-6",
                "mechanisms m", "epsilon of all"};
  FigureCurve basic{.name = "basic: m epsilon (groups, too)", .dashed = true};
  FigureCurve printed{"Theorem 3.3"};
  FigureCurve exact{"randomised response, exact"};
  FigureCurve laplace{"Laplace noise, exact"};
  const auto coin = PrivacyLoss::RandomizedResponse(kEach);
  const auto noise = PrivacyLoss::Laplace(1 / kEach);
  for (double x = 0; x <= 3.001; x += small ? 1.5 : 0.25) {
    const auto m = static_cast<std::uint64_t>(std::lround(std::pow(10, x)));
    const auto count = static_cast<double>(m);
    basic.points.push_back(Exact(count, count * kEach));
    const auto advanced = AdvancedComposition({kEach, 0}, m, kDelta);
    if (advanced) printed.points.push_back(Exact(count, advanced->epsilon));
    const auto add = [&](const Result<PrivacyLoss>& loss, FigureCurve& curve) {
      if (!loss) return;
      const std::array terms = {LossTerm{*loss, m}};
      const auto epsilon = TightEpsilon(terms, kDelta);
      if (epsilon) curve.points.push_back(Exact(count, *epsilon));
    };
    add(coin, exact);
    add(noise, laplace);
  }
  figure.curves = {basic, printed, exact, laplace};
  return figure;
}

Failures Check(const Figure& figure) {
  Failures failures;
  const FigureCurve& printed = Curve(figure, "Theorem 3.3");
  const FigureCurve& basic = Curve(figure, "basic: m epsilon (groups, too)");
  for (const FigurePoint& point :
       Curve(figure, "randomised response, exact").points) {
    Expect(point.y <= At(printed, point.x) * 1.0001, "Theorem 3.3 holds",
           failures);
    Expect(point.y <= At(basic, point.x) * 1.0001, "basic holds", failures);
  }
  Expect(At(printed, 1) > At(basic, 1), "at first basic is less", failures);
  Expect(At(printed, 1000) < 0.3 * At(basic, 1000), "in the end far more",
         failures);
  Expect(At(Curve(figure, "randomised response, exact"), 1000) <
             0.8 * At(printed, 1000),
         "the theorem is loose by more than a quarter", failures);
  return failures;
}

}  // namespace

GalleryEntry PopComposition() {
  return {
      "pop-composition",
      "[POP] Theorems 3.3 and 3.4",
      "A user who is touched by m mechanisms pays for all of them. Adding "
      "epsilons is safe and wasteful; the paper's Theorem 3.3 proves that "
      "challenge privacy composes like ordinary privacy, with a square root. "
      "The exact values are for randomised response, the worst there is, and "
      "for Laplace noise. A group of g users pays g epsilon, as the dashed "
      "line does.",
      Make,
      "The theorem holds, pays from about 40 mechanisms on, and is two fifths "
      "above the exact value at 1,000.",
      Check};
}

}  // namespace sotto::gallery
