#include "sotto/mechanisms/ranges/running_total.h"

#include <algorithm>
#include <cmath>

#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"
#include "sotto/base/number_text.h"

namespace sotto {
namespace {

constexpr double kMinEpsilon = 0x1p-8;
constexpr double kMaxEpsilon = 16;
// So that the cost, rounded up, is within epsilon.
constexpr double kRounding = 0x1p-40;
constexpr std::uint64_t kSteps = RunningTotal::kSteps;

TreeCounter::Params SumParams(const RunningTotal::Params& params) {
  return {.epsilon = DownMul(params.epsilon, 1 - kRounding) /
                     static_cast<double>(kSteps),
          .horizon = params.horizon};
}

TreeCounter::Params CountParams(const RunningTotal::Params& params) {
  return {.epsilon = DownMul(params.epsilon, 1 - kRounding) / 2,
          .horizon = params.horizon};
}

// running_total.md, steps 1 and 2.
Spend MakeSpend(const Guarantee& sum, const Guarantee& count) {
  const ApproximateDp unit{sum.epsilon(), sum.delta()};
  const ApproximateDp number{count.epsilon(), count.delta()};
  const ApproximateDp replaced = ForGroup(unit, kSteps);
  const ApproximateDp half = ForGroup(unit, kSteps / 2);
  const ApproximateDp cost{
      std::max(replaced.epsilon, LeastUpAdd(half.epsilon, number.epsilon)),
      std::max(replaced.delta, UpAdd(half.delta, number.delta))};
  Spend whole = sum.spend();
  whole.name = "sum";
  Spend counted = count.spend();
  counted.name = "count";
  return ComposeParts("total", cost, {std::move(whole), std::move(counted)});
}

}  // namespace

Result<RunningTotal> RunningTotal::Make(const Params& params, TreeCounter sum,
                                        TreeCounter count) {
  SOTTO_TRY_ASSIGN(auto grid,
                   RangeGrid::Create(params.low, params.high, kSteps));
  Spend spend = MakeSpend(sum.guarantee(), count.guarantee());
  const ApproximateDp cost = Total(spend);
  SOTTO_TRY_ASSIGN(
      auto guarantee,
      MakeGuarantee({.notion = Notion::kDp,
                     .relation = Relation::kReplace,
                     .protects = "one line's number, and whether it has one",
                     .in_rounds = true,
                     .spend = std::move(spend)},
                    {params.epsilon, cost.delta}));
  return RunningTotal(params, grid, std::move(sum), std::move(count),
                      std::move(guarantee));
}

Result<RunningTotal> RunningTotal::Create(const Params& params) {
  if (!(params.epsilon >= kMinEpsilon && params.epsilon <= kMaxEpsilon)) {
    return InvalidArgument("epsilon must be in [2^-8, 16]");
  }
  SOTTO_TRY_ASSIGN(auto sum, TreeCounter::Create(SumParams(params)));
  SOTTO_TRY_ASSIGN(auto count, TreeCounter::Create(CountParams(params)));
  return Make(params, std::move(sum), std::move(count));
}

Result<RunningTotal::Answer> RunningTotal::Add(double value, Rng& rng) {
  if (steps() >= params_.horizon) {
    return FailedPrecondition("all " + std::to_string(params_.horizon) +
                              " steps of the horizon were used");
  }
  const auto edge = grid_.NearestEdge(value);
  SOTTO_TRY_ASSIGN(const auto sum, sum_.Add(edge ? *edge : kSteps / 2, rng));
  SOTTO_TRY_ASSIGN(const auto numbers, count_.Add(edge ? 1 : 0, rng));
  return Read(sum, numbers);
}

// A function of what was released. Steps without a number added half.
RunningTotal::Answer RunningTotal::Read(std::int64_t steps_sum,
                                        std::int64_t numbers) const {
  const double range = params_.high - params_.low;
  const double middle = params_.low / 2 + params_.high / 2;
  const double centered = (static_cast<double>(steps_sum) -
                           static_cast<double>(steps()) * (kSteps / 2)) /
                          static_cast<double>(kSteps) * range;
  const auto count = static_cast<double>(numbers);
  const double mean = count < 1 ? middle : middle + centered / count;
  return {.sum = middle * count + centered,
          .mean = std::clamp(mean, params_.low, params_.high)};
}

std::string RunningTotal::Describe() const {
  const double sum = sum_.ErrorBound() / static_cast<double>(kSteps);
  return "Every sum of deviations from the middle within " +
         Shortest(std::ceil(sum * 10) / 10) +
         " widths of the range, every number of numbers within " +
         Shortest(std::ceil(count_.ErrorBound())) +
         ", each with probability 95 %, over all " +
         std::to_string(params_.horizon) + " lines.";
}

void RunningTotal::Save(ByteWriter& writer) const {
  sum_.Save(writer);
  count_.Save(writer);
}

Result<RunningTotal> RunningTotal::Load(const Params& params,
                                        ByteReader& reader) {
  SOTTO_TRY(Create(params));
  SOTTO_TRY_ASSIGN(auto sum, TreeCounter::Load(SumParams(params), reader));
  SOTTO_TRY_ASSIGN(auto count, TreeCounter::Load(CountParams(params), reader));
  if (sum.steps() != count.steps()) {
    return Corruption("the counters of a total differ in their steps");
  }
  return Make(params, std::move(sum), std::move(count));
}

}  // namespace sotto
