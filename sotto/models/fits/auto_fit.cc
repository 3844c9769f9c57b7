#include "sotto/models/fits/auto_fit.h"

#include <algorithm>
#include <cmath>

#include "sotto/accounting/rounding.h"
#include "sotto/models/fits/finite_fit.h"
#include "sotto/models/fits/fit_replay.h"
#include "sotto/models/fits/list_fit.h"
#include "sotto/models/fits/stump_fit.h"
#include "sotto/models/fits/tree_fit.h"

namespace sotto {
namespace {

// Fraction of the rounds of a batch that is fitted (FitBatch::HeldOut).
constexpr double kFitted = 0.75;

Result<std::unique_ptr<PrivateFit>> Make(const Settings& settings,
                                         const FitColumns& columns,
                                         const FitBudget& budget) {
  std::vector<const FitEntry*> rows = {&StumpEntry(), &TreeEntry()};
  if (budget.user.delta > 0) rows.push_back(&ListEntry());
  FitBudget share = budget;
  share.user.epsilon =
      DownDiv(budget.user.epsilon, static_cast<double>(rows.size()));
  AutoFit::Candidates candidates;
  for (const FitEntry* entry : rows) {
    SOTTO_TRY_ASSIGN(auto fit, entry->create(settings, columns, share));
    candidates.push_back(std::move(fit));
  }
  return AutoFit::Create(std::move(candidates), budget);
}

}  // namespace

Result<std::unique_ptr<PrivateFit>> AutoFit::Create(Candidates candidates,
                                                    const FitBudget& budget) {
  SOTTO_TRY_ASSIGN(const auto rate, RowRate(budget));
  SOTTO_TRY_ASSIGN(auto weights, LossWeights::Create(rate, FiniteFit::kBits));
  return std::unique_ptr<PrivateFit>(
      new AutoFit(std::move(candidates), budget, rate, std::move(weights)));
}

FitHypothesis AutoFit::Fit(const FitBatch& batch, Rng& rng) const {
  FitBatch fitted = batch.Only(false);
  fitted.SetPublicPlaces(static_cast<std::size_t>(
      kFitted * static_cast<double>(batch.public_places())));
  const FitBatch held_out = batch.Only(true);
  std::vector<FitHypothesis> found;
  std::vector<std::uint64_t> wrong;
  for (const auto& candidate : candidates_) {
    found.push_back(candidate->Fit(fitted, rng));
    wrong.push_back(0);
    for (std::size_t i = 0; i < held_out.size(); ++i) {
      const std::uint8_t prediction =
          found.back().Predict(held_out.row(i)) ? 1 : 0;
      const std::uint8_t label = held_out.label(i);
      wrong.back() += static_cast<std::uint64_t>(label < FitBatch::kEmpty &&
                                                 label != prediction);
    }
  }
  ReportRows(held_out, weights_, 1, rng);
  return found[FiniteFit::Draw(wrong, weights_, rng)];
}

// A row is fitted by all candidates, or held out for the choice among them.
Spend AutoFit::spend() const {
  std::vector<Spend> fits;
  for (const auto& candidate : candidates_) fits.push_back(candidate->spend());
  return TakeLargest("auto", {AddParts("candidates", std::move(fits)),
                              DrawCost("choice", budget_, rate_)});
}

bool AutoFit::takes_late_labels() const {
  return std::ranges::all_of(
      candidates_, [](const auto& fit) { return fit->takes_late_labels(); });
}

double AutoFit::ExpectedError(double rows) const {
  double best = 1;
  for (const auto& candidate : candidates_) {
    best = std::min(best, candidate->ExpectedError(kFitted * rows));
  }
  return best;
}

double AutoFit::RowsFor(double error, double failure) const {
  double most = 0;
  for (const auto& candidate : candidates_) {
    most = std::max(most, candidate->RowsFor(error / 2, failure / 4));
  }
  return most / kFitted;
}

Json AutoFit::parameters() const {
  Json list = Json::Array{};
  for (const auto& candidate : candidates_) list.Add(candidate->Summary());
  return Json::Object{{"candidates", std::move(list)}};
}

std::string AutoFit::Summary() const {
  std::string text = "the best of ";
  for (const auto& candidate : candidates_) {
    if (&candidate != &candidates_.front()) text += ", ";
    text += candidate->Summary();
  }
  return text;
}

const FitEntry& AutoEntry() {
  static const FitEntry kEntry = {
      .name = "auto",
      .help = "stump, tree and, with a delta, list: whichever does best",
      .example = "--epsilon 1",
      .options = {},
      .columns = AllColumns,
      .create = Make};
  return kEntry;
}

}  // namespace sotto
