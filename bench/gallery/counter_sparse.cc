// Running counts: the proved error as a function of the events that come.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "bench/gallery/figures.h"
#include "sotto/mechanisms/counters/counter.h"

namespace sotto::gallery {
namespace {

constexpr std::uint64_t kHorizon = 1'000'000;

double Error(Counter::Mechanism mechanism, std::uint64_t events) {
  const auto counter = Counter::Create({.epsilon = 1,
                                        .delta = 1e-6,
                                        .horizon = kHorizon,
                                        .expected_events = events,
                                        .failure = 0.05,
                                        .mechanism = mechanism});
  return counter ? counter->ErrorBound() : NAN;
}

Figure Make(bool small) {
  Figure figure{"Error of a running count over 1e6 steps, epsilon 1",
                "events n", "largest error, 95 %"};
  FigureCurve none{.name = "always 0: n", .dashed = true};
  FigureCurve tree{"tree, delta 0"};
  FigureCurve root{"square root"};
  FigureCurve sparse{"sparse"};
  for (double x = 0; x <= 5.001; x += small ? 2.5 : 0.5) {
    const auto events =
        static_cast<std::uint64_t>(std::lround(std::pow(10, x)));
    const auto at = static_cast<double>(events);
    none.points.push_back(Exact(at, at));
    tree.points.push_back(Exact(at, Error(Counter::Mechanism::kTree, events)));
    root.points.push_back(
        Exact(at, Error(Counter::Mechanism::kSquareRoot, events)));
    sparse.points.push_back(
        Exact(at, Error(Counter::Mechanism::kSparse, events)));
  }
  figure.curves = {none, tree, root, sparse};
  return figure;
}

Failures Check(const Figure& figure) {
  Failures failures;
  const FigureCurve& tree = Curve(figure, "tree, delta 0");
  const FigureCurve& sparse = Curve(figure, "sparse");
  Expect(tree.points.front().y == tree.points.back().y,
         "a tree does not depend on the events", failures);
  Expect(sparse.points.front().y < 0.5 * tree.points.front().y,
         "few events: sparse errs less than half", failures);
  Expect(sparse.points.back().y > 2 * sparse.points.front().y,
         "and its error grows with the events", failures);
  return failures;
}

}  // namespace

GalleryEntry CounterSparse() {
  return {
      "counter-sparse",
      "[Counters] remark after Theorem 1.5",
      "A counter shows after each of 1e6 steps about how many events have "
      "come. "
      "If few come, a counter that waits for enough of them before it looks "
      "errs less: its error follows log T + log^2 n instead of log^2 T, and n "
      "itself, the error of always saying 0, is the limit. Proved bounds; "
      "delta "
      "1e-6 for the square-root counter.",
      Make,
      "The shape is that of min(n, log T + log^2 n): below about fifty "
      "events nothing beats 0, up to some thousands the sparse counter wins, "
      "and "
      "then the square-root counter.",
      Check};
}

}  // namespace sotto::gallery
