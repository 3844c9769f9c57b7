// Reorder-Slice-Compute: the cost of tau slices of one data set.
#include <cmath>
#include <cstdint>

#include "bench/gallery/figures.h"
#include "sotto/accounting/composition.h"
#include "sotto/mechanisms/slicing/reorder_slice_compute_bound.h"

namespace sotto::gallery {
namespace {

constexpr double kEach = 0.01;
constexpr double kFailure = 1e-6;

double Bound(std::uint64_t slices, double substitution, double rate) {
  const auto charge = SliceBound({.slice_epsilon = kEach,
                                  .substitution_epsilon = substitution,
                                  .geometric_rate = rate,
                                  .slices = slices,
                                  .failure = kFailure});
  return charge ? charge->epsilon / kEach : NAN;
}

Figure Make(bool small) {
  Figure figure{"Cost of tau slices, each with a mechanism of epsilon e",
                "slices tau", "epsilon of all / e"};
  FigureCurve one{.name = "one by one: tau", .dashed = true};
  FigureCurve advanced{.name = "advanced composition", .dashed = true};
  FigureCurve closed{"closed form, e <= 0.2"};
  FigureCurve general{"any mechanism"};
  FigureCurve counts{"counts"};
  FigureCurve fine{"counts, slices drawn at e / 10"};
  const double form = SliceEpsilonInClosedForm(kEach, kFailure) / kEach;
  for (double x = 0; x <= 3.001; x += small ? 1 : 0.125) {
    const auto tau = static_cast<std::uint64_t>(std::lround(std::pow(10, x)));
    const auto at = static_cast<double>(tau);
    one.points.push_back(Exact(at, at));
    const auto all = AdvancedComposition({kEach, 0}, tau, kFailure);
    if (all) advanced.points.push_back(Exact(at, all->epsilon / kEach));
    closed.points.push_back(Exact(at, form));
    general.points.push_back(Exact(at, Bound(tau, 2 * kEach, kEach)));
    counts.points.push_back(Exact(at, Bound(tau, kEach, kEach)));
    fine.points.push_back(Exact(at, Bound(tau, kEach, kEach / 10)));
  }
  figure.curves = {one, advanced, closed, general, counts, fine};
  return figure;
}

Failures Check(const Figure& figure) {
  Failures failures;
  const FigureCurve& counts = Curve(figure, "counts");
  Expect(At(counts, 1000) < 1.01 * At(counts, 100), "flat from 100 slices on",
         failures);
  Expect(At(counts, 1000) < 17, "about 16 e", failures);
  Expect(At(counts, 10) > 9.9, "no gain at 10 slices", failures);
  Expect(At(Curve(figure, "counts, slices drawn at e / 10"), 1000) < 7,
         "finer slices cost less", failures);
  Expect(At(counts, 1000) < At(Curve(figure, "advanced composition"), 1000),
         "less than composition", failures);
  return failures;
}

}  // namespace

GalleryEntry PerpSlices() {
  return {
      "perp-slices",
      "[PERP] Algorithm 1, Theorem 4.1",
      "RectanglesPERP cuts its data into 2d slices (the m points furthest "
      "left, then the m furthest right, and so on) and runs a private test "
      "on each. One record can move from slice to slice, so all slices seem "
      "to pay. Reorder-Slice-Compute draws the sizes of the slices at "
      "random, so that the two worlds fall back into step after a few "
      "slices. e = 0.01, failure 1e-6; the theorem has no constant, these "
      "are the explicit ones.",
      Make,
      "The cost is flat, about 16 e for counts, and pays from about 16 "
      "slices on (8 dimensions); with finer slices from 7.",
      Check};
}

}  // namespace sotto::gallery
