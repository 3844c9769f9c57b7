#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/result.h"

namespace sotto {

// The noise a phase needs, for a planner that asks thousands of times: quickly
// and about right while it searches, exactly at the end.
//
// Threads: not thread-safe: it remembers.
class PopNoise {
 public:
  // `each`: what one round (pinned: one user) may cost; `hidden_bits`: how many
  // bits its rounds leave in the Stoppers.
  PopNoise(const ApproximateDp& each, std::int64_t hidden_bits, bool band)
      : each_(each), hidden_bits_(hidden_bits), band_(band) {}

  // About 1 / e0, interpolated; infinite if there is none.
  // Requires reports >= 1, gap_in_scales > 0.
  double About(double reports, double gap_in_scales, double stopper);

  // The largest rate that meets `each`, the gap being gap_in_scales / rate, or
  // `gap` if that is not 0. Fails with kNotConverged if there is none.
  Result<double> Largest(std::int64_t reports, double gap_in_scales,
                         std::int64_t gap, double stopper) const;

 private:
  double LogAt(int reports, int gap, int stopper);

  ApproximateDp each_;
  std::int64_t hidden_bits_;
  bool band_;
  std::map<std::tuple<int, int, int>, double> known_;  // log of the scale
  double last_ = 5;  // of these, the one found last
};

}  // namespace sotto
