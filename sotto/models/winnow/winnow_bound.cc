#include "sotto/models/winnow/winnow_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/mechanisms/thresholds/stopper.h"

namespace sotto {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Tried on halfspace streams (private_winnow.md, Constants): batches of one and
// a half deviations, steps a little longer than the best proved ones.
constexpr double kBatchPerSigma = 1.5;
constexpr double kStepFactor = 1.3;
// With a threshold the batches are far larger than the noise.
constexpr double kThresholdStepFactor = 4;

double LateSlack(double rate, double failure) {
  return std::max(0.0, std::ceil(-std::log(failure) / rate - 1));
}

// The least progress of a batch of `low` to `high` examples (steps 9 and 10):
// concave in n, so the ends decide.
double Progress(const WinnowSetting& s, double eta, double low, double high,
                double noise_factor) {
  const auto at = [&](double n) {
    return (1 - s.confidence) * s.margin * eta * n -
           eta * eta * (n * n + noise_factor * s.sigma * s.sigma) / 2;
  };
  return std::min(at(low), at(high));
}

struct BatchSizes {
  double low;
  double high;
};

// Each side fails with a third of the probability, the bound on the number of
// batches with the last third (step 11).
BatchSizes Sizes(const WinnowSetting& s, const WinnowStep& step) {
  const double third = s.failure / 3;
  const auto early = static_cast<double>(
      StopperEarlySlack(s.stopper_epsilon, s.horizon, third));
  // No stream has more batches than rounds.
  const double late =
      LateSlack(s.stopper_epsilon, third / static_cast<double>(s.horizon));
  const auto n = static_cast<double>(step.batch);
  return {std::max(0.0, n - early + 1), n + late + 1};
}

// Batches that are enough at one order of the moment (lambda), or +infinity.
double BatchBoundAt(const WinnowSetting& s, double eta, const BatchSizes& sizes,
                    double order, double noise_factor) {
  const double progress = Progress(s, eta, sizes.low, sizes.high, noise_factor);
  if (!(progress > 0)) return kInfinity;
  const double start = std::log(s.weights) + std::log(3 / s.failure) / order;
  return std::floor(start / progress * (1 + 1e-9));
}

double BatchBound(const WinnowSetting& s, double eta, const BatchSizes& sizes) {
  double best = s.signs ? kInfinity : BatchBoundAt(s, eta, sizes, 1, 2);
  for (int i = 1; i < 64; ++i) {
    const double order = i / 64.0;
    best = std::min(best, BatchBoundAt(s, eta, sizes, order, 1 / (1 - order)));
  }
  return best;
}

}  // namespace

WinnowStep ChooseWinnowStep(const WinnowSetting& setting, WinnowAim aim) {
  const auto early = static_cast<double>(StopperEarlySlack(
      setting.stopper_epsilon, setting.horizon, setting.failure));
  // Some feature reaches n * margin in every batch: it should be released.
  const double seen = setting.threshold / setting.margin;
  const auto at = [&](double per_sigma, double factor) {
    const double n =
        std::ceil(std::max({per_sigma * setting.sigma, early, seen}));
    const double noise = setting.sigma * setting.sigma;
    return WinnowStep{static_cast<std::int64_t>(n),
                      factor * (1 - setting.confidence) * setting.margin * n /
                          (n * n + noise)};
  };
  WinnowStep best =
      at(kBatchPerSigma,
         setting.threshold > 0 ? kThresholdStepFactor : kStepFactor);
  if (aim == WinnowAim::kPractical) return best;
  double least = BoundWinnow(setting, best).mistakes;
  for (int a = 4; a <= 40; ++a) {
    for (int f = 4; f <= 14; ++f) {
      const WinnowStep step = at(a / 10.0, f / 10.0);
      const double bound = BoundWinnow(setting, step).mistakes;
      if (bound < least) {
        least = bound;
        best = step;
      }
    }
  }
  return best;
}

WinnowBound BoundWinnow(const WinnowSetting& setting, const WinnowStep& step) {
  if (setting.threshold > 0 || !setting.all_published) {
    return {kInfinity, kInfinity, kInfinity};
  }
  const BatchSizes sizes = Sizes(setting, step);
  WinnowBound bound;
  bound.batches = BatchBound(setting, step.learning_rate, sizes);
  // The last batch is never released.
  bound.mistakes = (bound.batches + 1) * sizes.high;
  const double mean =
      Progress(setting, step.learning_rate, sizes.low, sizes.high, 1);
  bound.mean_mistakes =
      mean > 0 ? (std::log(setting.weights) / mean + 1) * sizes.high
               : kInfinity;
  return bound;
}

}  // namespace sotto
