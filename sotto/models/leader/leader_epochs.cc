#include "sotto/models/leader/leader_epochs.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sotto {
namespace {

constexpr std::uint64_t kUsualHorizon = 1'000'000;
constexpr std::array kFirsts = {8,   12,  16,  24,  32,   48,   64,   96,  128,
                                192, 256, 384, 512, 1024, 2048, 4096, 8192};
constexpr std::array kGrowths = {3.0, 2.5, 2.25, 2.0, 1.75, 1.5};
// Fewer fits and longer batches are worth a little where the model, which is
// rough, sees hardly a difference.
constexpr double kWorthIt = 0.95;

}  // namespace

std::uint64_t LeaderEpochs::Next(std::uint64_t length) const {
  const double grown = std::ceil(static_cast<double>(length) * growth);
  return static_cast<std::uint64_t>(
      std::min(grown, static_cast<double>(longest)));
}

double ExpectedMistakes(const PrivateFit& fit, const LeaderEpochs& epochs,
                        std::uint64_t horizon, double label_rate) {
  std::uint64_t length = std::min(epochs.first, horizon);
  double mistakes = fit.ExpectedError(0) * static_cast<double>(length);
  std::uint64_t done = length;
  while (done < horizon) {
    const double error =
        fit.ExpectedError(label_rate * static_cast<double>(length));
    const std::uint64_t next = epochs.Next(length);
    // From here on all epochs are alike.
    length = next == length ? horizon - done : std::min(next, horizon - done);
    mistakes += error * static_cast<double>(length);
    done += length;
  }
  return mistakes;
}

LeaderEpochs ChooseEpochs(const PrivateFit& fit, LeaderEpochs wanted,
                          std::uint64_t horizon, double label_rate) {
  if (horizon == 0) horizon = kUsualHorizon;
  if (wanted.first == 0) wanted.first = fit.UsualFirstEpoch();
  LeaderEpochs best = wanted;
  double least = HUGE_VAL;
  for (const double growth : kGrowths) {
    LeaderEpochs of_growth = wanted;
    double least_of_growth = HUGE_VAL;
    for (const int first : kFirsts) {
      LeaderEpochs tried = wanted;
      if (tried.first == 0) tried.first = static_cast<std::uint64_t>(first);
      if (tried.growth == 0) tried.growth = growth;
      const double mistakes = ExpectedMistakes(fit, tried, horizon, label_rate);
      if (mistakes >= least_of_growth) continue;
      least_of_growth = mistakes;
      of_growth = tried;
    }
    if (least_of_growth >= kWorthIt * least) continue;
    least = least_of_growth;
    best = of_growth;
  }
  return best;
}

}  // namespace sotto
