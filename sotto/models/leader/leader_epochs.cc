#include "sotto/models/leader/leader_epochs.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sotto {
namespace {

constexpr std::uint64_t kUsualHorizon = 1'000'000;
constexpr std::array kFirsts = {8,   12,  16,  24,  32,   48,   64,   96,  128,
                                192, 256, 384, 512, 1024, 2048, 4096, 8192};
constexpr std::array kGrowths = {1.5, 1.75, 2.0, 2.25, 2.5, 3.0, 4.0};

}  // namespace

std::uint64_t LeaderEpochs::Next(std::uint64_t length) const {
  const double grown = std::ceil(static_cast<double>(length) * growth);
  return static_cast<std::uint64_t>(
      std::min(grown, static_cast<double>(kLongest)));
}

double ExpectedMistakes(const PrivateFit& fit, const LeaderEpochs& epochs,
                        std::uint64_t horizon) {
  std::uint64_t length = std::min(epochs.first, horizon);
  double mistakes = 0.5 * static_cast<double>(length);
  std::uint64_t done = length;
  while (done < horizon) {
    const double error = fit.ExpectedError(static_cast<double>(length));
    length = std::min(epochs.Next(length), horizon - done);
    mistakes += error * static_cast<double>(length);
    done += length;
  }
  return mistakes;
}

LeaderEpochs ChooseEpochs(const PrivateFit& fit, LeaderEpochs wanted,
                          std::uint64_t horizon) {
  if (horizon == 0) horizon = kUsualHorizon;
  LeaderEpochs best = wanted;
  double least = HUGE_VAL;
  for (const int first : kFirsts) {
    for (const double growth : kGrowths) {
      LeaderEpochs tried = wanted;
      if (tried.first == 0) tried.first = static_cast<std::uint64_t>(first);
      if (tried.growth == 0) tried.growth = growth;
      const double mistakes = ExpectedMistakes(fit, tried, horizon);
      if (mistakes >= least) continue;
      least = mistakes;
      best = tried;
    }
  }
  return best;
}

}  // namespace sotto
