#include "sotto/models/fits/interval_fit.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/models/fits/fit_replay.h"
#include "sotto/models/fits/radix_sort.h"
#include "sotto/models/fits/stump_fit.h"
#include "sotto/random/wide_uniform.h"

namespace sotto {
namespace {

constexpr std::uint64_t kPlaces = std::uint64_t{1}
                                  << (32 - IntervalScan::kCoarse);
// Weight of each constant: that of all pairs of places.
constexpr Uint128 kAllPairs = Uint128{kPlaces} * kPlaces;

}  // namespace

IntervalScan::IntervalScan(const FitBatch& batch, const LossWeights& weights)
    : weights_(weights) {
  FindGaps(batch);
  FindLeast();
  SumUp();
}

void IntervalScan::FindGaps(const FitBatch& batch) {
  std::vector<std::uint64_t> places;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const std::uint64_t place = batch.code(i, 0) >> IntervalScan::kCoarse;
    places.push_back(place << 2 | batch.label(i));
    rows_[batch.label(i) & 1] +=
        static_cast<std::uint64_t>(batch.label(i) < FitBatch::kEmpty);
  }
  std::vector<std::uint64_t> scratch;
  RadixSort32(places, 2, scratch);
  Gap gap;
  for (const std::uint64_t place : places) {
    const std::uint64_t end = (place >> 2) + 1;
    gap.places = end - gap.first;
    gaps_.push_back(gap);
    gap.first = end;
    const std::uint64_t label = place & 3;
    gap.balance += static_cast<std::int64_t>(label == 1) -
                   static_cast<std::int64_t>(label == 0);
  }
  gap.places = kPlaces - gap.first;
  gaps_.push_back(gap);
}

// `balance`: of the rows inside.
std::uint64_t IntervalScan::ComputeLoss(std::int64_t balance,
                                        bool inside) const {
  const auto rows = static_cast<std::int64_t>(rows_[inside ? 1 : 0]);
  return static_cast<std::uint64_t>(inside ? rows - balance : rows + balance);
}

// Gaps without places are not candidates. Two ends in one gap have nothing
// inside.
void IntervalScan::FindLeast() {
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::int64_t most = 0;
  std::int64_t fewest = 0;
  bool any = false;
  for (const Gap& gap : gaps_) {
    if (gap.places == 0) continue;
    low = any ? std::min(low, gap.balance) : gap.balance;
    high = any ? std::max(high, gap.balance) : gap.balance;
    any = true;
    most = std::max(most, gap.balance - low);
    fewest = std::min(fewest, gap.balance - high);
  }
  least_ = std::min(ComputeLoss(most, true), ComputeLoss(fewest, false));
}

// For every upper gap, the lower ones are taken by their balance: beyond
// `flat` all weights are the least. fits.md, step 1.
void IntervalScan::SumUp() {
  const auto rows = static_cast<std::int64_t>(gaps_.size());
  const auto flat = static_cast<std::int64_t>(weights_.flat());
  // Places of lower gaps by their balance, twice; a pair of ends in one gap
  // counts once.
  std::vector<std::uint64_t> lower(2 * gaps_.size() + 1, 0);
  std::uint64_t all = 0;
  for (const Gap& gap : gaps_) {
    lower[static_cast<std::size_t>(gap.balance + rows)] += gap.places;
    all += gap.places;
    Uint128 sum = 2 * Uint128{all} * weights_.least();
    for (const bool inside : {false, true}) {
      // The least loss; the next ones have balances one further on.
      const std::int64_t step = inside ? 1 : -1;
      const auto spare =
          static_cast<std::int64_t>(rows_[inside ? 1 : 0] - least_);
      std::int64_t balance = gap.balance - step * spare;
      for (std::int64_t x = 0; x < flat; ++x, balance += step) {
        const bool there = balance >= -rows && balance <= rows;
        const std::size_t place =
            there ? static_cast<std::size_t>(balance + rows) : 0;
        const std::uint64_t count = there ? lower[place] : 0;
        sum += (weights_(static_cast<std::uint64_t>(x)) - weights_.least()) *
               count;
      }
    }
    sums_.push_back(sum * gap.places);
    total_ += sums_.back();
    lower[static_cast<std::size_t>(gap.balance + rows)] += gap.places;
    all += gap.places;
  }
  total_ +=
      (weights_(rows_[1] - least_) + weights_(rows_[0] - least_)) * kAllPairs;
}

IntervalScan::Interval IntervalScan::Inside(const Gap& low, const Gap& high,
                                            Uint128 index, bool inside) const {
  std::uint64_t a = low.first + Low64(index % low.places);
  std::uint64_t b = high.first + Low64(index / low.places % high.places);
  if (a > b) std::swap(a, b);
  return {static_cast<std::uint32_t>(a << IntervalScan::kCoarse),
          static_cast<std::uint32_t>(b << IntervalScan::kCoarse), inside};
}

