#include "sotto/report/plan_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "sotto/accounting/guarantee_json.h"
#include "sotto/base/printable.h"
#include "sotto/model/plan_text.h"
#include "sotto/report/figures.h"

namespace sotto {
namespace {

Json ToArray(const std::vector<std::string>& sentences) {
  return Json::Array(sentences.begin(), sentences.end());
}

Json VerdictJson(const Plan& plan) {
  return plan.verdict ? Json(ToString(*plan.verdict)) : Json();
}

std::string VerdictText(const Plan& plan) {
  return plan.verdict ? std::string(ToString(*plan.verdict))
                      : "none: not enough was said";
}

double HorizonOf(const Plan& plan) {
  const Json* horizon = plan.parameters.Find("horizon");
  return horizon != nullptr ? horizon->number().value_or(0) : 0;
}

std::string MistakesText(const Plan& plan) {
  if (!plan.mistakes_expected && !plan.mistakes_bound) return "";
  std::string text;
  const double rounds = HorizonOf(plan);
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

// The order of verdicts; one that is not known is better than none at all.
int Place(const Plan& plan) {
  if (!plan.verdict) return 2;
  switch (*plan.verdict) {
    case Verdict::kComfortable:
      return 0;
    case Verdict::kTight:
      return 1;
    case Verdict::kHopeless:
      break;
  }
  return 3;
}

auto RankOf(const NamedPlan& named) {
  constexpr double kLast = std::numeric_limits<double>::infinity();
  if (!named.plan) return std::tuple(4, kLast, kLast);
  return std::tuple(Place(*named.plan),
                    named.plan->mistakes_expected.value_or(kLast),
                    named.plan->samples_required.value_or(kLast));
}

std::string Padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text + " ";
}

std::string Needs(const Plan& plan) {
  if (plan.mistakes_expected) {
    return "about " + WholeWithCommas(*plan.mistakes_expected) + " mistakes";
  }
  if (plan.samples_required) {
    return WholeWithCommas(std::ceil(*plan.samples_required)) + " rows";
  }
  return "-";
}

}  // namespace

Json PlanJson(std::string_view model, const Plan& plan) {
  Json json;
  json["model"] = model;
  json["parameters"] = plan.parameters;
  json["guarantee"] = ToJson(plan.guarantee);
  json["mistakes_bound"] = plan.mistakes_bound;
  json["mistakes_expected"] = plan.mistakes_expected;
  if (plan.samples_required) json["samples_required"] = plan.samples_required;
  json["verdict"] = VerdictJson(plan);
  json["advice"] = ToArray(plan.advice);
  json["caveats"] = ToArray(plan.caveats);
  if (plan.more.object() == nullptr) return json;
  for (const auto& [name, value] : *plan.more.object()) {
    // What all plans say is said here.
    if (json.Find(name) == nullptr) json[name] = value;
  }
  return json;
}

std::string PlanText(const Plan& plan) {
  std::string text = PlanLine("model", plan.model) +
                     PlanLine("verdict", VerdictText(plan)) +
                     MistakesText(plan);
  if (plan.samples_required) {
    text += PlanLine("samples required",
                     WholeWithCommas(std::ceil(*plan.samples_required)));
  }
  text += plan.table + "\nPrivacy: " + plan.guarantee.Describe() + "\n";
  if (plan.guarantee.in_rounds()) {
    text +=
        "It holds for any data and any number of rounds; only the mistakes "
        "depend on the stream.\n";
  }
  for (const std::string& caveat : plan.caveats) text += caveat + "\n";
  for (const std::string& advice : plan.advice) text += "- " + advice + "\n";
  return Printable(text);
}

void Rank(std::vector<NamedPlan>& plans) {
  std::stable_sort(plans.begin(), plans.end(),
                   [](const NamedPlan& a, const NamedPlan& b) {
                     return RankOf(a) < RankOf(b);
                   });
}

Json PlansJson(std::span<const NamedPlan> plans) {
  Json list = Json::Array{};
  for (const NamedPlan& named : plans) {
    list.Add(named.plan
                 ? PlanJson(named.model, *named.plan)
                 : Json(Json::Object{{"model", named.model},
                                     {"error", named.plan.error().message}}));
  }
  return Json::Object{{"models", std::move(list)}};
}

std::string PlansText(std::span<const NamedPlan> plans) {
  std::string text = Padded("model", 16) + Padded("verdict", 12) + "needs\n";
  for (const NamedPlan& named : plans) {
    text += Padded(named.model, 16);
    if (!named.plan) {
      text += Padded("-", 12) + named.plan.error().message + "\n";
      continue;
    }
    const Plan& plan = *named.plan;
    text +=
        Padded(plan.verdict ? std::string(ToString(*plan.verdict)) : "-", 12) +
        Needs(plan) + "\n";
  }
  return Printable(text);
}

}  // namespace sotto
