#include "sotto/models/fits/stump_fit.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/base/number_text.h"
#include "sotto/models/fits/fit_replay.h"
#include "sotto/random/wide_uniform.h"

namespace sotto {
namespace {

class StumpFit final : public PrivateFit {
 public:
  StumpFit(FitColumns columns, const FitBudget& budget, const Rational& rate,
           SplitWeights weights)
      : columns_(std::move(columns)),
        budget_(budget),
        rate_(rate),
        weights_(std::move(weights)) {}

  Spend spend() const override { return DrawCost("question", budget_, rate_); }

  FitHypothesis Fit(const FitBatch& batch, Rng& rng) const override {
    ReportRows(batch, weights_.weights(), 1, rng);
    const SplitScan scan(columns_, batch, {}, 1, weights_);
    const Split drawn = scan.At(0, WideUniformBelow(scan.total(0), rng));
    return FitHypothesis::Of(SameChoice(drawn, rng));
  }

  // Where one threshold is right, those t rows away from it weigh e^(-rate t),
  // on both sides: 1 / rate rows are expected, and half a row for the gap
  // itself. Before that it must stand out from all other units, which are wrong
  // on a third of the rows.
  double ExpectedError(double rows) const override {
    constexpr double kOther = 0.35;
    const double nats = rate_.ToDoubleDown() * std::max(rows, 1.0);
    const double near = std::min(kOther, (1 + rate_.ToDoubleDown() / 2) / nats);
    const double others = static_cast<double>(weights_.units()) * nats / 4 *
                          std::exp(-kOther * nats);
    const double lost = rows < 1 ? 1 : others / (1 + others);
    return (1 - lost) * near + lost * kOther;
  }

  // split_scan.md, step 5. A best run has at least one cell.
  double RowsFor(double error, double failure) const override {
    const double candidates =
        static_cast<double>(weights_.units()) * SplitWeights::kCells;
    return std::log(candidates / failure) / (rate_.ToDoubleDown() * error);
  }

  Json parameters() const override {
    return Json::Object{{"columns", columns_.size()},
                        {"candidates", static_cast<double>(weights_.units()) *
                                           SplitWeights::kCells},
                        {"rate", rate_.ToDoubleUp()}};
  }

  std::string Summary() const override {
    if (columns_.size() == 1) {
      return "thresholds of " + columns_[0].name + ", drawn exactly";
    }
    return "stumps over " + WithCommas(columns_.size()) +
           " columns, all in one exact draw";
  }

 private:
  FitColumns columns_;
  FitBudget budget_;
  Rational rate_;
  SplitWeights weights_;
};

}  // namespace

Result<std::unique_ptr<PrivateFit>> MakeStumpFit(const FitColumns& columns,
                                                 const FitBudget& budget) {
  SOTTO_TRY_ASSIGN(const auto rate, RowRate(budget));
  SOTTO_TRY_ASSIGN(auto weights,
                   SplitWeights::Create(columns, SplitLoss::kErrors, rate));
  return std::unique_ptr<PrivateFit>(
      new StumpFit(columns, budget, rate, std::move(weights)));
}

Result<FitColumns> AllColumns(const Settings& settings,
                              const InputSpec& inputs) {
  SOTTO_TRY_ASSIGN(const auto range, ParseFitRange(settings.Text("range")));
  return FitColumns::Of(inputs, range);
}

const Option& ColumnOption() {
  static const Option kOption = {.name = "column",
                                 .help = "Column to use. Default: the first.",
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
      .create = [](const Settings&, const FitColumns& columns,
                   const FitBudget& budget) {
        return MakeStumpFit(columns, budget);
      }};
  return kEntry;
}

const FitEntry& StumpEntry() {
  static const FitEntry kEntry = {
      .name = "stump",
      .help = "the best single question about any column; pure epsilon",
      .example = "--epsilon 1",
      .options = {},
      .columns = AllColumns,
      .create = [](const Settings&, const FitColumns& columns,
                   const FitBudget& budget) {
        return MakeStumpFit(columns, budget);
      }};
  return kEntry;
}

}  // namespace sotto
