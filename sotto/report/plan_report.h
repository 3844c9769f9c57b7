#pragma once

#include <span>
#include <string>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/model/model_row.h"

namespace sotto {

// What a plan says, before any data is touched: all of it is public. `model` is
// the name of the row. The keys that stay stable are in docs/formats/report.md.
Json PlanJson(std::string_view model, const Plan& plan);
std::string PlanText(const Plan& plan);

// One of several plans for the same facts; an error where the model cannot be
// had, or was not told enough.
struct NamedPlan {
  std::string model;
  Result<Plan> plan;
};

// The most promising first: by verdict, then by expected mistakes, then by the
// rows that are needed; those without a plan at the end. Equals stay in order.
void Rank(std::vector<NamedPlan>& plans);

// {"models":[...]}, a plan each, or {"model","error"}.
Json PlansJson(std::span<const NamedPlan> plans);
// A table, a line each.
std::string PlansText(std::span<const NamedPlan> plans);

}  // namespace sotto