// All gaps are gone through, wherever the place is: how many rows lie below an
// end is not for anybody who measures time.
IntervalScan::Interval IntervalScan::At(Uint128 target) const {
  std::size_t upper = 0;
  Uint128 before = 0;  // of the gaps below the upper one
  Uint128 passed = 0;
  for (const Uint128 sum : sums_) {
    passed += sum;
    const bool below = passed <= target;
    upper += static_cast<std::size_t>(below);
    before = below ? passed : before;
  }
  target -= before;
  if (upper == sums_.size()) {  // a constant: nothing is inside
    const Uint128 negative = weights_(rows_[1] - least_) * kAllPairs;
    return {.inside = target < negative};
  }
  const Gap& high = gaps_[upper];
  Interval found;
  passed = 0;
  for (std::size_t i = 0; i < gaps_.size(); ++i) {
    const Gap& low = gaps_[i];
    const std::uint64_t times = i < upper ? 2 : (i == upper ? 1 : 0);
    const std::uint64_t pairs = low.places * high.places * times;
    for (const bool inside : {false, true}) {
      const Uint128 weight =
          weights_(ComputeLoss(high.balance - low.balance, inside) - least_);
      if (target >= passed && target - passed < weight * pairs) {
        found = Inside(low, high, (target - passed) / weight, inside);
      }
      passed += weight * pairs;
    }
  }
  return found;
}

namespace {

class IntervalFit final : public PrivateFit {
 public:
  IntervalFit(FitColumns columns, const FitBudget& budget, const Rational& rate,
              LossWeights weights)
      : columns_(std::move(columns)),
        budget_(budget),
        rate_(rate),
        weights_(std::move(weights)) {}

  Spend spend() const override { return DrawCost("interval", budget_, rate_); }

  FitHypothesis Fit(const FitBatch& batch, Rng& rng) const override {
    ReportRows(batch, weights_, 1, rng);
    const IntervalScan scan(batch, weights_);
    auto found = scan.At(WideUniformBelow(scan.total(), rng));
    found.low = SameChoice(found.low, rng);
    found.high = SameChoice(found.high, rng);
    found.inside = SameChoice(found.inside, rng);
    if (found.low == found.high) return FitHypothesis::Constant(!found.inside);
    const std::int32_t inside = FitTest::Leaf(found.inside);
    const std::int32_t outside = FitTest::Leaf(!found.inside);
    return FitHypothesis(std::vector<FitTest>{
        {.code = found.low, .yes = 1, .no = outside},
        {.code = found.high, .yes = outside, .no = inside}});
  }

  // Two ends, each as a threshold's.
  double ExpectedError(double rows) const override {
    const double rate = rate_.ToDoubleDown();
    const double near = (2 / rate + 1) / std::max(rows, 1.0);
    const double others = 4 * std::exp(-rate * rows / 4) * rate * rows / 4;
    const double lost = others / (1 + others);
    return std::min(0.5, (1 - lost) * near + lost / 2);
  }

  double RowsFor(double error, double failure) const override {
    return std::log(4 * std::ldexp(1.0, 2 * (32 - IntervalScan::kCoarse)) /
                    failure) /
           (rate_.ToDoubleDown() * error);
  }

  Json parameters() const override {
    return Json::Object{
        {"candidates", 4 * std::ldexp(1.0, 2 * (32 - IntervalScan::kCoarse))},
        {"rate", rate_.ToDoubleUp()}};
  }

  std::string Summary() const override {
    return "intervals of " + columns_[0].name + ", drawn exactly";
  }

 private:
  FitColumns columns_;
  FitBudget budget_;
  Rational rate_;
  LossWeights weights_;
};

}  // namespace

Result<std::unique_ptr<PrivateFit>> MakeIntervalFit(const FitColumns& columns,
                                                    const FitBudget& budget) {
  SOTTO_TRY_ASSIGN(const auto rate, RowRate(budget));
  SOTTO_TRY_ASSIGN(auto weights,
                   LossWeights::Create(rate, IntervalScan::kBits));
  return std::unique_ptr<PrivateFit>(
      new IntervalFit(columns, budget, rate, std::move(weights)));
}

const FitEntry& IntervalEntry() {
  static const FitEntry kEntry = {
      .name = "interval",
      .help = "one number: 1 between two values, or outside; pure epsilon",
      .example = "--epsilon 1",
      .options = {ColumnOption()},
      .columns = OneNumber,
      .create = [](const Settings&, const FitColumns& columns,
                   const FitBudget& budget) {
        return MakeIntervalFit(columns, budget);
      }};
  return kEntry;
}

}  // namespace sotto
