#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/counters/counter.h"
#include "sotto/mechanisms/ranges/range_grid.h"
#include "sotto/random/rng.h"

namespace sotto {

// How many numbers of a stream lay in each cell of a public range, after every
// step: a running count for each cell. Quantiles so far follow from it.
//
//   auto histogram = RunningHistogram::Create(
//       {.epsilon = 1, .delta = 1e-6, .horizon = 10'000, .grid = *grid});
//   auto counts = histogram->Add(12.5, rng);
//   double median = ReadQuantile(*counts, *grid, 0.5);
//
// Guarantee: at most (epsilon, delta)-DP if one step's number is replaced by
//            another or left out, inputs chosen adaptively; with delta 0, the
//            samplers' slack.
// Proof:     running_histogram.md.
// Threads:   not thread-safe.
class RunningHistogram {
 public:
  struct Params {
    double epsilon = 0;
    double delta = 0;
    std::uint64_t horizon = 0;
    RangeGrid grid;
  };
  static constexpr std::uint64_t kMaxCells = 4096;

  // Fails with kInvalidArgument for more than kMaxCells cells, without a
  // horizon, and as Counter::Create does for half of the budget.
  static Result<RunningHistogram> Create(const Params& params);

  // One step; NaN: a step without a number. Returns an estimate for each cell.
  // Fails with kFailedPrecondition after `horizon` steps, and changes nothing.
  Result<std::span<const std::int64_t>> Add(double value, Rng& rng);

  std::uint64_t steps() const { return counters_.front().steps(); }
  const RangeGrid& grid() const { return params_.grid; }
  const Guarantee& guarantee() const { return guarantee_; }
  std::string Describe() const;

  // The bytes hold true counts: they are as secret as the data.
  void Save(ByteWriter& writer) const;
  // Fails as Create does, and with kCorruption. Continue a state once only.
  static Result<RunningHistogram> Load(const Params& params,
                                       ByteReader& reader);

 private:
  RunningHistogram(const Params& params, std::vector<Counter> counters,
                   Guarantee guarantee)
      : params_(params),
        counters_(std::move(counters)),
        guarantee_(std::move(guarantee)),
        estimates_(counters_.size()) {}
  static Counter::Params CounterParams(const Params& params);
  static Result<RunningHistogram> Make(const Params& params,
                                       std::vector<Counter> counters);

  Params params_;
  std::vector<Counter> counters_;  // of cells
  Guarantee guarantee_;
  std::vector<std::int64_t> estimates_;
};

// The edge whose estimated rank is nearest to the share `at` of the estimated
// total, moved within its cell. A function of what was released.
double ReadQuantile(std::span<const std::int64_t> counts, const RangeGrid& grid,
                    double at);

}  // namespace sotto
