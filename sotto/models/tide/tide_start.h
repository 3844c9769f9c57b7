#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/models/tide/tide_encoding.h"
#include "sotto/models/tide/tide_frame.h"
#include "sotto/models/tide/tide_noise.h"
#include "sotto/random/rng.h"

namespace sotto {

// The sums of the first rows, which are used for nothing else: of their
// coordinates, for the means, of their gradients at 0, for first weights, and
// of how far numbers lie from their level. One release, with its own noise.
//
//   TideStart start(frame, outputs, bits);
//   start.AddRow(row);
//   start.AddLabel(row, errors);     // in units of 2C: of length 1/2 at most
//   start.AddGap(gap);               // numbers only
//   TideStart::Released released = start.Release(source, rng);
//
// Proof:   tide.md, step 2.
// Threads: not thread-safe.
class TideStart {
 public:
  // In reals.
  struct Released {
    std::vector<double> sums;       // by coordinate; 0 for pairs
    std::vector<double> gradients;  // by coordinate and output
    double labels = 0;              // that came
    double gaps = 0;                // numbers only
  };

  // With `gaps` for labels that are numbers.
  TideStart(const TideFrame& frame, std::uint32_t outputs, int bits, bool gaps);

  void AddRow(std::span<const TideFeature> row);
  void AddLabel(std::span<const TideFeature> row,
                std::span<const double> errors);
  // The distance of a number from the level, by place.
  void AddGap(double gap);
  // Once: all memory is given back.
  Released Release(TideNoiseSource& source, Rng& rng);

  // The bytes are as secret as the data.
  void Save(ByteWriter& writer) const;
  // Fails with kCorruption.
  Status Load(ByteReader& reader);

 private:
  std::uint32_t outputs_;
  int bits_;
  std::vector<double> units_;  // of each group: its scale, in units
  std::size_t centred_;        // coordinates before the first pair
  std::vector<std::int64_t> sums_;
  std::vector<std::int64_t> gradients_;
  std::vector<std::int64_t> counts_;  // of labels, and of gaps for numbers
};

}  // namespace sotto
