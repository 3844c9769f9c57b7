#include "sotto/accounting/guarantee_json.h"
#include "sotto/data/streams/schema.h"
#include "sotto/online/public_mistakes.h"
#include "sotto/report/figures.h"
#include "sotto/report/metrics.h"
#include "sotto/report/public_run.h"
#include "sotto/report/run_report.h"
#include "sotto/report/spend_report.h"

namespace sotto {
namespace {

bool OfNumbers(const RunReport& report) {
  return report.facts.label.kind == LabelType::Kind::kNumber;
}

Json ToArray(const std::vector<std::string>& sentences) {
  return Json::Array(sentences.begin(), sentences.end());
}

double Rate(const RunReport& report) {
  return Ratio(static_cast<double>(report.played_now), report.seconds);
}

// Over labelled rounds; null while there are none.
Json Mean(double sum, std::uint64_t rounds) {
  return rounds > 0 ? Json(sum / static_cast<double>(rounds)) : Json();
}

Json Mistakes(const RunReport& report, const PublicRun& shown) {
  if (report.public_only) {
    return shown.mistakes ? Json(shown.mistakes->now.mistakes) : Json();
  }
  return OfNumbers(report) ? Json() : Json(report.stats.now.mistakes);
}

// The baselines of labels are counts, those of numbers are means.
Json BaselineJson(const RunReport& report, double sum) {
  if (OfNumbers(report)) return Mean(sum, report.stats.now.labelled);
  return static_cast<std::uint64_t>(sum);
}

Json SkippedJson(const SkipCounts& skipped) {
  Json json = Json::Object{};
  for (std::size_t i = 0; i < kFaultReasons; ++i) {
    if (skipped.by_reason[i] == 0) continue;
    json[Name(static_cast<FaultReason>(i))] = skipped.by_reason[i];
  }
  return json;
}

Json PhaseEndsJson(const RunReport& report) {
  Json ends = Json::Array{};
  for (const RunStats::Point& end : report.stats.phase_ends) {
    Json one = Json::Object{{"round", end.rounds}};
    if (OfNumbers(report)) {
      one["mean_absolute_error"] = Mean(end.error, end.labelled);
    } else {
      one["mistakes"] = end.mistakes;
    }
    one["paid"] = end.paid;
    ends.Add(std::move(one));
  }
  return ends;
}

void AddErrors(const RunReport& report, Json& own) {
  const RunStats& stats = report.stats;
  if (stats.honest.labelled > 0) {
    own["honest"] = Json::Object{{"rounds", stats.honest.labelled},
                                 {"mistakes", stats.honest.mistakes}};
  }
  own["baselines"] = Json::Object{
      {"majority", BaselineJson(report, stats.baselines.majority)},
      {"last_label", BaselineJson(report, stats.baselines.last_label)}};
  if (OfNumbers(report)) {
    own["mean_absolute_error"] = Mean(stats.now.error, stats.now.labelled);
  }
  if (stats.log_loss.rounds > 0) {
    own["log_loss"] = Mean(stats.log_loss.sum, stats.log_loss.rounds);
  }
}

// Answers from what is published, to users over the limit.
Json FreeJson(const RunReport& report) {
  const RunStats::FreeAnswers& free = report.stats.free;
  Json json =
      Json::Object{{"answered", free.answered}, {"labelled", free.labelled}};
  if (OfNumbers(report)) {
    json["mean_absolute_error"] = Mean(free.error, free.labelled);
  } else {
    json["mistakes"] = free.mistakes;
  }
  return json;
}

// The part that only the operator may see, beside the first keys.
Json OperatorsView(const RunReport& report) {
  const RunStats& stats = report.stats;
  Json own = Json::Object{{"answered", stats.answered},
                          {"labelled", stats.now.labelled},
                          {"absent", stats.absent},
                          {"unusable", stats.unusable},
                          {"refused", stats.refused}};
  if (stats.free.answered > 0) own["free_answers"] = FreeJson(report);
  AddErrors(report, own);
  AddMetrics(stats.metrics, report.facts.label, own);
  if (report.skipped.clamped > 0) own["clamped"] = report.skipped.clamped;
  own["skipped"] = report.skipped.total();
  own["skipped_by_reason"] = SkippedJson(report.skipped);
  if (!report.skipped.places.empty()) {
    own["skipped_places"] = ToArray(report.skipped.places);
  }
  own["phase_ends"] = PhaseEndsJson(report);
  if (report.plain_mistakes)
    own["non_private_mistakes"] = report.plain_mistakes;
  if (report.plain_error) {
    own["non_private_mean_absolute_error"] =
        Mean(*report.plain_error, stats.now.labelled);
  }
  return own;
}

void AddOperatorsView(const RunReport& report, Json& json) {
  Json not_covered =
      Json::Array{"mistakes", "paid", "seconds", "rounds_per_second"};
  const Json own = OperatorsView(report);
  for (const auto& [name, value] : *own.object()) {
    json[name] = value;
    not_covered.Add(name);
  }
  json["not_covered"] = std::move(not_covered);
}

Json CostJson(const SchemaCost& cost) {
  return Json::Object{{"epsilon", cost.epsilon}, {"delta", cost.delta}};
}

Json PlanJson(const OnlineModel::Forecast& forecast) {
  return Json::Object{{"mistakes_expected", forecast.expected},
                      {"mistakes_bound", forecast.bound},
                      {"verdict", forecast.verdict}};
}

}  // namespace

Json RunJson(const RunReport& report) {
  const RunFacts& facts = report.facts;
  const PublicRun shown = PublicPart(report);
  const bool own = !report.public_only;
  Json json;
  json["model"] = facts.model;
  json["learner"] = facts.learner.empty() ? Json() : Json(facts.learner);
  json["rounds"] = shown.rounds;
  json["mistakes"] = Mistakes(report, shown);
  json["paid"] = own ? Json(report.stats.now.paid) : Json();
  json["phases"] = shown.phases;
  json["halted_at"] = shown.halted_at;
  json["guarantee"] = ToJson(facts.guarantee);
  json["parts"] = SpendJson(facts.guarantee);
  json["parameters"] = facts.parameters;
  json["seconds"] = own ? Json(report.seconds) : Json();
  json["rounds_per_second"] = own ? Json(Rate(report)) : Json();
  json["private"] = !facts.seeded;
  json["public"] = report.public_only;
  json["plan"] = PlanJson(facts.forecast);
  json["interrupted"] = shown.interrupted;
  json["statement"] = ToArray(PrivacyStatement(report));
  if (facts.spent_before) {
    json["spent_before"] = CostJson(*facts.spent_before);
    json["spent_in_all"] = CostJson(facts.Total());
  }
  if (own) {
    AddOperatorsView(report, json);
  } else if (shown.mistakes) {
    json["mistakes_error"] = shown.mistakes->error;
  }
  return json;
}

// The columns of the table, not what they are encoded into.
static std::vector<std::string> ColumnNames(const InputSpec& inputs) {
  if (inputs.schema == nullptr) return inputs.names;
  std::vector<std::string> names;
  for (const SchemaColumn& column : inputs.schema->columns) {
    if (column.missing_of.empty()) names.push_back(column.name);
  }
  return names;
}

RunReport MakeReport(const Session& session) {
  const OnlineModel& model = session.model();
  const Json parameters = model.parameters();
  const Json* learner = parameters.Find("learner");
  RunReport report{
      .facts = {.model = std::string(session.entry().name),
                .learner = learner != nullptr && learner->text() != nullptr
                               ? *learner->text()
                               : "",
                .in_words = model.Summary(),
                .guarantee = session.guarantee(),
                .parameters = parameters,
                .caveats = model.caveats(),
                .forecast = model.forecast(),
                .horizon = session.settings().GetOptionalInt("horizon"),
                .label = session.inputs().label,
                .seeded = session.seeded(),
                .publishes = std::string(session.entry().publishes),
                .columns = ColumnNames(session.inputs())},
      .stats = session.stats(),
      .phases = session.phase() + 1,
      .public_only = session.settings().Flag("public")};
  if (const auto& schema = session.inputs().schema) {
    report.facts.spent_before = schema->spent;
  }
  if (const PublicMistakes* count = session.public_mistakes()) {
    report.count = {count->error_bound(), count->rounds()};
  }
  if (session.comparison() != nullptr) {
    const bool numbers = !CountsMistakes(report.facts.label.kind);
    if (numbers) report.plain_error = session.comparison()->error();
    if (!numbers) report.plain_mistakes = session.comparison()->mistakes();
  }
  return report;
}

}  // namespace sotto
