#include "sotto/mechanisms/ranks/online_thresholds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "sotto/accounting/spend.h"
#include "sotto/base/rational.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "online-thresholds/1";

Result<OnlineThresholdsBudget> MakeBudget(
    const OnlineThresholds::Params& params) {
  if (!(params.failure > 0 && params.failure < 1)) {
    return InvalidArgument("failure must be in (0, 1)");
  }
  return OnlineThresholdsBudget::Create({.epsilon = params.epsilon,
                                         .delta = params.delta,
                                         .horizon = params.horizon});
}

Result<FixedWorkGaussian> MakeGaussian(std::int64_t variance) {
  SOTTO_TRY_ASSIGN(const auto exact,
                   Rational::Create(static_cast<std::uint64_t>(variance), 1));
  return FixedWorkGaussian::Create(exact);
}

std::vector<double> Sorted(std::vector<double> data) {
  std::erase_if(data, [](double record) { return std::isnan(record); });
  std::sort(data.begin(), data.end());
  return data;
}

std::int64_t RankIn(const std::vector<double>& sorted, double x) {
  return std::lower_bound(sorted.begin(), sorted.end(), x) - sorted.begin();
}

double Deviation(std::int64_t variance) {
  return std::sqrt(static_cast<double>(variance));
}

// One order of the Renyi divergence pays for the size, all tests and all
// values (online_thresholds.md, step 4).
Spend ComputeSpend(const ApproximateDp& cost,
                   const OnlineThresholdsPlan& plan) {
  return ComposeParts(
      "ranks", cost,
      {GaussianPart("size", {}, Deviation(plan.size_variance), 1),
       PurePart("one test", SamplerKind::kLaplace, plan.rate, 1),
       GaussianPart("one value", {}, Deviation(plan.value_variance), 1)});
}

}  // namespace

// The two halves of `failure`: values and decisions (steps 6 and 7).
std::int64_t OnlineThresholds::DecisionError(const Params& params,
                                             const OnlineThresholdsPlan& plan) {
  const double decisions =
      static_cast<double>(params.horizon) * plan.SearchDepth();
  return plan.DecisionError(decisions, params.failure / 2);
}

Result<OnlineThresholds> OnlineThresholds::Assemble(const Params& params,
                                                    std::vector<double> sorted,
                                                    PivotLine line,
                                                    double delta) {
  SOTTO_TRY_ASSIGN(auto test_noise,
                   FixedWorkLaplace::Create(ExactRate(line.plan().rate)));
  SOTTO_TRY_ASSIGN(auto value_noise, MakeGaussian(line.plan().value_variance));
  const ApproximateDp cost{params.epsilon, delta};
  SOTTO_TRY_ASSIGN(auto guarantee,
                   MakeGuarantee({.notion = Notion::kDp,
                                  .relation = Relation::kAddRemove,
                                  .protects = "one record of the data",
                                  .spend = ComputeSpend(cost, line.plan())},
                                 {params.epsilon, params.delta}));
  return OnlineThresholds(params, std::move(sorted),
                          {std::move(line), std::move(test_noise),
                           std::move(value_noise), std::move(guarantee)});
}

Result<OnlineThresholds> OnlineThresholds::Create(const Params& params,
                                                  std::vector<double> data,
                                                  Rng& rng) {
  SOTTO_TRY_ASSIGN(const auto budget, MakeBudget(params));
  SOTTO_TRY_ASSIGN(const auto noise, MakeGaussian(budget.size_variance()));
  std::vector<double> sorted = Sorted(std::move(data));
  // +infinity is not less than any x.
  const std::int64_t rank =
      RankIn(sorted, std::numeric_limits<double>::infinity());
  const std::int64_t size =
      rng.Private("rank size", rank, 1) + noise.Sample(rng);
  SOTTO_TRY_ASSIGN(const auto plan, budget.PlanFor(size));
  return Assemble(params, std::move(sorted),
                  PivotLine(plan, size, params.failure / 2),
                  budget.Delta(plan));
}

std::int64_t OnlineThresholds::Rank(double x) const {
  return RankIn(sorted_, x);
}

Result<OnlineThresholds::Answer> OnlineThresholds::Query(double x, Rng& rng) {
  if (std::isnan(x)) return InvalidArgument("a query must be a number");
  if (queries_ == params_.horizon) {
    return Error{
        ErrorCode::kFailedPrecondition,
        "all " + std::to_string(params_.horizon) + " queries were answered"};
  }
  ++queries_;
  const std::size_t gap = line_.FindGap(x);
  const Pivot& below = line_.pivots()[gap];
  Answer answer;
  if (below.at == x) {
    answer = {below.value, below.error};
  } else if (line_.Parts(gap) == 1) {
    answer = Middle(gap);
  } else {
    answer = Search(gap, x, rng);
  }
  answer.estimate = std::max<std::int64_t>(answer.estimate, 0);
  worst_ = std::max(worst_, answer.error);
  return answer;
}

