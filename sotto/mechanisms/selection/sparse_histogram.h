#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/result.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/random/rng.h"

namespace sotto {

// Releases the counts of items out of an unbounded universe: of every item that
// occurs the noisy count, if it reaches a threshold.
//
//   auto histogram = SparseHistogram::Create({.epsilon = 1, .delta = 1e-6});
//   if (!histogram) return histogram.error();
//   for (const auto& bin : histogram->Release(items, rng)) Print(bin);
//
// Paper:     stability-based histogram [KorolovaKMN09], [BunNissimStemmer16];
//            used by [Counters] Algorithm 3.
// Guarantee: (epsilon, delta)-DP for one record; the threshold is the least
//            integer for that delta.
// Proof:     sparse_histogram.md.
// Threads:   immutable; const calls may run at the same time.
class SparseHistogram {
 public:
  struct Params {
    double epsilon = 0;
    double delta = 0;
    // kReplace: a record moves from one bin to another. kAddRemove: it comes or
    // goes, and half the noise is enough.
    Relation relation = Relation::kReplace;
  };
  struct Bin {
    std::uint64_t item = 0;
    std::int64_t count = 0;
    friend bool operator==(const Bin&, const Bin&) = default;
  };

  // Fails with kInvalidArgument unless epsilon is in [2^-30, 16] and delta in
  // (0, 1) and above the samplers' slack.
  static Result<SparseHistogram> Create(const Params& params);

  // One record, one item. Bins come in the order of their items.
  std::vector<Bin> Release(std::span<const std::uint64_t> items,
                           Rng& rng) const;
  // The same from counts. Bins of one item are added up, and those whose count
  // is not positive are as good as absent.
  std::vector<Bin> ReleaseCounts(std::vector<Bin> bins, Rng& rng) const;

  std::int64_t threshold() const { return threshold_; }
  double rate() const { return rate_; }
  // The least true count that is released with probability 1 - failure.
  std::int64_t CountFor(double failure) const;
  const Guarantee& guarantee() const { return guarantee_; }

 private:
  SparseHistogram(double rate, std::int64_t threshold, FixedWorkLaplace noise,
                  Guarantee guarantee)
      : rate_(rate),
        threshold_(threshold),
        noise_(std::move(noise)),
        guarantee_(std::move(guarantee)) {}

  double rate_;
  std::int64_t threshold_;
  FixedWorkLaplace noise_;
  Guarantee guarantee_;
};

// Pr[1 + Z >= threshold] for discrete Laplace Z, rounded up: the probability
// that the one record of a new bin shows. Requires threshold >= 1.
double NewBinDelta(double rate, std::int64_t threshold);

}  // namespace sotto
