// Threshold monitor: the least threshold that is distinguished from its half.
#include <cmath>
#include <cstdint>

#include "bench/gallery/figures.h"
#include "sotto/mechanisms/counters/tree_counter_bound.h"
#include "sotto/mechanisms/thresholds/threshold_monitor.h"

namespace sotto::gallery {
namespace {

constexpr double kEpsilon = 1;
constexpr double kFailure = 0.01;

double MonitorThreshold(std::uint64_t horizon) {
  std::int64_t low = 1;
  std::int64_t high = 1 << 20;
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    const auto monitor = ThresholdMonitor::Create({.epsilon = kEpsilon,
                                                   .threshold = middle,
                                                   .horizon = horizon,
                                                   .failure = kFailure});
    (monitor && monitor->SolvesProblem() ? high : low) = middle;
  }
  return static_cast<double>(high);
}

// A count that is right to within k / 4 distinguishes k from k / 2.
double CounterThreshold(std::uint64_t horizon, bool binary, int levels) {
  TreeShape::Target target{
      .epsilon = kEpsilon, .horizon = horizon, .failure = kFailure};
  if (binary) target.radices.assign(static_cast<std::size_t>(levels), 2);
  const auto shape = TreeShape::Best(target);
  return shape ? 4 * shape->ErrorBound(kFailure) : NAN;
}

Figure Make(bool small) {
  Figure figure{"The least k that is distinguished from k / 2, epsilon 1",
                "steps T", "k"};
  FigureCurve binary{"binary counter"};
  FigureCurve tree{"best tree counter"};
  FigureCurve monitor{"threshold monitor"};
  FigureCurve need{.name = "(log2 T) / 2", .dashed = true};
  for (int levels = 6; levels <= 30; levels += small ? 8 : 2) {
    const std::uint64_t horizon = std::uint64_t{1} << levels;
    const auto x = static_cast<double>(horizon);
    binary.points.push_back(Exact(x, CounterThreshold(horizon, true, levels)));
    tree.points.push_back(Exact(x, CounterThreshold(horizon, false, levels)));
    monitor.points.push_back(Exact(x, MonitorThreshold(horizon)));
    need.points.push_back(Exact(x, levels / 2.0));
  }
  figure.curves = {binary, tree, monitor, need};
  return figure;
}

Failures Check(const Figure& figure) {
  Failures failures;
  const FigureCurve& monitor = Curve(figure, "threshold monitor");
  const FigureCurve& binary = Curve(figure, "binary counter");
  const auto growth = [](const FigureCurve& curve) {
    return curve.points.back().y / curve.points.front().y;
  };
  Expect(growth(monitor) < 30.0 / 6, "the monitor grows at most as log T",
         failures);
  Expect(growth(binary) > 1.5 * growth(monitor), "counters grow faster",
         failures);
  for (const FigurePoint& point : monitor.points) {
    Expect(point.y >= std::log2(point.x) / 2, "above the lower bound's shape",
           failures);
  }
  return failures;
}

}  // namespace

GalleryEntry CounterHorizon() {
  return {
      "counter-horizon",
      "[Counters] Problem 1.6, Theorem 1.7, Observation 1.8",
      "A monitor watches a stream of T steps and says once that k events have "
      "come, not before there were k / 2, with probability 0.99. The paper "
      "proves that k must grow with log T and that log T is enough. Proved "
      "bounds of our monitor, and of running counts used as monitors.",
      Make,
      "log T is enough; counters, which say more, need more. A figure can be "
      "consistent with a lower bound, it cannot show one.",
      Check};
}

}  // namespace sotto::gallery
