#include "sotto/models/fits/list_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "sotto/models/fits/greedy_cover/cover_options.h"
#include "sotto/models/fits/greedy_cover/cover_plan.h"
#include "sotto/models/fits/stump_fit.h"

namespace sotto {
namespace {

// Chosen on Mushroom. With this multiple of the rows that single out one rule
// a list is better than one rule with all of epsilon,
constexpr double kTimes = 1.3;
// the error of a list of just those rows,
constexpr double kListError = 0.11;
// and that of the best single rule.
constexpr double kOneRuleError = 0.12;

// Rows that single out one rule, at the list's rate.
double RowsForOneRule(const GreedyCover& learner) {
  return std::log(2.0 *
                  static_cast<double>(learner.space().conjunctions().size())) /
         learner.rate().ToDoubleDown();
}

// The same columns with cuts at some cells of a number.
FitColumns CutNumbers(const FitColumns& columns, std::uint64_t cuts) {
  std::vector<FitColumn> cut = columns.all();
  for (FitColumn& column : cut) {
    if (column.kind != FitColumn::Kind::kNumber) continue;
    column.kind = FitColumn::Kind::kCuts;
    for (std::uint64_t i = 1; i <= cuts; ++i) {
      column.cuts.push_back(
          static_cast<double>((i * SplitWeights::kCells + cuts) / (cuts + 1)));
    }
  }
  return FitColumns(std::move(cut));
}

// An empty place is a row without features, or no row (add-remove).
CoverData MakeData(const FitBatch& batch, const GreedyCover& learner) {
  const FitColumns& columns = learner.space().columns();
  CoverData data(learner.space());
  const bool rows_public = learner.params().relation == Relation::kReplace;
  std::vector<std::uint32_t> codes(columns.size());
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const bool empty = batch.label(i) == FitBatch::kEmpty;
    if (empty && !rows_public) continue;
    columns.Encode({}, codes);
    for (std::size_t c = 0; c < columns.size() && !empty; ++c) {
      const auto& cuts = columns[c].cuts;
      codes[c] = batch.code(i, c);
      if (cuts.empty()) continue;
      codes[c] = static_cast<std::uint32_t>(
          std::ranges::upper_bound(cuts, codes[c]) - cuts.begin());
    }
    data.Add(codes, batch.label(i) == 1);
  }
  return data;
}

FitTest MakeTest(const Literal& literal, const FitColumns& columns) {
  const FitColumn& column = columns[literal.atom.column];
  FitTest test{.column = literal.atom.column};
  if (column.kind == FitColumn::Kind::kCuts) {
    test.code = static_cast<std::uint32_t>(column.cuts[literal.atom.place]);
  } else {
    test.kind = Split::Kind::kEquals;
    // A Boolean is asked whether it is true.
    test.code =
        column.kind == FitColumn::Kind::kBoolean ? 1 : literal.atom.place;
  }
  return test;
}

// Literals of a rule lead from one to the next, and from each to the rule
// after.
FitHypothesis GetHypothesis(const DecisionList& list) {
  std::vector<FitTest> tests;
  const auto& rules = list.rules();
  for (std::size_t r = 0; r < rules.size(); ++r) {
    if (rules[r].literals.empty()) {
      if (tests.empty()) return FitHypothesis::Constant(rules[r].label);
      break;  // not in a simplified list
    }
    const auto next =
        static_cast<std::int32_t>(tests.size() + rules[r].literals.size());
    const std::int32_t after =
        r + 1 < rules.size() ? next : FitTest::Leaf(list.otherwise());
    for (std::size_t i = 0; i < rules[r].literals.size(); ++i) {
      const Literal& literal = rules[r].literals[i];
      FitTest test = MakeTest(literal, list.columns());
      const std::int32_t on = i + 1 < rules[r].literals.size()
                                  ? static_cast<std::int32_t>(tests.size() + 1)
                                  : FitTest::Leaf(rules[r].label);
      test.yes = literal.holds ? on : after;
      test.no = literal.holds ? after : on;
      tests.push_back(test);
    }
  }
  if (tests.empty()) return FitHypothesis::Constant(list.otherwise());
  return FitHypothesis(std::move(tests));
}

Result<std::unique_ptr<PrivateFit>> Make(const Settings& settings,
                                         const FitColumns& columns,
                                         const FitBudget& budget) {
  if (settings.GetDouble("shares") > 0) {
    return InvalidArgument("--shares is for greedy-cover alone");
  }
  const auto relation = ParseRelation(settings.Text("relation"));
  if (!relation || *relation != budget.relation ||
      settings.GetInt("rounds-per-user") != budget.rounds_per_user) {
    return InvalidArgument("the budget is for other rounds than the settings");
  }
  SOTTO_TRY_ASSIGN(
      auto learner,
      CoverLearner(settings, CutNumbers(columns, settings.GetInt("cuts")),
                   budget.user));
  SOTTO_TRY_ASSIGN(auto one_rule, MakeStumpFit(columns, budget));
  return std::unique_ptr<PrivateFit>(std::make_unique<ListFit>(
      columns, std::move(learner), std::move(one_rule)));
}

}  // namespace

