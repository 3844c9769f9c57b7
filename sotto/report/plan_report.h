#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sotto/base/json.h"
#include "sotto/online/model_entry.h"
#include "sotto/online/ranking.h"

namespace sotto {

// A plan, made before any data is touched: all of it is public. `model` is the
// name of the entry. The keys that stay stable are in docs/formats/report.md.
Json PlanJson(std::string_view model, const Plan& plan);
std::string PlanText(const Plan& plan);

// The assumption of a forecast as the text behind "if"; empty for none.
std::string_view AssumptionText(ForecastAssumption assumption);

// {"models":[...]}, in their order: a plan each, with "kind", "expected_error",
// "promise", "publishes" and "why", or {"model","kind","not_applicable"}.
Json PlansJson(std::span<const NamedPlan> plans);
// A table, a line each, and what it rests on.
std::string PlansText(std::span<const NamedPlan> plans);

}  // namespace sotto
