// Monitors on the stream that is hardest for them: Claim 2.3.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/gallery/figures.h"
#include "bench/gallery/share.h"
#include "sotto/audit/games/hard_instance.h"
#include "sotto/mechanisms/counters/tree_counter.h"
#include "sotto/mechanisms/thresholds/threshold_monitor.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::gallery {
namespace {

// Halts when the count is about `level`; the level decides how often it does on
// zeros.
struct Monitor {
  ThresholdMonitor monitor;
  Result<std::int64_t> Step(std::int64_t bit, Rng& rng) {
    SOTTO_TRY_ASSIGN(const auto answer,
                     monitor.Add(static_cast<std::uint64_t>(bit), rng));
    return answer == ThresholdMonitor::Answer::kAbove ? 1 : 0;
  }
};

struct CounterMonitor {
  TreeCounter counter;
  std::int64_t level;
  Result<std::int64_t> Step(std::int64_t bit, Rng& rng) {
    SOTTO_TRY_ASSIGN(const auto estimate,
                     counter.Add(static_cast<std::uint64_t>(bit), rng));
    return estimate >= level ? 1 : 0;
  }
};

template <typename Fresh>
std::uint64_t HaltsBy(const std::vector<bool>& ones, std::size_t until,
                      int games, const Fresh& fresh, Rng& rng) {
  const auto halts = internal::HaltingTimes(ones, until, games, fresh, rng);
  return internal::Sum(halts, 0, until);
}

struct Outcome {
  FigurePoint hard;    // Pr[top in time] on the hard instance
  FigurePoint spread;  // with the same number of ones, evenly spread
  FigurePoint zeros;   // Pr[top] on zeros
};

// Fresh games on the instance that was built against this monitor.
template <typename Fresh>
Outcome Measure(int k, double epsilon, int samples, const Fresh& fresh,
                std::uint64_t seed) {
  testing::SeededRng rng(seed);
  const HardInstance hard = BuildHardInstance(k, samples, fresh, rng);
  const std::size_t steps = hard.ones.size();
  std::vector<bool> spread(steps, false);
  for (int i = 1; i <= k; ++i) {
    spread[steps * static_cast<std::size_t>(i) / static_cast<std::size_t>(k) -
           1] = true;
  }
  const auto games = static_cast<std::uint64_t>(samples);
  const std::vector<bool> none(steps, false);
  return {
      Share(epsilon, HaltsBy(hard.ones, hard.last, samples, fresh, rng), games),
      Share(epsilon, HaltsBy(spread, steps, samples, fresh, rng), games),
      Share(epsilon, HaltsBy(none, steps, samples, fresh, rng), games)};
}

// The lowest level that zeros reach in at most a twentieth of the games.
template <typename At>
std::int64_t ChooseLevel(int k, const At& at) {
  const std::vector<bool> none((std::size_t{2} << k) - 2, false);
  std::int64_t low = 0;
  std::int64_t high = 1 << 14;
  constexpr int kGames = 100;
  while (high - low > std::max<std::int64_t>(1, low / 16)) {
    const std::int64_t level = (low + high) / 2;
    testing::SeededRng rng(7);
    const auto halts = HaltsBy(
        none, none.size(), kGames, [&] { return at(level); }, rng);
    (20 * halts <= kGames ? high : low) = level;
  }
  return high;
}

Outcome PlayMonitor(int k, double epsilon, int samples) {
  const std::uint64_t steps = (std::uint64_t{2} << k) - 2;
  const auto at = [&](std::int64_t level) {
    return Monitor{*ThresholdMonitor::Create(
        {.epsilon = epsilon, .threshold = level, .horizon = steps})};
  };
  const Monitor chosen = at(ChooseLevel(k, at));
  return Measure(
      k, epsilon, samples, [&] { return chosen; }, 11);
}

Outcome PlayCounter(int k, double epsilon, int samples) {
  const std::uint64_t steps = (std::uint64_t{2} << k) - 2;
  const auto counter =
      TreeCounter::Create({.epsilon = epsilon, .horizon = steps});
  const auto at = [&](std::int64_t level) {
    return CounterMonitor{*counter, level};
  };
  const std::int64_t level = ChooseLevel(k, at);
  return Measure(
      k, epsilon, samples, [&] { return at(level); }, 12);
}

// Claim 2.3 with what was measured on zeros; both mechanisms have a delta of 0.
double Cap(double epsilon, double zeros) {
  const double left = 1 - std::exp(epsilon) / 2;
  return left <= 0 ? 1 : std::min(1.0, std::exp(epsilon) * zeros / left);
}

Figure Make(bool small) {
  Figure figure{"A monitor on the stream that is hardest for it", "epsilon",
                "Pr[it speaks in time]", false, false};
  struct Size {
    const char* name;
    int k;
    int samples;
  };
  const std::vector<Size> sizes =
      small ? std::vector<Size>{{"T = 2^6", 5, 400}, {"T = 2^8", 7, 400}}
            : std::vector<Size>{{"T = 2^8", 7, 4000},
                                {"T = 2^12", 11, 1000},
                                {"T = 2^14", 13, 300}};
  FigureCurve cap{.name = "Claim 2.3, at most", .dashed = true};
  FigureCurve spread{.name =
                         "monitor, ones spread, " + std::string(sizes[1].name)};
  FigureCurve tree{.name = "tree counter, " + std::string(sizes[1].name)};
  for (const Size& size : sizes) {
    FigureCurve curve{.name = "monitor, " + std::string(size.name),
                      .seeds = size.samples};
    for (const double epsilon : {0.05, 0.15, 0.3, 0.45, 0.65}) {
      if (small && epsilon != 0.15 && epsilon != 0.45) continue;
      const Outcome seen = PlayMonitor(size.k, epsilon, size.samples);
      curve.points.push_back(seen.hard);
      if (&size != &sizes[1]) continue;
      spread.points.push_back(seen.spread);
      const Outcome counted = PlayCounter(size.k, epsilon, size.samples);
      tree.points.push_back(counted.hard);
      // At the larger of both false alarms, and the end of its interval.
      cap.points.push_back(
          Exact(epsilon,
                Cap(epsilon, std::max(seen.zeros.high, counted.zeros.high))));
    }
    figure.curves.push_back(std::move(curve));
  }
  spread.seeds = tree.seeds = sizes[1].samples;
  figure.curves.push_back(std::move(spread));
  figure.curves.push_back(std::move(tree));
  figure.curves.push_back(std::move(cap));
  return figure;
}

Failures Check(const Figure& figure) {
  Failures failures;
  const FigureCurve& cap = Curve(figure, "Claim 2.3, at most");
  for (const FigureCurve& curve : figure.curves) {
    const bool hard = curve.name.find("spread") == std::string::npos;
    for (const FigurePoint& point : curve.points) {
      if (!hard || &curve == &cap) continue;
      Expect(point.low <= At(cap, point.x) + 0.03,
             curve.name + " is not above the cap", failures);
    }
  }
  const FigurePoint& small = figure.curves.front().points.back();
  const FigurePoint& large = figure.curves[1].points.back();
  Expect(large.low <= small.high, "more ones in more steps are no easier",
         failures);
  return failures;
}

}  // namespace

GalleryEntry CounterHard() {
  return {
      "counter-hard",
      "[Counters] Theorems 1.5 and 1.7, Algorithm 1, Claim 2.3",
      "A monitor watches T = 2^(k+1) - 2 steps and speaks once when events "
      "have "
      "come. The paper builds a stream with k events that is hard for a given "
      "monitor: each event is put where the monitor is least likely to speak. "
      "Such a stream was built against our monitor and against a running count "
      "with a level, by estimates from games; then fresh games were played. "
      "The levels are so low that about one game in twenty without any event "
      "has a false alarm, and the paper's Claim 2.3 says how much more often "
      "than that any private monitor can speak in time.",
      Make,
      "Nobody is above the cap. For larger T there are more events, and it is "
      "no easier. The same events evenly spread are noticed more often.",
      Check};
}

}  // namespace sotto::gallery