ListFit::ListFit(FitColumns columns, GreedyCover learner,
                 std::unique_ptr<PrivateFit> one_rule)
    : columns_(std::move(columns)),
      learner_(std::move(learner)),
      one_rule_(std::move(one_rule)),
      rows_for_list_(kTimes * RowsForOneRule(learner_)) {}

Spend ListFit::spend() const {
  return TakeLargest("list",
                     {learner_.guarantee().spend(), one_rule_->spend()});
}

FitHypothesis ListFit::Fit(const FitBatch& batch, Rng& rng) const {
  const auto places = static_cast<double>(batch.public_places());
  if (places > 0 && places < rows_for_list_) return one_rule_->Fit(batch, rng);
  return GetHypothesis(
      learner_.Fit(MakeData(batch, learner_), rng).Simplified());
}

// Falls about as the square root of the rows.
double ListFit::ExpectedError(double rows) const {
  constexpr double kConstant = 0.4;
  const double one_rule = kOneRuleError + (kConstant - kOneRuleError) / 0.35 *
                                              one_rule_->ExpectedError(rows);
  if (rows < rows_for_list_) return std::min(one_rule, kConstant);
  return kListError * std::sqrt(RowsForOneRule(learner_) / rows);
}

double ListFit::RowsFor(double error, double failure) const {
  const auto plan = PlanCover(
      learner_, {.error = std::min(error, 0.999), .failure = failure});
  return plan ? static_cast<double>(plan->samples_required) : HUGE_VAL;
}

Json ListFit::parameters() const {
  return Json::Object{{"columns", columns_.size()},
                      {"rules", learner_.params().rules},
                      {"literals", learner_.space().literals()},
                      {"rate", learner_.rate().ToDoubleUp()},
                      {"bonus", learner_.bonus()},
                      {"cap", learner_.cap()},
                      {"rows_for_a_list", std::ceil(rows_for_list_)}};
}

std::string ListFit::Summary() const {
  return "decision lists of " + std::to_string(learner_.params().rules) +
         " rules";
}

namespace {

// Batches are shorter than tables: so are lists.
OptionTable ListOptions() {
  OptionTable table = CoverOptions();
  for (Option& option : table) {
    if (option.name == "rules") option.fallback = "30";
  }
  return table;
}

}  // namespace

const FitEntry& ListEntry() {
  static const FitEntry kEntry = {
      .name = "list",
      .help = "readable decision lists by greedy cover; needs a delta",
      .example = "--epsilon 1 --delta 1e-6",
      .options = ListOptions(),
      .columns = AllColumns,
      .create = Make};
  return kEntry;
}

}  // namespace sotto
