#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sotto/online/model_entry.h"
#include "sotto/online/ranking.h"

namespace sotto {

// Plans as one page, in the style of a run's (html_report.h): what is expected
// and proved, beside guessing; what is promised; the parameters. All of it is
// public. `model` is the name of the row.
std::string PlanPage(std::string_view model, const Plan& plan);

// The page of several models, in their order: a table with a bar for what each
// is expected to get wrong, and the reasons for the order.
std::string PlansPage(std::span<const NamedPlan> plans);

}  // namespace sotto
