#include "sotto/report/plan_report.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/accounting/guarantee_json.h"
#include "sotto/base/number_text.h"
#include "sotto/base/printable.h"
#include "sotto/report/figures.h"
#include "sotto/report/spend_report.h"

namespace sotto {
namespace {

Json ToArray(const std::vector<std::string>& sentences) {
  return Json::Array(sentences.begin(), sentences.end());
}

std::string VerdictText(const Plan& plan) {
  const auto name = VerdictName(plan);
  if (!name) return "none: not enough was said";
  if (*name != "depends") return *name;
  return "depends: " + std::string(ToString(*plan.verdict)) + " if " +
         std::string(AssumptionText(plan.presumes));
}

}  // namespace

std::string_view AssumptionText(ForecastAssumption assumption) {
  switch (assumption) {
    case ForecastAssumption::kNothing:
      return "";
    case ForecastAssumption::kRule:
      return "one simple rule fits the labels";
    case ForecastAssumption::kMargin:
      break;
  }
  return "a margin separates the labels";
}

namespace {

std::string MistakesText(const Plan& plan) {
  if (!plan.mistakes_expected && !plan.mistakes_bound) return "";
  std::string text;
  const double rounds = plan.horizon;
  if (plan.mistakes_expected) {
    std::string expected = WholeWithCommas(*plan.mistakes_expected);
    if (rounds > 0) {
      expected += " of " + WholeWithCommas(rounds) + " rounds (" +
                  Percent(*plan.mistakes_expected / rounds) + ")";
    }
    text += PlanLine("mistakes expected", expected);
  }
  return text +
         PlanLine("mistakes, proved",
                  plan.mistakes_bound
                      ? "at most " +
                            WholeWithCommas(std::ceil(*plan.mistakes_bound)) +
                            ", with probability " +
                            BoundProbability(plan.parameters)
                      : "no bound below the number of rounds");
}

std::string Padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text + " ";
}

std::string RowsText(double rows) {
  return std::isfinite(rows) ? WholeWithCommas(std::ceil(rows))
                             : "no number suffices";
}

// "1.4 %", "noise + 1.4 %", "1,235 rows", or "-".
std::string Expected(const Plan& plan) {
  if (plan.samples_required) {
    if (!std::isfinite(*plan.samples_required)) return "no rows suffice";
    return RowsText(*plan.samples_required) + " rows";
  }
  const auto share = ExpectedShare(plan);
  if (!share) return "-";
  return (plan.mistakes_expected ? "" : "noise + ") + Percent(*share);
}

}  // namespace

Json PlanJson(std::string_view model, const Plan& plan) {
  Json json;
  json["model"] = model;
  json["parameters"] = plan.parameters;
  json["guarantee"] = ToJson(plan.guarantee);
  json["assumes"] = ToString(plan.presumes);
  json["parts"] = SpendJson(plan.guarantee);
  json["mistakes_bound"] = plan.mistakes_bound;
  json["mistakes_expected"] = plan.mistakes_expected;
  if (plan.samples_required) json["samples_required"] = plan.samples_required;
  if (plan.excess_expected) json["excess_expected"] = plan.excess_expected;
  if (!plan.promise.empty()) json["promise"] = plan.promise;
  if (!plan.publishes.empty()) json["publishes"] = plan.publishes;
  const auto verdict = VerdictName(plan);
  json["verdict"] = verdict ? Json(*verdict) : Json();
  json["advice"] = ToArray(plan.advice);
  json["caveats"] = ToArray(plan.caveats);
  if (plan.more.object() == nullptr) return json;
  for (const auto& [name, value] : *plan.more.object()) {
    // Keys that all plans have are already set.
    if (json.Find(name) == nullptr) json[name] = value;
  }
  return json;
}

std::string PlanText(const Plan& plan) {
  std::string text = PlanLine("model", plan.model);
  if (!plan.promise.empty()) text += PlanLine("promised for", plan.promise);
  text += PlanLine("verdict", VerdictText(plan)) + MistakesText(plan);
  if (plan.excess_expected && !plan.mistakes_expected) {
    text += PlanLine("error expected", "that of the best rule, and " +
                                           Percent(*plan.excess_expected) +
                                           " of rounds more");
  }
  if (plan.samples_required) {
    text += PlanLine("samples required", RowsText(*plan.samples_required));
  }
  text += plan.table + "\nPrivacy: " + plan.guarantee.Describe() + "\n";
  if (plan.guarantee.in_rounds()) {
    text +=
        "It holds for any data and any number of rounds; only the mistakes "
        "depend on the stream.\n";
  }
  text += SpendText(plan.guarantee);
  for (const std::string& caveat : plan.caveats) text += caveat + "\n";
  for (const std::string& advice : plan.advice) text += "- " + advice + "\n";
  return Printable(text);
}

Json PlansJson(std::span<const NamedPlan> plans) {
  Json list = Json::Array{};
  for (const NamedPlan& named : plans) {
    if (!named.plan) {
      // "error" is the older name; greedy-cover has an option of that name.
      list.Add(Json::Object{{"model", named.model},
                            {"kind", ToString(named.kind)},
                            {"not_applicable", named.plan.error().message},
                            {"error", named.plan.error().message}});
      continue;
    }
    Json json = PlanJson(named.model, *named.plan);
    json["kind"] = ToString(named.kind);
    // Absolute. What learning adds to an unknown floor is excess_expected.
    json["expected_error"] = named.plan->mistakes_expected
                                 ? Json(ExpectedShare(*named.plan))
                                 : Json();
    json["why"] = RankingReason(named);
    list.Add(std::move(json));
  }
  return Json::Object{{"models", std::move(list)}};
}

std::string PlansText(std::span<const NamedPlan> plans) {
  std::string text = Padded("model", 13) + Padded("verdict", 12) +
                     Padded("expected error", 16) + Padded("publishes", 10) +
                     "promised for\n";
  std::string why;
  for (const NamedPlan& named : plans) {
    text += Padded(named.model, 13);
    why += "  " + named.model + ": " + RankingReason(named) + "\n";
    if (!named.plan) {
      text += "not applicable\n";
      continue;
    }
    const Plan& plan = *named.plan;
    text += Padded(VerdictName(plan).value_or("-"), 12) +
            Padded(Expected(plan), 16) +
            Padded(std::string(plan.publishes), 10) +
            std::string(plan.promise) + "\n";
  }
  return Printable(
      text + "\nWhy in this order:\n" + why +
      "An expected error is a model of the stream and no promise; \"noise\" is "
      "what even the best rule gets wrong (--label-noise says how much).\n");
}

}  // namespace sotto
