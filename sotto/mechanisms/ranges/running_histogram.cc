#include "sotto/mechanisms/ranges/running_histogram.h"

#include <algorithm>
#include <cmath>

#include "sotto/accounting/spend.h"

namespace sotto {

// A number that is replaced changes two counters by one each, at one step.
Counter::Params RunningHistogram::CounterParams(const Params& params) {
  return {.epsilon = params.epsilon / 2,
          .delta = params.delta / 2,
          .horizon = params.horizon};
}

Result<RunningHistogram> RunningHistogram::Make(const Params& params,
                                                std::vector<Counter> counters) {
  Spend left = counters.front().guarantee().spend();
  Spend entered = left;
  left.name = "cell that is left";
  entered.name = "cell that is entered";
  const double slack = 2 * counters.front().guarantee().delta();
  SOTTO_TRY_ASSIGN(
      auto guarantee,
      MakeGuarantee({.notion = Notion::kDp,
                     .relation = Relation::kReplace,
                     .protects = "one line's number, and whether it has one",
                     .in_rounds = true,
                     .spend = AddParts("histogram",
                                       {std::move(left), std::move(entered)})},
                    {params.epsilon, std::max(params.delta, slack)}));
  return RunningHistogram(params, std::move(counters), std::move(guarantee));
}

Result<RunningHistogram> RunningHistogram::Create(const Params& params) {
  if (params.grid.cells() > kMaxCells) {
    return InvalidArgument("a running histogram has at most 4096 cells");
  }
  if (params.horizon < 1) {
    return InvalidArgument("a running histogram needs a horizon");
  }
  SOTTO_TRY_ASSIGN(const auto counter, Counter::Create(CounterParams(params)));
  return Make(params, std::vector<Counter>(params.grid.cells(), counter));
}

Result<std::span<const std::int64_t>> RunningHistogram::Add(double value,
                                                            Rng& rng) {
  if (steps() >= params_.horizon) {
    return FailedPrecondition("all " + std::to_string(params_.horizon) +
                              " steps of the horizon were used");
  }
  const auto cell = params_.grid.Cell(value);
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    const std::uint64_t here = cell && *cell == i ? 1 : 0;
    SOTTO_TRY_ASSIGN(estimates_[i], counters_[i].Add(here, rng));
  }
  return std::span<const std::int64_t>(estimates_);
}

std::string RunningHistogram::Describe() const {
  return "Each of " + std::to_string(counters_.size()) +
         " cells: " + counters_.front().Describe();
}

void RunningHistogram::Save(ByteWriter& writer) const {
  for (const Counter& counter : counters_) counter.Save(writer);
}

Result<RunningHistogram> RunningHistogram::Load(const Params& params,
                                                ByteReader& reader) {
  SOTTO_TRY(Create(params));
  std::vector<Counter> counters;
  for (std::uint64_t i = 0; i < params.grid.cells(); ++i) {
    SOTTO_TRY_ASSIGN(auto counter,
                     Counter::Load(CounterParams(params), reader));
    if (counter.steps() != (i == 0 ? counter : counters.front()).steps()) {
      return Corruption("the counters of a histogram differ in their steps");
    }
    counters.push_back(std::move(counter));
  }
  return Make(params, std::move(counters));
}

double ReadQuantile(std::span<const std::int64_t> counts, const RangeGrid& grid,
                    double at) {
  double total = 0;
  for (const std::int64_t count : counts) total += static_cast<double>(count);
  const double wanted = at * std::max(total, 0.0);
  double rank = 0;
  double best = std::abs(wanted);
  double place = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto count = static_cast<double>(counts[i]);
    if (count > 0 && rank <= wanted && wanted <= rank + count) {
      return grid.Interpolate(static_cast<double>(i) + (wanted - rank) / count);
    }
    rank += count;
    if (std::abs(rank - wanted) < best) {
      best = std::abs(rank - wanted);
      place = static_cast<double>(i) + 1;
    }
  }
  return grid.Interpolate(place);
}

}  // namespace sotto
