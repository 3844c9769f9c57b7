#include "sotto/models/fits/greedy_cover/greedy_cover_row.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "sotto/base/plan_text.h"
#include "sotto/data/streams/schema.h"
#include "sotto/models/fits/greedy_cover/cover_fit.h"
#include "sotto/models/fits/greedy_cover/cover_options.h"
#include "sotto/models/fits/greedy_cover/cover_plan.h"

namespace sotto {
namespace {

// Without a schema the plan is for a table of middling size.
constexpr std::size_t kAssumedColumns = 100;

Result<CoverColumns> ColumnsOf(const Settings& settings) {
  if (settings.Has("schema")) {
    const auto schema = Schema::FromFile(settings.Text("schema"));
    if (!schema) return schema.error();
    return CoverColumns::FromSchema(*schema, CoverColumnsParamsOf(settings));
  }
  std::vector<CoverColumn> columns;
  for (std::size_t i = 1; i <= kAssumedColumns; ++i) {
    columns.push_back(
        {.name = "c" + std::to_string(i), .type = CoverColumn::Type::kBoolean});
  }
  return CoverColumns::Create(std::move(columns));
}

std::size_t Candidates(const GreedyCover& learner) {
  return 2 * learner.space().conjunctions().size();
}

Json ParametersOf(const Settings& settings, const GreedyCover& learner) {
  const GreedyCover::Params& params = learner.params();
  return Json::Object{{"rules", params.rules},
                      {"literals", settings.Whole("literals")},
                      {"penalty", params.penalty},
                      {"reward", params.reward},
                      {"calibration", settings.Text("calibration")},
                      {"rate", learner.rate().ToDoubleUp()},
                      {"bonus", learner.bonus()},
                      {"cap", learner.cap()},
                      {"candidates", Candidates(learner)},
                      {"schema_assumed", !settings.Has("schema")}};
}

std::string Percent(double share) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.3g %%", 100 * share);
  return text.data();
}

std::string TableOf(const Settings& settings, const CoverPlan& plan) {
  return PlanLine("", "for all draws to lose at most " +
                          Percent(settings.Real("error")) +
                          " together (proved of the draws; the best rules have "
                          "errors of their own)") +
         PlanLine("samples expected",
                  WithCommas(plan.samples_expected) +
                      " where a short list explains the table (measured on "
                      "Mushroom)") +
         PlanLine("one draw",
                  "at most " + WholeWithCommas(std::ceil(plan.rule_loss)) +
                      " wrong rows worse than the best rule; all of them, with "
                      "probability 95 %") +
         PlanLine("instead", plan.comparison);
}

Json MoreOf(const Settings& settings, const CoverPlan& plan) {
  return Json::Object{{"error", settings.Real("error")},
                      {"rows", settings.MaybeWhole("rows")},
                      {"rule_loss", plan.rule_loss},
                      {"samples_expected", plan.samples_expected},
                      {"comparison", plan.comparison}};
}

Result<Plan> PlanOf(const Settings& settings) {
  const auto columns = ColumnsOf(settings);
  if (!columns) return columns.error();
  const auto learner = CoverLearner(
      settings, *columns, {settings.Real("epsilon"), settings.Real("delta")});
  if (!learner) return learner.error();
  const auto plan = PlanCover(*learner, {.rows = settings.MaybeWhole("rows"),
                                         .error = settings.Real("error")});
  if (!plan) return plan.error();
  return Plan{.model = "greedy-cover, " +
                       std::to_string(learner->params().rules) +
                       " rules drawn from " + WithCommas(Candidates(*learner)) +
                       (settings.Has("schema")
                            ? ""
                            : " (no --schema: as if of 100 Boolean columns)"),
              .parameters = ParametersOf(settings, *learner),
              .guarantee = learner->guarantee(),
              .samples_required = static_cast<double>(plan->samples_required),
              .verdict = plan->verdict,
              .advice = {plan->advice},
              .more = MoreOf(settings, *plan),
              .table = TableOf(settings, *plan)};
}

}  // namespace

const BatchRow& GreedyCoverRow() {
  static const BatchRow kRow = {
      .name = "greedy-cover",
      .help = "decision lists that a person can read, and anyone may keep",
      .example = "--epsilon 1 --delta 1e-6 --rules 30",
      .options = CoverOptions(),
      .publishes = "rules",
      .plan = PlanOf,
      .fit = FitCover,
      .plan_options = CoverPlanOptions()};
  return kRow;
}

}  // namespace sotto
