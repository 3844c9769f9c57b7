#pragma once

#include <string>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/base/settings.h"
#include "sotto/learners/learner_spec.h"
#include "sotto/models/everlasting/everlasting_schedule.h"
#include "sotto/online/model_entry.h"
#include "sotto/online/online_model.h"

namespace sotto {

// An everlasting predictor's numbers, all of them public, for reports and for
// people.
Json EverlastingParameters(const LearnerSpec& spec,
                           const EverlastingSchedule::Params& params,
                           const EverlastingPhase& first);
std::string EverlastingInWords(const LearnerSpec& spec,
                               const EverlastingPhase& first);

// Forecast before any data, with this training set. Numbers are estimates
// unless marked as proved.
struct EverlastingForecast {
  double error = 0;     // of an honest query
  double labelled = 0;  // rows that the sizes are for
  double enough = 0;    // rows at which teachers have the error of --error
  std::optional<Verdict> verdict = {};
  std::vector<std::string> advice = {};
};
Result<EverlastingForecast> ForecastEverlasting(
    const Settings& settings, const LearnerSpec& spec,
    const EverlastingSchedule::Params& params, const EverlastingPhase& first);

}  // namespace sotto
