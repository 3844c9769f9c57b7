#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sotto/base/label.h"
#include "sotto/base/settings.h"
#include "sotto/online/verdict.h"

namespace sotto {

// What can be said of tide's errors before any data: nothing that is proved.
struct TideForecast {
  std::optional<Verdict> verdict = {};  // absent without a horizon
  // What learning and privacy add to the share that the best rule gets wrong.
  std::optional<double> excess = {};
  std::optional<double> mistakes = {};  // over the horizon, if --noise was said
  std::vector<std::string> advice = {};
};

// For labels of that kind, by --horizon, --epsilon, --rounds-per-user,
// --label-rate and --noise.
TideForecast ForecastTide(const Settings& settings, const LabelType& label);

}  // namespace sotto
