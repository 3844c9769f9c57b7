#pragma once

#include <cstdint>

#include "sotto/models/fits/private_fit.h"

namespace sotto {

// How long the epochs of a leader are: public, and chosen before any data.
struct LeaderEpochs {
  std::uint64_t first = 0;  // rounds; 0: chosen
  double growth = 0;        // from one epoch to the next; 0: chosen

  static constexpr std::uint64_t kLongest = std::uint64_t{1} << 32;
  // No epoch is longer: a fit needs memory for all its places.
  std::uint64_t longest = kLongest;
  std::uint64_t Next(std::uint64_t length) const;
  friend bool operator==(const LeaderEpochs&, const LeaderEpochs&) = default;
};

// Expected mistakes of a leader over `rounds` rounds, beyond the best possible:
// in each epoch those the fit expects after the rows of the one before.
// `label_rate`: the fraction of rounds whose label comes.
double ExpectedMistakes(const PrivateFit& fit, const LeaderEpochs& epochs,
                        std::uint64_t horizon, double label_rate);

// Fills in what is 0, so that this is least. Without a horizon (0): as if for a
// million rounds.
LeaderEpochs ChooseEpochs(const PrivateFit& fit, LeaderEpochs wanted,
                          std::uint64_t horizon, double label_rate);

}  // namespace sotto
