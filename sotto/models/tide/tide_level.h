#pragma once

#include <cstdint>

#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/models/tide/tide_noise.h"
#include "sotto/random/rng.h"

namespace sotto {

// The sum of the labels of the very first rows, if labels are numbers: one
// release tells where they lie, and rows after it are learned from there.
//
//   TideLevel level(bits);
//   level.Add(place);                              // in [0, 1]
//   double score = level.Release(rows, source, rng);
//
// Proof:   tide.md, step 2.
// Threads: not thread-safe.
class TideLevel {
 public:
  explicit TideLevel(int bits) : bits_(bits) {}

  // A label's place in its range. A row without a label adds nothing.
  void Add(double place);
  // The score of the mean place of this many rows. Once: the sum is then 0.
  double Release(std::uint64_t rows, TideNoiseSource& source, Rng& rng);

  // The bytes are as secret as the data.
  void Save(ByteWriter& writer) const { writer.Number(sum_); }
  // Fails with kCorruption.
  Status Load(ByteReader& reader);

 private:
  int bits_;
  std::int64_t sum_ = 0;
};

// Public facts about labels that are numbers, from the releases of the first
// rows: post-processing (step 8).
struct TideFirstNumbers {
  double level = 0;       // score that the start's errors were measured from
  double mean_error = 0;  // of the start's rows, predicted minus label
  double mean_gap = 0;    // its mean absolute value, up to kTideMostSpread
};

// The level again, with the error of the start taken off.
double RefineTideLevel(const TideFirstNumbers& first);

// By how much steps are shortened, in [0.15, 1]: noise in the score is noise in
// the number predicted, so steps are the smaller the less labels spread, in
// units of the score.
double ComputeTidePace(const TideFirstNumbers& first);

// The pace again, once the weights have moved scores by this variance beyond
// their noise: half way up to what that allows, never down.
double RaiseTidePace(double pace, double signal);

}  // namespace sotto
