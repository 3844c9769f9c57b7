#include "sotto/models/fits/greedy_cover/greedy_cover.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"
#include "sotto/models/fits/greedy_cover/cover_counts.h"

namespace sotto {
namespace {

ListRule MakeRule(const RuleSpace& space, const Conjunction& conjunction,
                  bool label) {
  ListRule rule{.literals = {}, .label = label};
  for (std::size_t i = 0; i < conjunction.size; ++i) {
    rule.literals.push_back(
        {space.atoms()[conjunction.atoms[i]], conjunction.sign(i)});
  }
  return rule;
}

// Rules of a row that is replaced or removed, drawn one after the other: the
// accountant's result for all of them.
Spend RulesPart(const CoverCalibration& calibration) {
  const CoverCalibration::Params& p = calibration.params();
  const double moved = p.relation == Relation::kReplace ? 2 : 1;
  return ComposeParts("rules", {p.epsilon, calibration.delta()},
                      {PurePart("one rule", SamplerKind::kSelection,
                                calibration.rate().ToDoubleUp(),
                                moved * (p.penalty + p.reward))});
}

Result<Guarantee> Promise(const GreedyCover::Params& p,
                          const CoverCalibration& calibration,
                          const std::optional<SharesMechanism>& shares) {
  std::vector<Spend> parts = {RulesPart(calibration)};
  if (shares) parts.push_back(shares->spend());
  return MakeGuarantee(
      {.notion = Notion::kDp,
       .relation = p.relation,
       .adversary = Adversary::kAdaptive,
       .rounds_per_user = p.rows_per_user,
       .protects = "a row of the table and its label",
       .spend = ForSteps(AddParts("row", std::move(parts)), p.rows_per_user)},
      {p.epsilon, p.delta});
}

Status Check(const GreedyCover::Params& p) {
  if (p.bonus && !(*p.bonus > 0 && *p.bonus <= 1e6)) {
    return InvalidArgument("the bonus must be in (0, 1e6] nats");
  }
  if (p.cap && !(*p.cap >= 1 && *p.cap <= 1'000'000'000'000'000)) {
    return InvalidArgument("the cap must be 1 to 1e15 rows");
  }
  if (p.bonus && p.cap) {
    return InvalidArgument("a bonus and a cap are two names for one thing");
  }
  if (p.reward == 0 && (p.bonus || p.cap)) {
    return InvalidArgument("a bonus or a cap needs a reward");
  }
  if (p.rules < 1 || p.rules > 100'000) {
    return InvalidArgument("a list has 1 to 100000 rules");
  }
  if (!(p.shares >= 0 && p.shares <= 0.9)) {
    return InvalidArgument("shares may have 0 to 0.9 of epsilon");
  }
  return Ok();
}

}  // namespace

Result<GreedyCover> GreedyCover::Create(const Params& params, RuleSpace space) {
  SOTTO_TRY(Check(params));
  SOTTO_TRY_ASSIGN(auto row, PerRoundTarget({params.epsilon, params.delta},
                                            params.rows_per_user));
  std::optional<SharesMechanism> shares;
  if (params.shares > 0) {
    SOTTO_TRY_ASSIGN(auto made, SharesMechanism::Create(
                                    {.epsilon = params.shares * row.epsilon,
                                     .relation = params.relation,
                                     .max_rules = params.rules}));
    shares = std::move(made);
    row.epsilon = DownAdd(row.epsilon, -shares->epsilon());
    row.delta = DownAdd(row.delta, -shares->delta());
  }
  SOTTO_TRY_ASSIGN(
      const auto calibration,
      CoverCalibration::Create({.epsilon = row.epsilon,
                                .delta = row.delta,
                                .relation = params.relation,
                                .penalty = params.penalty,
                                .reward = params.reward,
                                .rounds = params.rules + 1,  // and the "else"
                                .candidates = 2 * space.conjunctions().size(),
                                .method = params.calibration}));
  SOTTO_TRY_ASSIGN(auto selection,
                   ExponentialSelection::Create(calibration.rate()));
  SOTTO_TRY_ASSIGN(auto guarantee, Promise(params, calibration, shares));
  return GreedyCover(params, std::move(space), calibration,
                     std::move(selection), std::move(guarantee),
                     std::move(shares));
}

double GreedyCover::bonus() const {
  if (params_.reward == 0) return 0;
  const double row = params_.reward * rate().ToDoubleUp();
  if (params_.cap) return static_cast<double>(*params_.cap) * row;
  const auto candidates = 2 * static_cast<double>(space_.conjunctions().size());
  return params_.bonus.value_or(std::log(candidates));
}

std::int64_t GreedyCover::cap() const {
  if (params_.reward == 0) return 0;
  if (params_.cap) return *params_.cap;
  const double row = params_.reward * rate().ToDoubleUp();
  return static_cast<std::int64_t>(std::ceil(std::min(bonus() / row, 1e15)));
}

Json GreedyCover::parameters() const {
  const bool paper = params_.calibration == CoverCalibration::Method::kPaper;
  return Json::Object{{"rules", params_.rules},
                      {"literals", space_.literals()},
                      {"penalty", params_.penalty},
                      {"reward", params_.reward},
                      {"calibration", paper ? "paper" : "practical"},
                      {"rate", rate().ToDoubleUp()},
                      {"bonus", bonus()},
                      {"cap", cap()},
                      {"share_scale", share_scale()}};
}

template <typename Choose>
DecisionList GreedyCover::FitWith(const CoverData& data,
                                  const Choose& choose) const {
  assert(data.atoms() == space_.atoms().size());
  CoverCounts counts(data, space_.literals());
  const std::int64_t penalty = params_.penalty;
  const std::int64_t reward = params_.reward;
  const auto score = [&](std::int64_t wrong, std::int64_t right,
                         std::int64_t limit) {
    return reward * std::min(right, limit) - penalty * wrong;
  };
  const std::vector<Conjunction>& conjunctions = space_.conjunctions();
  const std::int64_t most = cap();
  std::vector<std::int64_t> scores(2 * conjunctions.size());
  std::vector<ListRule> rules;
  for (std::uint32_t round = 0; round < params_.rules; ++round) {
    for (std::size_t i = 0; i < conjunctions.size(); ++i) {
      const auto [negative, positive] = counts.Of(conjunctions[i]);
      scores[2 * i] = score(positive, negative, most);
      scores[2 * i + 1] = score(negative, positive, most);
    }
    const std::size_t chosen = choose(scores);
    const Conjunction& conjunction = conjunctions[chosen / 2];
    rules.push_back(MakeRule(space_, conjunction, chosen % 2 != 0));
    counts.Cover(conjunction);
  }
  const std::int64_t all = static_cast<std::int64_t>(data.rows());
  const auto [negative, positive] = counts.Of({});
  const std::array<std::int64_t, 2> last = {score(positive, negative, all),
                                            score(negative, positive, all)};
  const bool otherwise = choose(last) == 1;
  auto list =
      DecisionList::Create(space_.columns(), std::move(rules), otherwise);
  assert(list.has_value());
  return *std::move(list);
}

DecisionList GreedyCover::Fit(const CoverData& data, Rng& rng) const {
  return FitWith(data, [&](std::span<const std::int64_t> scores) {
    if (!rng.watched()) return selection_.Select(scores, rng);
    const std::int64_t moved = params_.penalty + params_.reward;
    std::vector<std::int64_t> seen;
    for (const std::int64_t score : scores) {
      seen.push_back(rng.Private("rule score", score, moved));
    }
    return selection_.Select(seen, rng);
  });
}

GreedyCover::ListWithShares GreedyCover::FitWithShares(const CoverData& data,
                                                       Rng& rng) const {
  assert(shares_.has_value());
  DecisionList list = Fit(data, rng).Simplified();
  RuleShares shares = shares_->Release(list, space_, data, rng);
  return {std::move(list), std::move(shares)};
}

DecisionList GreedyCover::FitWithoutPrivacy(const CoverData& data) const {
  return FitWith(data, [](std::span<const std::int64_t> scores) {
    return static_cast<std::size_t>(std::ranges::max_element(scores) -
                                    scores.begin());
  });
}

}  // namespace sotto
