#include "sotto/mechanisms/ranges/range_quantiles.h"

#include <algorithm>
#include <string>

#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"

namespace sotto {
namespace {

// So that the shares, summed and rounded up, are within epsilon.
constexpr double kRounding = 0x1p-40;

Status CheckQuantiles(const std::vector<Rational>& at) {
  if (at.empty() || at.size() > RangeQuantiles::kMaxQuantiles) {
    return InvalidArgument("there must be 1 to 100 quantiles");
  }
  for (const Rational& q : at) {
    if (q.numerator() >= q.denominator() ||
        q.denominator() > RangeQuantiles::kMaxDenominator) {
      return InvalidArgument(
          "a quantile is greater than 0 and less than 1, with at most 6 "
          "decimals");
    }
  }
  return Ok();
}

}  // namespace

Result<RangeQuantiles> RangeQuantiles::Create(Params params) {
  SOTTO_TRY(CheckQuantiles(params.at));
  if (params.rows_per_user < 1 || params.rows_per_user > 1'000'000) {
    return InvalidArgument("the rows per user must be in [1, 1000000]");
  }
  const double share =
      params.at.size() == 1
          ? params.epsilon
          : DownMul(
                DownDiv(params.epsilon, static_cast<double>(params.at.size())),
                1 - kRounding);
  std::vector<Selection> choices;
  std::vector<Spend> parts;
  double delta = 0;
  for (const Rational& q : params.at) {
    SOTTO_TRY_ASSIGN(
        auto choice,
        Selection::Create({.epsilon = share,
                           .sensitivity = static_cast<std::int64_t>(
                               params.rows_per_user * q.denominator()),
                           .candidates = params.grid.cells()}));
    Spend part = choice.guarantee().spend();
    part.name = "quantile " + q.ToString();
    parts.push_back(std::move(part));
    delta = UpAdd(delta, choice.guarantee().delta());
    choices.push_back(std::move(choice));
  }
  SOTTO_TRY_ASSIGN(
      auto guarantee,
      MakeGuarantee({.notion = Notion::kDp,
                     .relation = Relation::kReplace,
                     .rounds_per_user = params.rows_per_user,
                     .protects = "a user's numbers, and which rows have one",
                     .spend = AddParts("quantiles", std::move(parts))},
                    {params.epsilon, delta}));
  return RangeQuantiles(std::move(params), std::move(choices),
                        std::move(guarantee));
}

void RangeQuantiles::Add(double value) {
  if (const auto cell = params_.grid.Cell(value)) ++counts_[*cell];
}

// How far, in units of 1 / d, the wanted rank is from those of a cell's numbers
// (range_quantiles.md, step 1).
std::vector<std::int64_t> RangeQuantiles::Scores(const Rational& at) const {
  const auto p = static_cast<std::int64_t>(at.numerator());
  const auto d = static_cast<std::int64_t>(at.denominator());
  std::int64_t numbers = 0;
  for (const std::int64_t count : counts_) numbers += count;
  std::vector<std::int64_t> scores;
  scores.reserve(counts_.size());
  std::int64_t rank = 0;
  for (const std::int64_t count : counts_) {
    const std::int64_t above = d * rank - p * numbers;
    const std::int64_t below = p * numbers - d * (rank + count);
    scores.push_back(-std::max({std::int64_t{0}, above, below}));
    rank += count;
  }
  return scores;
}

std::vector<double> RangeQuantiles::Release(Rng& rng) const {
  std::vector<double> chosen;
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    const auto cell = choices_[i].Select(Scores(params_.at[i]), rng);
    chosen.push_back(
        params_.grid.Interpolate(static_cast<double>(*cell) + 0.5));
  }
  // A larger quantile is not smaller: sorting releases nothing more.
  std::vector<std::size_t> order(chosen.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(
      order, {}, [&](std::size_t i) { return params_.at[i].ToDoubleDown(); });
  std::ranges::sort(chosen);
  std::vector<double> answers(chosen.size());
  for (std::size_t i = 0; i < order.size(); ++i) answers[order[i]] = chosen[i];
  return answers;
}

double RangeQuantiles::RankErrorBound(double failure) const {
  double worst = 0;
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    const std::int64_t loss =
        choices_[i].LossBound(failure / static_cast<double>(choices_.size()));
    worst =
        std::max(worst, static_cast<double>(loss) /
                            static_cast<double>(params_.at[i].denominator()));
  }
  return worst;
}

Result<std::vector<Rational>> ParseQuantiles(std::string_view text) {
  std::vector<Rational> at;
  while (true) {
    const std::size_t end = std::min(text.find(','), text.size());
    auto q = ParseRational(text.substr(0, end));
    if (!q) return InvalidArgument("a quantile: " + q.error().message);
    at.push_back(*q);
    if (end == text.size()) break;
    text.remove_prefix(end + 1);
  }
  SOTTO_TRY(CheckQuantiles(at));
  return at;
}

}  // namespace sotto
