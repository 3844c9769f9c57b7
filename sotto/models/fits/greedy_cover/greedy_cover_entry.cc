#include "sotto/models/fits/greedy_cover/greedy_cover_entry.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "sotto/base/number_text.h"
#include "sotto/data/streams/schema.h"
#include "sotto/models/fits/greedy_cover/cover_fit.h"
#include "sotto/models/fits/greedy_cover/cover_options.h"
#include "sotto/models/fits/greedy_cover/cover_plan.h"

namespace sotto {
namespace {

// Without a schema the plan is for a table of middling size.
constexpr std::size_t kAssumedColumns = 100;

Result<CoverColumns> MakeColumns(const Settings& settings) {
  if (settings.Has("schema")) {
    SOTTO_TRY_ASSIGN(const auto schema,
                     Schema::FromFile(settings.Text("schema")));
    return CoverColumns::FromSchema(schema, MakeCoverColumnsParams(settings));
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

Json MakeParameters(const Settings& settings, const GreedyCover& learner) {
  const GreedyCover::Params& params = learner.params();
  return Json::Object{{"rules", params.rules},
                      {"literals", settings.GetInt("literals")},
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

std::string MakeTable(const Settings& settings, const CoverPlan& plan) {
  return PlanLine("", "for all draws to lose at most " +
                          Percent(settings.GetDouble("error")) +
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

Json MakeExtraJson(const Settings& settings, const CoverPlan& plan) {
  return Json::Object{{"error", settings.GetDouble("error")},
                      {"rows", settings.GetOptionalInt("rows")},
                      {"rule_loss", plan.rule_loss},
                      {"samples_expected", plan.samples_expected},
                      {"comparison", plan.comparison}};
}

Result<Plan> MakePlan(const Settings& settings) {
  SOTTO_TRY_ASSIGN(const auto columns, MakeColumns(settings));
  SOTTO_TRY_ASSIGN(const auto learner,
                   CoverLearner(settings, columns,
                                {settings.GetDouble("epsilon"),
                                 settings.GetDouble("delta")}));
  SOTTO_TRY_ASSIGN(const auto plan,
                   PlanCover(learner, {.rows = settings.GetOptionalInt("rows"),
                                       .error = settings.GetDouble("error")}));
  return Plan{.model = "greedy-cover, " +
                       std::to_string(learner.params().rules) +
                       " rules drawn from " + WithCommas(Candidates(learner)) +
                       (settings.Has("schema")
                            ? ""
                            : " (no --schema: as if of 100 Boolean columns)"),
              .parameters = MakeParameters(settings, learner),
              .guarantee = learner.guarantee(),
              .samples_required = static_cast<double>(plan.samples_required),
              .verdict = plan.verdict,
              .advice = {plan.advice},
              .more = MakeExtraJson(settings, plan),
              .table = MakeTable(settings, plan)};
}

}  // namespace

const BatchModelEntry& GreedyCoverEntry() {
  static const BatchModelEntry kEntry = {
      .name = "greedy-cover",
      .help = "Readable decision lists",
      .example = "--epsilon 1 --delta 1e-6 --rules 30",
      .options = CoverOptions(),
      .publishes = "rules",
      .plan = MakePlan,
      .fit = FitCover,
      .check = CheckCoverTable,
      .plan_options = CoverPlanOptions()};
  return kEntry;
}

}  // namespace sotto
