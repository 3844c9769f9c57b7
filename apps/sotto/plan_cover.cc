#include "plan_cover.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "command.h"
#include "cover_table.h"
#include "run_report.h"
#include "sotto/models/greedy_cover/cover_plan.h"
#include "sotto/streams/schema.h"

namespace sotto::app {
namespace {

using nlohmann::ordered_json;

// Without a schema the plan is for a table of middling size.
constexpr std::size_t kAssumedColumns = 100;

Result<CoverColumns> Columns(const PlanCoverFlags& flags) {
  if (!flags.schema.empty()) {
    const auto schema = Schema::FromFile(flags.schema);
    if (!schema) return schema.error();
    return CoverColumns::FromSchema(*schema, {});
  }
  std::vector<CoverColumn> columns;
  for (std::size_t i = 1; i <= kAssumedColumns; ++i) {
    columns.push_back(
        {.name = "c" + std::to_string(i), .type = CoverColumn::Type::kBoolean});
  }
  return CoverColumns::Create(std::move(columns));
}

Result<GreedyCover> Learner(const PopFlags& common,
                            const PlanCoverFlags& flags) {
  const auto columns = Columns(flags);
  if (!columns) return columns.error();
  auto space = RuleSpace::Create(*columns, flags.literals);
  if (!space) return space.error();
  const auto relation = ParseRelation(common.relation);
  if (!relation) return relation.error();
  const auto score = ParseReward(flags.reward);
  if (!score) return score.error();
  return GreedyCover::Create(
      {.epsilon = common.epsilon,
       .delta = common.delta,
       .relation = *relation,
       .calibration = common.calibration == "paper"
                          ? CoverCalibration::Method::kPaper
                          : CoverCalibration::Method::kExact,
       .rules = flags.rules,
       .penalty = score->penalty,
       .reward = score->reward,
       .rows_per_user = common.rounds_per_user},
      *std::move(space));
}

void PrintJson(const PopFlags& common, const PlanCoverFlags& flags,
               const GreedyCover& learner, const CoverPlan& plan) {
  const GreedyCover::Params& params = learner.params();
  ordered_json report = {
      {"model", "greedy-cover"},
      {"parameters",
       {{"rules", params.rules},
        {"literals", flags.literals},
        {"penalty", params.penalty},
        {"reward", params.reward},
        {"calibration", common.calibration},
        {"rate", learner.rate().ToDoubleUp()},
        {"bonus", learner.bonus()},
        {"cap", learner.cap()},
        {"candidates", 2 * learner.space().conjunctions().size()},
        {"schema_assumed", flags.schema.empty()}}},
      {"guarantee", ToJson(learner.guarantee())},
      {"error", flags.error},
      {"rows", nullptr},
      {"rule_loss", plan.rule_loss},
      {"samples_required", plan.samples_required},
      {"samples_expected", plan.samples_expected},
      {"verdict", nullptr},
      {"advice", plan.advice},
      {"comparison", plan.comparison}};
  if (flags.rows) report["rows"] = *flags.rows;
  if (plan.verdict) report["verdict"] = ToString(*plan.verdict);
  std::printf("%s\n", report.dump().c_str());
}

void Row(const char* name, const std::string& value) {
  std::printf("%-18s %s\n", name, value.c_str());
}

std::string Percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %%", 100 * share);
  return text;
}

void PrintText(const PlanCoverFlags& flags, const GreedyCover& learner,
               const CoverPlan& plan) {
  const std::size_t candidates = 2 * learner.space().conjunctions().size();
  Row("model",
      "greedy-cover, " + std::to_string(flags.rules) + " rules drawn from " +
          Grouped(candidates) +
          (flags.schema.empty() ? " (no --schema: as if of 100 Boolean columns)"
                                : ""));
  Row("verdict",
      plan.verdict ? std::string(ToString(*plan.verdict)) : "needs --rows");
  Row("one draw",
      "at most " +
          Grouped(static_cast<std::uint64_t>(std::ceil(plan.rule_loss))) +
          " wrong rows worse than the best rule; all of them, with "
          "probability 95 %");
  Row("samples required", Grouped(plan.samples_required) +
                              " for all draws to lose at most " +
                              Percent(flags.error) +
                              " together (proved of the draws; the best "
                              "rules have errors of their own)");
  Row("samples expected",
      Grouped(plan.samples_expected) +
          " where a short list explains the table (measured on Mushroom)");
  Row("instead", plan.comparison);
  std::printf("\nPrivacy: %s\n", learner.guarantee().Describe().c_str());
  std::printf("- %s\n", plan.advice.c_str());
}

}  // namespace

void AddPlanCoverFlags(CLI::App& command, PlanCoverFlags& flags) {
  const char* group = "greedy-cover";
  command
      .add_option("--schema", flags.schema,
                  "the public description of the columns, JSON; left out: as "
                  "if there were 100 Boolean columns")
      ->group(group);
  AllowScientific(
      *command.add_option("--rows", flags.rows, "how many rows there will be")
           ->group(group));
  AllowScientific(
      *command.add_option("--rules", flags.rules, "how many rules to draw")
           ->capture_default_str()
           ->group(group));
  command
      .add_option("--literals", flags.literals,
                  "the most literals in a rule: 1, 2 or 3")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--reward", flags.reward,
                  "what a right row is worth, a wrong one being 1")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--error", flags.error,
                  "what privacy may add to the share of wrong rows")
      ->capture_default_str()
      ->group(group);
}

int PlanGreedyCover(const PopFlags& common, const PlanCoverFlags& flags,
                    bool json) {
  const auto learner = Learner(common, flags);
  if (!learner) return Report(learner.error());
  const auto plan =
      PlanCover(*learner, {.rows = flags.rows, .error = flags.error});
  if (!plan) return Report(plan.error());
  if (json) {
    PrintJson(common, flags, *learner, *plan);
  } else {
    PrintText(flags, *learner, *plan);
  }
  return kDone;
}

}  // namespace sotto::app