// Step 8: the truth lies between those of the two pivots.
OnlineThresholds::Answer OnlineThresholds::Middle(std::size_t gap) const {
  const Pivot& left = line_.pivots()[gap];
  const Pivot& right = line_.pivots()[gap + 1];
  const std::int64_t size = line_.Size(gap);
  return {left.value + size / 2,
          (std::abs(size) + 1) / 2 + std::max(left.error, right.error)};
}

OnlineThresholds::Answer OnlineThresholds::Search(std::size_t gap, double x,
                                                  Rng& rng) {
  const std::int64_t band = plan().band;
  const std::int64_t rank = Rank(x);
  const std::int64_t to_left = rank - Rank(line_.pivots()[gap].at);
  const std::int64_t to_right = Rank(line_.pivots()[gap + 1].at) - rank;
  ThresholdSearch search(line_, gap);
  while (!search.done()) {
    const bool from_left = search.from_left();
    const std::int64_t excess = rng.Private(
        "rank excess", search.Excess(from_left ? to_left : to_right), 1);
    const auto zone = ZoneOfExcess(excess + test_noise_.Sample(rng), band);
    if (zone == TestZone::kPaid) return MakePivot(gap, x, from_left, rng);
    search.Vote(zone == TestZone::kAbove);
  }
  const Answer ends = Middle(gap);
  const std::int64_t half = (std::abs(line_.Size(gap)) + 1) / 2;
  return {line_.pivots()[gap].value + search.Estimate(),
          search.Radius() + decision_error_ + (ends.error - half)};
}

// Measures the value again: that of the test was selected for lying close.
OnlineThresholds::Answer OnlineThresholds::MakePivot(std::size_t gap, double x,
                                                     bool from_left, Rng& rng) {
  const std::size_t pivot = line_.Split(gap, x, from_left);
  const std::size_t from = line_.Reference(pivot, from_left);
  const Pivot& reference = line_.pivots()[from];
  const std::int64_t records =
      rng.Private("rank records", Rank(x) - Rank(reference.at), 1);
  const std::int64_t value =
      reference.value + records + value_noise_.Sample(rng);
  line_.Measure(pivot, from, value);
  return {value, line_.pivots()[pivot].error};
}

void OnlineThresholds::Save(ByteWriter& writer) const {
  writer.Text(kTag);
  writer.Real(params_.epsilon);
  writer.Real(params_.delta);
  writer.Number(params_.horizon);
  writer.Real(params_.failure);
  writer.Number(queries_);
  writer.Number(worst_);
  writer.Number(static_cast<std::uint64_t>(line_.pivots().size()));
  for (const Pivot& pivot : line_.pivots()) {
    writer.Real(pivot.at);
    writer.Number(pivot.value);
    writer.Number(pivot.depth);
    writer.Number(pivot.error);
    writer.Real(pivot.reference);
    writer.Number(static_cast<std::uint8_t>(pivot.from_size ? 1 : 0));
  }
  for (const RegionCharge& charge : line_.charges()) {
    writer.Number(charge.tests);
    writer.Number(charge.values);
  }
}

Result<OnlineThresholds> OnlineThresholds::Load(const Params& params,
                                                std::vector<double> data,
                                                ByteReader& reader) {
  const bool same = reader.Text() == kTag && reader.Real() == params.epsilon &&
                    reader.Real() == params.delta &&
                    reader.Number<std::uint64_t>() == params.horizon &&
                    reader.Real() == params.failure;
  if (!same) {
    return FailedPrecondition(
        "the state belongs to another mechanism or other parameters");
  }
  const Error bad{ErrorCode::kCorruption, "the saved thresholds make no sense"};
  const auto queries = reader.Number<std::uint64_t>();
  const auto worst = reader.Number<std::int64_t>();
  const auto count = reader.Number<std::uint64_t>();
  if (count < 2 || count > reader.RoomFor(41)) return bad;
  std::vector<Pivot> pivots(count);
  for (Pivot& pivot : pivots) {
    pivot.at = reader.Real();
    pivot.value = reader.Number<std::int64_t>();
    pivot.depth = reader.Number<std::int64_t>();
    pivot.error = reader.Number<std::int64_t>();
    pivot.reference = reader.Real();
    pivot.from_size = reader.Number<std::uint8_t>() != 0;
  }
  std::vector<RegionCharge> charges(count - 1);
  for (RegionCharge& charge : charges) {
    charge.tests = reader.Number<std::int64_t>();
    charge.values = reader.Number<std::int64_t>();
  }
  SOTTO_TRY_ASSIGN(const auto budget, MakeBudget(params));
  SOTTO_TRY_ASSIGN(const auto plan, budget.PlanFor(pivots.back().value));
  PivotLine line(plan, std::move(pivots), std::move(charges),
                 params.failure / 2);
  if (reader.failed() || queries > params.horizon || worst < 0 ||
      !line.Consistent()) {
    return bad;
  }
  auto loaded = Assemble(params, Sorted(std::move(data)), std::move(line),
                         budget.Delta(plan));
  if (!loaded) return loaded;
  loaded->queries_ = queries;
  loaded->worst_ = worst;
  return loaded;
}

}  // namespace sotto
