#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/int128.h"
#include "sotto/base/result.h"
#include "sotto/models/tide/tide_encoding.h"
#include "sotto/models/tide/tide_frame.h"

namespace sotto {

// The sum of the gradients of a batch, in integers: secret until noise has been
// added. A row's gradient is its error times its coordinates in the frame, so
// its length is at most that of the error.
//
//   TideBatch batch(coordinates, outputs);
//   batch.Add(row, errors, scale);          // scale: units / row's length
//   batch.Take(frame, fine_bits, gradient); // and begins the next
//
// Rows are added before they are centred, which touches only what they have;
// centring is linear and comes once, at the end. Sums are so wide that no
// number of rows that can be had makes them overflow: nothing counts the labels
// that come in a batch, and a sum that wraps would tell one row from none.
//
// Proof:   tide.md, step 3.
// Threads: not thread-safe.
class TideBatch {
 public:
  // In every coordinate.
  static constexpr std::int64_t kMaxGradient = std::int64_t{1} << 40;

  TideBatch(std::size_t coordinates, std::uint32_t outputs)
      : outputs_(outputs),
        sums_(coordinates * outputs, 0),
        totals_(outputs, 0) {}

  // Requires one error an output and |errors| * scale <= 2^40. Fewer than 2^55
  // rows between two calls of Take.
  void Add(std::span<const TideFeature> row, std::span<const double> errors,
           double scale);

  // The gradient in units 2^fine_bits times coarser, rounded to the nearest;
  // all sums are then 0. Requires one place a sum.
  void Take(const TideFrame& frame, int fine_bits,
            std::span<std::int64_t> gradient);

  // Counts a label that came, in units of the released gradient.
  void AddLabel(std::int64_t units) { labels_ += units; }
  // The labels counted since the last call.
  std::int64_t TakeLabels();

  // The bytes are as secret as the data.
  void Save(ByteWriter& writer) const;
  // Fails with kCorruption.
  Status Load(ByteReader& reader);

 private:
  std::uint32_t outputs_;
  std::vector<Int128> sums_;    // of error * phi, by coordinate
  std::vector<Int128> totals_;  // of the errors
  Int128 labels_ = 0;
};

}  // namespace sotto
