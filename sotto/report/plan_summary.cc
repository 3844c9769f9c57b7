#include "sotto/report/plan_summary.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "sotto/base/number_text.h"
#include "sotto/base/printable.h"
#include "sotto/report/plan_report.h"

namespace sotto {
namespace {

enum class Group { kUseful, kUseless, kTrained, kBatch, kOther };

Group FindGroup(const NamedPlan& named) {
  if (!named.plan) return Group::kOther;
  if (named.kind == ModelKind::kBatch) return Group::kBatch;
  if (named.kind == ModelKind::kTrained) return Group::kTrained;
  return named.plan->verdict == Verdict::kHopeless ? Group::kUseless
                                                   : Group::kUseful;
}

bool Assumes(const NamedPlan& named) {
  return named.plan->presumes != ForecastAssumption::kNothing;
}

// "1.4%".
std::string Percentage(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f%%", share < 0.01 ? 2 : 1, 100 * share);
  return text;
}

std::string ExpectedError(const Plan& plan) {
  const auto share = ExpectedShare(plan);
  if (!share) return "-";
  if (!plan.mistakes_expected) {
    const std::string points = Percentage(*share);
    return "best possible + " + points.substr(0, points.size() - 1) + " points";
  }
  std::string text = Percentage(*share);
  if (plan.presumes == ForecastAssumption::kNothing) return text;
  return text + " if " + std::string(AssumptionText(plan.presumes));
}

std::string Padded(std::string_view text, std::size_t width) {
  std::string padded(text);
  padded.resize(std::max(padded.size() + 1, width), ' ');
  return padded;
}

std::string FormatRow(std::string_view model, std::string_view verdict,
                      std::string_view error, std::string_view publishes) {
  return Padded(model, 13) + Padded(verdict, 13) + Padded(error, 43) +
         std::string(publishes) + "\n";
}

std::string UsefulText(std::span<const NamedPlan> plans,
                       const PlanQuestion& question) {
  std::string text;
  std::string first;
  bool assumes = false;
  for (const NamedPlan& named : plans) {
    if (FindGroup(named) != Group::kUseful) continue;
    if (first.empty()) first = named.model;
    assumes = assumes || Assumes(named);
    text += FormatRow(named.model, VerdictName(*named.plan).value_or("-"),
                      ExpectedError(*named.plan), named.plan->publishes);
  }
  if (first.empty()) {
    return "No model is expected to be useful here: more rounds, or more "
           "epsilon.\n";
  }
  text = FormatRow("model", "verdict", "expected error", "publishes") + text;
  if (assumes) {
    text +=
        "\nWhat 'depends' stands on few tables have. State it if yours does: "
        "--label-noise 0 (a rule\nfits the labels), --margin M of a model.\n";
  }
  return text + "\nRun it:  sotto run " + first + " " + question.flags +
         " -d FILE\n\n";
}

// "stumps (947,658 rows)".
std::string WithRows(const NamedPlan& named) {
  const auto rows = named.plan->samples_required;
  if (!rows || !std::isfinite(*rows)) return named.model;
  return named.model + " (" + WholeWithCommas(std::ceil(*rows)) + " rows)";
}

std::string ListGroup(std::span<const NamedPlan> plans, Group group,
                      std::string_view title) {
  std::string names;
  for (const NamedPlan& named : plans) {
    if (FindGroup(named) != group) continue;
    const bool rows = group == Group::kTrained || group == Group::kBatch;
    names +=
        (names.empty() ? "" : ", ") + (rows ? WithRows(named) : named.model);
  }
  if (names.empty()) return "";
  return Padded(title, 23) + names + "\n";
}

}  // namespace

std::string PlanSummary(std::span<const NamedPlan> plans,
                        const PlanQuestion& question) {
  std::string text =
      question.facts + ". No data read.\n\n" + UsefulText(plans, question);
  text += ListGroup(plans, Group::kUseless, "Not useful here");
  text += ListGroup(plans, Group::kTrained, "Need a training set");
  text += ListGroup(plans, Group::kBatch, "Batch, sotto fit");
  text += ListGroup(plans, Group::kOther, "Need other input");
  return Printable(text + "Reasons and bounds: --all\n");
}

}  // namespace sotto
