#pragma once

#include <cstdint>

#include "sotto/base/bytes.h"
#include "sotto/base/feature_view.h"
#include "sotto/base/int128.h"
#include "sotto/base/result.h"

namespace sotto {

// Answer to one user; the operator may see `paid`.
struct PopAnswer {
  bool prediction = false;
  bool paid = false;
  friend bool operator==(const PopAnswer&, const PopAnswer&) = default;
};

// A user's round, open until its label comes. Moves, and is closed once: so a
// label cannot be taught twice. (Load what was saved once.)
//
// Threads: a value type.
struct PopRound {
  PopAnswer answer = {};
  std::uint64_t phase = 0;
  std::uint64_t generation = 0;
  std::int64_t copy = 0;
  FeatureVector x = {};

  bool prediction() const { return answer.prediction; }
  bool paid() const { return answer.paid; }

  void Save(ByteWriter& writer) const;
  // Loads a round of a stream in which every feature's index is below
  // `features`. Fails with kCorruption.
  static Result<PopRound> Load(ByteReader& reader, std::uint64_t features);

  PopRound() = default;
  PopRound(PopRound&&) = default;
  PopRound& operator=(PopRound&&) = default;
  PopRound(const PopRound&) = delete;
  PopRound& operator=(const PopRound&) = delete;
  ~PopRound() = default;
};

// Copy that a random word chooses: uniform on [0, copies) up to copies / 2^64.
// No data enters, so the bias costs no privacy.
inline std::int64_t ChooseCopy(std::uint64_t word, std::int64_t copies) {
  return static_cast<std::int64_t>(
      High64(static_cast<Uint128>(word) * static_cast<std::uint64_t>(copies)));
}

}  // namespace sotto
