#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/features.h"
#include "sotto/random/history_rng.h"
#include "sotto/random/key.h"

namespace sotto::app {

// The noise of a stream of rounds, a function of a key and of all that was read
// up to the round: a state that is loaded twice and fed different data draws
// independent noise, and a resumed run equals one that was never stopped.
//
//   RoundHistory history(noise_key, hash_key);
//   history.Absorb(x, user, label_taught_since_the_last_round);
//   auto round = pop.Open(x, user, history.rng());
//
// Inputs enter by a keyed 127-bit hash (a single number alone directly), so
// that nobody without the key can look for two that collide.
//
// Threads: not thread-safe.
class RoundHistory {
 public:
  RoundHistory(const Key& noise, const Key& hash) : hash_(hash) {
    rng_.emplace(noise);
  }

  void Absorb(FeatureView x, std::string_view user,
              const std::optional<bool>& taught);
  Rng& rng() { return *rng_; }

  // Where the history is, and back to such a place.
  const Key& place() const { return rng_->key(); }
  void Rewind(const Key& place) { rng_.emplace(place); }

  const Key& hash_key() const { return hash_; }

 private:
  Key hash_;
  std::optional<HistoryRng> rng_;
  std::string bytes_;  // scratch
};

}  // namespace sotto::app
