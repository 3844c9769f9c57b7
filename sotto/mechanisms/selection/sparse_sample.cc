#include "sotto/mechanisms/selection/sparse_sample.h"

#include <algorithm>
#include <cmath>

#include "sotto/accounting/rounding.h"
#include "sotto/mechanisms/selection/selection_params.h"

namespace sotto {
namespace {

constexpr double kMinEpsilon = 0x1p-30;
constexpr double kMaxEpsilon = 16;
constexpr std::size_t kMaxItems = (std::size_t{1} << 24) - 1;

Status Check(const SparseSample::Params& params) {
  if (!(params.epsilon >= kMinEpsilon && params.epsilon <= kMaxEpsilon)) {
    return InvalidArgument("epsilon must be in [2^-30, 16]");
  }
  if (!(params.delta > 0 && params.delta < 1)) {
    return InvalidArgument("delta must be in (0, 1)");
  }
  if (params.list_size < 1 || params.list_size > kMaxItems ||
      params.max_lists < 1 || params.max_lists > kMaxItems / params.list_size) {
    return InvalidArgument("list_size * max_lists must be in [1, 2^24)");
  }
  if (params.relation != Relation::kAddRemove &&
      params.relation != Relation::kReplace) {
    return InvalidArgument("the relation must be add-remove or replace");
  }
  return Ok();
}

// The list as a set, cut to its `size` least items: a function of this list
// alone.
void AppendSet(std::vector<SparseSample::Item> list, std::size_t size,
               std::vector<SparseSample::Item>& all) {
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
  list.resize(std::min(list.size(), size));
  all.insert(all.end(), list.begin(), list.end());
}

}  // namespace

double SparseSampleDelta(double rate, std::size_t list_size, std::int64_t b) {
  const double y = static_cast<double>(list_size) *
                   std::exp(rate * (1 - static_cast<double>(b)));
  return InflateUp(y / (1 + y), 1e-12);
}

Result<SparseSample> SparseSample::Create(const Params& params) {
  SOTTO_TRY(Check(params));
  const bool replace = params.relation == Relation::kReplace;
  SOTTO_TRY_ASSIGN(const auto rate, RationalBelow(replace ? params.epsilon / 2
                                                          : params.epsilon));
  SOTTO_TRY_ASSIGN(auto selection, ExponentialSelection::Create(rate));
  const double distance =
      std::ldexp(1.0, -ExponentialSelection::TotalVariationLog2(
                          params.list_size * params.max_lists + 1));
  const double slack = BothWorldsSlack(params.epsilon, distance);
  const double target = DownAdd(params.delta, -slack);
  if (!(target > 0)) {
    return InvalidArgument("delta must be above the sampler's slack");
  }
  const double r = rate.ToDoubleDown();
  const double least = 1 + std::log(static_cast<double>(params.list_size) *
                                    (1 - target) / target) /
                               r;
  // Start below, and let the proved formula decide.
  auto bottom = static_cast<std::int64_t>(std::floor(least)) - 1;
  while (SparseSampleDelta(r, params.list_size, bottom) > target) ++bottom;
  SOTTO_TRY_ASSIGN(
      auto guarantee,
      Guarantee::Create(
          {.notion = Notion::kDp,
           .relation = params.relation,
           .epsilon = params.epsilon,
           .delta = std::min(
               params.delta,
               UpAdd(SparseSampleDelta(r, params.list_size, bottom), slack)),
           .protects = "one list"}));
  return SparseSample(params, r, bottom, std::move(selection),
                      std::move(guarantee));
}

Result<std::optional<SparseSample::Item>> SparseSample::Sample(
    std::span<const std::vector<Item>> lists, Rng& rng) const {
  SOTTO_TRY_ASSIGN(const auto one, SampleMany(lists, 1, rng));
  return one.front();
}

Result<std::vector<std::optional<SparseSample::Item>>> SparseSample::SampleMany(
    std::span<const std::vector<Item>> lists, std::size_t draws,
    Rng& rng) const {
  if (lists.size() > params_.max_lists) {
    return InvalidArgument("there are more lists than max_lists");
  }
  std::vector<Item> all;
  for (const auto& list : lists) AppendSet(list, params_.list_size, all);
  std::ranges::sort(all);
  std::vector<Item> items;
  std::vector<std::int64_t> scores = {bottom_};
  for (const Item item : all) {
    if (items.empty() || items.back() != item) {
      items.push_back(item);
      scores.push_back(0);
    }
    ++scores.back();
  }
  std::vector<std::optional<Item>> drawn(draws);
  for (auto& what : drawn) {
    const std::size_t place = selection_.Select(scores, rng);
    if (place > 0) what = items[place - 1];
  }
  return drawn;
}

// e^(r B) / (e^(r B) + e^(r s)) <= failure.
std::int64_t SparseSample::ScoreFor(double failure) const {
  const double above = std::log((1 - failure) / failure) / rate_;
  return bottom_ + static_cast<std::int64_t>(std::ceil(above));
}

}  // namespace sotto
