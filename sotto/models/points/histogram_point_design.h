#pragma once

#include <cstdint>

#include "sotto/accounting/privacy_cost.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/mirrors/jdp_mirror.h"

namespace sotto {

// The numbers of HistogramPointPredictor. Its own Create says what they cost.
struct HistogramPointDesign {
  ApproximateDp histogram = {};
  ApproximateDp mirror = {};
  JdpShape shape = {};
  double fake_epsilon = 0;
  std::uint64_t positives = 0;    // k: labels 1 until the histogram runs
  std::uint64_t window = 0;       // W: occurrences whose labels are checked
  std::uint64_t first_count = 1;  // K of the delayed mirror
  std::int64_t tolerance = 0;     // more fake labels than this end it

  // At a point whose labels are always 1, if it is found and passes: until it
  // is answered 1 indefinitely.
  double ExpectedMistakes() const;

  void Save(ByteWriter& writer) const;
  // The caller checks reader.failed().
  static HistogramPointDesign Load(ByteReader& reader);
  friend bool operator==(const HistogramPointDesign&,
                         const HistogramPointDesign&) = default;
};

// Pr[the first "top" of a delayed mirror comes among its first `window` ones],
// rounded up. Step 4 of histogram_point_predictor.md.
double EarlyTop(const JdpDesign& mirror, std::uint64_t first_count,
                std::uint64_t window);

// Pr[noise <= -margin] of discrete Laplace noise of this rate, rounded up. 1
// for a margin below 0.
double LaplaceTail(double rate, std::int64_t margin);

// The point is missed with at most this probability by the histogram, and again
// by the check of its labels.
inline constexpr double kPointMissed = 0.05;

// Whose numbers: those of the paper, with its k times `constant`, or the
// smallest that keep the guarantee. Both share epsilon between the three parts
// so that mistakes are fewest.
enum class PaperNumbers : std::uint8_t { kPrinted, kLeast };

// Numbers for what one round may cost. Fails with kInvalidArgument where the
// mirror needs more epsilon, or delta is below 4e-12.
//
// Proof:   histogram_point_predictor.md, "Numbers".
// Threads: pure functions.
Result<HistogramPointDesign> ChooseHistogramPointDesign(
    const ApproximateDp& round, PaperNumbers numbers, double constant = 1);

}  // namespace sotto
