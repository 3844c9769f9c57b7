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

// What can be expected before any data, with this labelled set: guesses, where
// nothing says that they are proved.
struct EverlastingForecast {
  double error = 0;     // of an honest query
  double labelled = 0;  // rows that the sizes are for
  double enough = 0;    // rows with which teachers would err as --error says
  std::optional<Verdict> verdict = {};
  std::vector<std::string> advice = {};
};
Result<EverlastingForecast> ForecastEverlasting(
    const Settings& settings, const LearnerSpec& spec,
    const EverlastingSchedule::Params& params, const EverlastingPhase& first);

}  // namespace sotto
