#include "sotto/models/fits/stump_fit.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/base/number_text.h"
#include "sotto/models/fits/fit_replay.h"
#include "sotto/random/wide_uniform.h"

namespace sotto {
namespace {

Result<std::unique_ptr<PrivateFit>> Make(const Settings&,
                                         const FitColumns& columns,
                                         const FitBudget& budget) {
  return StumpFit::Create(columns, budget);
}

}  // namespace

Result<FitColumns> AllColumns(const Settings& settings,
                              const InputSpec& inputs) {
  SOTTO_TRY_ASSIGN(const auto range, ParseFitRange(settings.Text("range")));
  return FitColumns::Of(inputs, range);
}

Result<std::unique_ptr<PrivateFit>> StumpFit::Create(const FitColumns& columns,
                                                     const FitBudget& budget) {
  SOTTO_TRY_ASSIGN(const auto rate, RowRate(budget));
  SOTTO_TRY_ASSIGN(auto weights,
                   SplitWeights::Create(columns, SplitLoss::kErrors, rate));
  return std::unique_ptr<PrivateFit>(
      new StumpFit(columns, budget, rate, std::move(weights)));
}

Spend StumpFit::spend() const { return DrawCost("question", budget_, rate_); }

FitHypothesis StumpFit::Fit(const FitBatch& batch, Rng& rng) const {
  ReportRows(batch, weights_.weights(), 1, rng);
  const SplitScan scan(columns_, batch, {}, 1, weights_);
  const Split drawn = scan.At(0, WideUniformBelow(scan.total(0), rng));
  return FitHypothesis::Of(SameChoice(drawn, rng));
}

// Where one threshold is right, those t rows away from it weigh e^(-rate t), on
// both sides: 1 / rate rows are expected, and half a row for the gap itself.
// Before that it must stand out from all other units, which are wrong on a
// third of the rows.
double StumpFit::ExpectedError(double rows) const {
  constexpr double kOther = 0.35;
  const double nats = rate_.ToDoubleDown() * std::max(rows, 1.0);
  const double near = std::min(kOther, (1 + rate_.ToDoubleDown() / 2) / nats);
  const double others = static_cast<double>(weights_.units()) * nats / 4 *
                        std::exp(-kOther * nats);
  const double lost = rows < 1 ? 1 : others / (1 + others);
  return (1 - lost) * near + lost * kOther;
}

// split_scan.md, step 5. A best run has at least one cell.
double StumpFit::RowsFor(double error, double failure) const {
  const double candidates =
      static_cast<double>(weights_.units()) * SplitWeights::kCells;
  return std::log(candidates / failure) / (rate_.ToDoubleDown() * error);
}

Json StumpFit::parameters() const {
  return Json::Object{{"columns", columns_.size()},
                      {"candidates", static_cast<double>(weights_.units()) *
                                         SplitWeights::kCells},
                      {"rate", rate_.ToDoubleUp()}};
}

std::string StumpFit::Summary() const {
  if (columns_.size() == 1) {
    return "thresholds of " + columns_[0].name + ", drawn exactly";
  }
  return "stumps over " + WithCommas(columns_.size()) +
         " columns, all in one exact draw";
}

const Option& ColumnOption() {
  static const Option kOption = {
      .name = "column",
      .help = "the number that is looked at (left out: the first one)",
      .group = "Learning"};
  return kOption;
}

Result<FitColumns> OneNumber(const Settings& settings,
                             const InputSpec& inputs) {
  SOTTO_TRY_ASSIGN(const auto all, AllColumns(settings, inputs));
  for (const FitColumn& column : all.all()) {
    const bool meant = settings.Has("column")
                           ? column.name == settings.Text("column")
                           : column.kind == FitColumn::Kind::kNumber;
    if (!meant) continue;
    if (column.kind != FitColumn::Kind::kNumber) break;
    return FitColumns({column});
  }
  return InvalidArgument(settings.Has("column")
                             ? "--column: expected the name of a number, got " +
                                   settings.Text("column")
                             : "there is no column that is a number");
}

const FitEntry& ThresholdEntry() {
  static const FitEntry kEntry = {
      .name = "threshold",
      .help = "one number: 1 from some value on, or up to it; pure epsilon",
      .example = "--epsilon 1",
      .options = {ColumnOption()},
      .columns = OneNumber,
      .create = Make};
  return kEntry;
}

const FitEntry& StumpEntry() {
  static const FitEntry kEntry = {
      .name = "stump",
      .help = "the best single question about any column; pure epsilon",
      .example = "--epsilon 1",
      .options = {},
      .columns = AllColumns,
      .create = Make};
  return kEntry;
}

}  // namespace sotto
