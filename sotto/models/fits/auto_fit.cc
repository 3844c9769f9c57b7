#include "sotto/models/fits/auto_fit.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/accounting/rounding.h"
#include "sotto/models/fits/finite_fit.h"
#include "sotto/models/fits/fit_replay.h"
#include "sotto/models/fits/list_fit.h"
#include "sotto/models/fits/stump_fit.h"
#include "sotto/models/fits/tree_fit.h"
#include "sotto/random/loss_weights.h"

namespace sotto {
namespace {

// Fraction of the rounds of a batch that is fitted (FitBatch::HeldOut).
constexpr double kFitted = 0.75;

// Several fits on one part of a batch, and the best of them by the rest of it.
// A row's part is held out or not by its round number.
//
// Guarantee: the budget's. The fits share it; the choice has the whole of it,
//            as no row is in both parts.
// Proof:     fits.md, step 5.
// Threads:   immutable; calls may run at the same time.
class AutoFit final : public PrivateFit {
 public:
  using Candidates = std::vector<std::unique_ptr<PrivateFit>>;

  // The candidates together cost at most the budget.
  AutoFit(Candidates candidates, const FitBudget& budget, const Rational& rate,
          LossWeights weights)
      : candidates_(std::move(candidates)),
        budget_(budget),
        rate_(rate),
        weights_(std::move(weights)) {}

  bool proves_rows() const override { return false; }
  FitHypothesis Fit(const FitBatch& batch, Rng& rng) const override {
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
  Spend spend() const override {
    std::vector<Spend> fits;
    for (const auto& candidate : candidates_) {
      fits.push_back(candidate->spend());
    }
    return TakeLargest("auto", {AddParts("candidates", std::move(fits)),
                                DrawCost("choice", budget_, rate_)});
  }

  bool takes_late_labels() const override {
    return std::ranges::all_of(
        candidates_, [](const auto& fit) { return fit->takes_late_labels(); });
  }

  double ExpectedError(double rows) const override {
    double best = 1;
    for (const auto& candidate : candidates_) {
      best = std::min(best, candidate->ExpectedError(kFitted * rows));
    }
    return best;
  }

  double RowsFor(double error, double failure) const override {
    double most = 0;
    for (const auto& candidate : candidates_) {
      most = std::max(most, candidate->RowsFor(error / 2, failure / 4));
    }
    return most / kFitted;
  }

  Json parameters() const override {
    Json list = Json::Array{};
    for (const auto& candidate : candidates_) list.Add(candidate->Summary());
    return Json::Object{{"candidates", std::move(list)}};
  }

  std::string Summary() const override {
    std::string text = "the best of ";
    for (const auto& candidate : candidates_) {
      if (&candidate != &candidates_.front()) text += ", ";
      text += candidate->Summary();
    }
    return text;
  }

 private:
  Candidates candidates_;
  FitBudget budget_;
  Rational rate_;
  LossWeights weights_;
};

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
  SOTTO_TRY_ASSIGN(const auto rate, RowRate(budget));
  SOTTO_TRY_ASSIGN(auto weights, LossWeights::Create(rate, FiniteFit::kBits));
  return std::unique_ptr<PrivateFit>(std::make_unique<AutoFit>(
      std::move(candidates), budget, rate, std::move(weights)));
}

}  // namespace

const FitEntry& AutoEntry() {
  static const FitEntry kEntry = {
      .name = "auto",
      .help = "the best of stump, tree and, with a delta, list",
      .example = "--epsilon 1",
      .options = {},
      .columns = AllColumns,
      .create = Make};
  return kEntry;
}

}  // namespace sotto
