#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "sotto/testing/replay_rng.h"

namespace sotto {

inline constexpr double kEmptyRow = std::numeric_limits<double>::quiet_NaN();

// The numbers to which a release adds noise, and the rate of each noise, as the
// class drew them. One scale for all, or one for each.
struct NoisyNumbers {
  std::vector<std::int64_t> values;
  std::vector<double> rates;
};

inline NoisyNumbers Watch(const std::function<void(Rng&)>& release) {
  testing::ReplayRng rng(1);
  rng.BeginRound(1, false);
  release(rng);
  rng.End();
  NoisyNumbers seen;
  for (const auto& round : rng.rounds()) {
    for (const auto& site : round.sites) seen.values.push_back(site.value);
    for (const auto& drawn : round.drawn) {
      seen.rates.insert(seen.rates.end(), drawn.draws, 1 / drawn.scale);
    }
  }
  return seen;
}

// The cost in nats of the difference of two worlds: Laplace noise of rate r on
// numbers that differ by d costs r d.
inline double MovedNats(const NoisyNumbers& a, const NoisyNumbers& b) {
  double nats = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    nats += a.rates.at(i) *
            static_cast<double>(std::llabs(a.values[i] - b.values.at(i)));
  }
  return nats;
}

// Calls visit with all pairs of tables of `rows` rows out of `choices` that
// differ in the first `changed` rows.
inline void ForEachNeighbours(
    std::size_t rows, std::size_t changed, const std::vector<double>& choices,
    const std::function<void(const std::vector<double>&,
                             const std::vector<double>&)>& visit) {
  const std::size_t places = rows + changed;
  std::vector<std::size_t> at(places, 0);
  while (true) {
    std::vector<double> a(rows);
    std::vector<double> b(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      a[i] = choices[at[i]];
      b[i] = i < changed ? choices[at[rows + i]] : a[i];
    }
    visit(a, b);
    std::size_t i = 0;
    while (i < places && at[i] + 1 == choices.size()) at[i++] = 0;
    if (i == places) return;
    ++at[i];
  }
}

}  // namespace sotto
