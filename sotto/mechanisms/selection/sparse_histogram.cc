#include "sotto/mechanisms/selection/sparse_histogram.h"

#include <algorithm>
#include <cmath>

#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"
#include "sotto/mechanisms/selection/selection_params.h"

namespace sotto {
namespace {

constexpr double kMinEpsilon = 0x1p-30;
constexpr double kMaxEpsilon = 16;
// Only the bins that a record changes enter (step 5).
constexpr double kChangedBins = 2;
// No noise carries a clamped count out of 64 bits.
constexpr std::int64_t kMaxCount = std::int64_t{1} << 60;

// Sorted by item, one bin each.
void Merge(std::vector<SparseHistogram::Bin>& bins) {
  std::ranges::sort(bins, {}, &SparseHistogram::Bin::item);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const std::int64_t count =
        std::clamp<std::int64_t>(bins[i].count, 0, kMaxCount);
    if (kept > 0 && bins[kept - 1].item == bins[i].item) {
      bins[kept - 1].count = std::min(bins[kept - 1].count + count, kMaxCount);
    } else {
      bins[kept++] = {bins[i].item, count};
    }
  }
  bins.resize(kept);
  std::erase_if(bins, [](const auto& bin) { return bin.count == 0; });
}

}  // namespace

double NewBinDelta(double rate, std::int64_t threshold) {
  const double tail = std::exp(-rate * (static_cast<double>(threshold) - 1));
  return InflateUp(tail / (1 + std::exp(-rate)), 1e-12);
}

Result<SparseHistogram> SparseHistogram::Create(const Params& params) {
  if (!(params.epsilon >= kMinEpsilon && params.epsilon <= kMaxEpsilon)) {
    return InvalidArgument("epsilon must be in [2^-30, 16]");
  }
  if (params.relation != Relation::kAddRemove &&
      params.relation != Relation::kReplace) {
    return InvalidArgument("the relation must be add-remove or replace");
  }
  const double slack = BothWorldsSlack(
      params.epsilon,
      std::ldexp(kChangedBins, -FixedWorkLaplace::TotalVariationLog2()));
  const double target = DownAdd(params.delta, -slack);
  if (!(params.delta < 1 && target > 0)) {
    return InvalidArgument("delta must be in (0, 1), above the noise's slack");
  }
  const bool replace = params.relation == Relation::kReplace;
  SOTTO_TRY_ASSIGN(const auto rate, RationalBelow(replace ? params.epsilon / 2
                                                          : params.epsilon));
  SOTTO_TRY_ASSIGN(auto noise, FixedWorkLaplace::Create(rate));
  const double r = rate.ToDoubleDown();
  const double least = 1 - std::log(target * (1 + std::exp(-r))) / r;
  // Start below, and let the proved formula decide.
  auto threshold = static_cast<std::int64_t>(std::floor(std::max(least, 2.0)));
  --threshold;
  while (NewBinDelta(r, threshold) > target) ++threshold;
  SOTTO_TRY_ASSIGN(
      auto guarantee,
      MakeGuarantee({.notion = Notion::kDp,
                     .relation = params.relation,
                     .protects = "one record",
                     .spend = PurePart(
                         "bins", SamplerKind::kLaplace, rate.ToDoubleUp(),
                         replace ? 2 : 1,
                         std::min(params.delta,
                                  UpAdd(NewBinDelta(r, threshold), slack)))},
                    {params.epsilon, params.delta}));
  return SparseHistogram(r, threshold, std::move(noise), std::move(guarantee));
}

std::vector<SparseHistogram::Bin> SparseHistogram::Release(
    std::span<const std::uint64_t> items, Rng& rng) const {
  std::vector<Bin> bins;
  bins.reserve(items.size());
  for (const std::uint64_t item : items) bins.push_back({item, 1});
  return ReleaseCounts(std::move(bins), rng);
}

std::vector<SparseHistogram::Bin> SparseHistogram::ReleaseCounts(
    std::vector<Bin> bins, Rng& rng) const {
  Merge(bins);
  for (Bin& bin : bins) {
    bin.count = rng.Private("bin", bin.count, 1) + noise_.Sample(rng);
  }
  std::erase_if(bins, [&](const Bin& bin) { return bin.count < threshold_; });
  return bins;
}

// Pr[c + Z < T] = t^(c - T + 1) / (1 + t) for c >= T.
std::int64_t SparseHistogram::CountFor(double failure) const {
  const double above = -std::log(failure * (1 + std::exp(-rate_))) / rate_ - 1;
  return threshold_ +
         static_cast<std::int64_t>(std::ceil(std::max(above, 0.0)));
}

}  // namespace sotto
