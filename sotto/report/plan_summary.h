#pragma once

#include <span>
#include <string>

#include "sotto/online/ranking.h"

namespace sotto {

// The facts that `plan` was asked about, as text.
struct PlanQuestion {
  std::string facts = {};  // "100,000 rounds, 8 columns, epsilon 1, delta 1e-6"
  std::string flags = {};  // "--epsilon 1 --delta 1e-6 --horizon 100000"
};

// The ranked plans on one screen: models that answer from the first round with
// what their forecasts assume, a command line for the first of them, and the
// others by what they lack. PlansText has the rest.
std::string PlanSummary(std::span<const NamedPlan> plans,
                        const PlanQuestion& question);

}  // namespace sotto
