#include "sotto/models/fits/finite_fit.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sotto/accounting/group_privacy.h"
#include "sotto/base/number_text.h"
#include "sotto/learners/classes/class_file.h"
#include "sotto/learners/classes/dimension_search.h"
#include "sotto/learners/classes/paper_learners.h"
#include "sotto/models/fits/fit_replay.h"
#include "sotto/random/noise_observer.h"
#include "sotto/random/wide_uniform.h"

namespace sotto {
namespace {

Result<FitColumns> ListPoints(const Settings& settings,
                              const InputSpec& inputs) {
  SOTTO_TRY_ASSIGN(const auto functions, ReadClass(settings.Text("class")));
  FitColumn column{.name = inputs.names.empty() ? "x" : inputs.names.front(),
                   .kind = FitColumn::Kind::kPoint,
                   .points = static_cast<std::uint32_t>(functions.points())};
  if (inputs.schema) {
    return InvalidArgument(
        "finite takes whole numbers as they are: leave --schema out");
  }
  return FitColumns({std::move(column)});
}

Result<std::unique_ptr<PrivateFit>> Make(const Settings& settings,
                                         const FitColumns&,
                                         const FitBudget& budget) {
  SOTTO_TRY_ASSIGN(auto functions, ReadClass(settings.Text("class")));
  return FiniteFit::Create(
      std::make_shared<const FiniteClass>(std::move(functions)), budget);
}

// The Littlestone paper's learner, which cannot do without a delta.
Status Compare(const Settings& settings, const FitBudget& budget, Plan& plan) {
  constexpr double kUsualDelta = 1e-6;
  constexpr double kFailure = 0.05;
  SOTTO_TRY_ASSIGN(const auto functions, ReadClass(settings.Text("class")));
  ApproximateDp user = budget.user;
  if (user.delta == 0) user.delta = kUsualDelta;
  SOTTO_TRY_ASSIGN(const auto each,
                   PerRoundTarget(user, budget.rounds_per_user));
  const DimensionBounds bounds = QuickDimension(functions);
  const PaperErm paper = PaperErmFor(bounds.lo, settings.GetDouble("error"),
                                     kFailure, each.epsilon, each.delta);
  plan.more["littlestone_dimension_lo"] = bounds.lo;
  plan.more["littlestone_dimension_hi"] = bounds.hi;
  plan.more["paper"] = Json::Object{{"rows", paper.rows},
                                    {"teachers", paper.teachers},
                                    {"chunk", paper.chunk},
                                    {"delta", user.delta}};
  plan.table += PlanLine("the paper's DP-ERM",
                         WholeWithCommas(std::ceil(paper.rows)) +
                             " rows, at a delta of " + Shortest(user.delta));
  plan.caveats.emplace_back(
      "Chosen: the exponential mechanism (permute-and-flip), which pays for "
      "the logarithm of the class; DP-ERM pays for a power of its Littlestone "
      "dimension. `sotto plan littlestone-erm` compares them.");
  return Ok();
}

}  // namespace

Result<std::unique_ptr<PrivateFit>> FiniteFit::Create(
    std::shared_ptr<const FiniteClass> functions, const FitBudget& budget) {
  SOTTO_TRY_ASSIGN(const auto rate, RowRate(budget));
  SOTTO_TRY_ASSIGN(auto weights, LossWeights::Create(rate, kBits));
  return std::unique_ptr<PrivateFit>(
      new FiniteFit(std::move(functions), budget, rate, std::move(weights)));
}

Spend FiniteFit::spend() const { return DrawCost("function", budget_, rate_); }

// Coins for all, then one of the heads: the first of a random order.
std::size_t FiniteFit::Draw(const std::vector<std::uint64_t>& losses,
                            const LossWeights& weights, Rng& rng) {
  ReportSelection(rng, weights, losses.size());
  const std::uint64_t least = *std::ranges::min_element(losses);
  std::vector<std::uint8_t> coins;
  coins.reserve(losses.size());
  std::uint64_t heads = 0;
  for (const std::uint64_t loss : losses) {
    const bool head = (rng.Next() >> (64 - kBits)) < weights(loss - least);
    coins.push_back(head ? 1 : 0);
    heads += coins.back();
  }
  const Uint128 target = WideUniformBelow(heads, rng);
  std::uint64_t seen = 0;
  std::size_t index = 0;
  for (const std::uint8_t coin : coins) {
    seen += coin;
    index += static_cast<std::size_t>(seen <= target);
  }
  return SameChoice(index, rng);
}

FitHypothesis FiniteFit::Fit(const FitBatch& batch, Rng& rng) const {
  ReportRows(batch, weights_, 1, rng);
  // Rows that name no point come last, and say nothing.
  std::vector<std::array<std::uint64_t, 2>> rows(functions_->points() + 1);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const std::uint8_t label = batch.label(i);
    rows[batch.code(i, 0)][label & 1] += static_cast<std::uint64_t>(label < 2);
  }
  std::vector<std::uint64_t> losses(functions_->size(), 0);
  for (std::size_t p = 0; p < functions_->points(); ++p) {
    for (std::size_t h = 0; h < losses.size(); ++h) {
      losses[h] += rows[p][functions_->Label(h, p) ? 0 : 1];
    }
  }
  const std::size_t chosen = Draw(losses, weights_, rng);
  std::vector<bool> table;
  for (std::size_t p = 0; p < functions_->points(); ++p) {
    table.push_back(functions_->Label(chosen, p));
  }
  return FitHypothesis::Table(std::move(table));
}

// Functions that are wrong on a share of the rows are no longer drawn after
// ln(size) / rate wrong rows.
double FiniteFit::ExpectedError(double rows) const {
  const auto size = static_cast<double>(functions_->size());
  const double lost = (std::log(size) / 2 + 1) / rate_.ToDoubleDown();
  return std::min(0.5, lost / std::max(rows, 1.0));
}

double FiniteFit::RowsFor(double error, double failure) const {
  const auto size = static_cast<double>(functions_->size());
  return std::log(size / failure) / (rate_.ToDoubleDown() * error);
}

Json FiniteFit::parameters() const {
  return Json::Object{{"functions", functions_->size()},
                      {"points", functions_->points()},
                      {"rate", rate_.ToDoubleUp()}};
}

std::string FiniteFit::Summary() const {
  return WithCommas(functions_->size()) + " functions on " +
         WithCommas(functions_->points()) + " points";
}

const FitEntry& FiniteEntry() {
  static const FitEntry kEntry = {
      .name = "finite",
      .help = "any finite class of functions on integers; pure epsilon",
      .example = "--epsilon 1 --class thresholds:64",
      .options =
          {{.name = "class",
            .fallback = "thresholds:64",
            .help =
                "points:N, thresholds:N, intervals:N or another name of `sotto "
                "ldim --help`, or a file with one function per line.",
            .group = "Learning"}},
      .columns = ListPoints,
      .create = Make,
      .prepare = TakePoints,
      .compare = Compare};
  return kEntry;
}

Status TakePoints(const Settings& settings, ReaderParams& request) {
  SOTTO_TRY_ASSIGN(const auto functions, ReadClass(settings.Text("class")));
  request.limits.points = functions.points();
  return Ok();
}

}  // namespace sotto
