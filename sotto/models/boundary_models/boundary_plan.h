#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/base/option.h"
#include "sotto/base/settings.h"
#include "sotto/mechanisms/boundaries/boundary_phases.h"
#include "sotto/online/model_entry.h"
#include "sotto/online/online_model.h"

namespace sotto {

// Parts that all entries over boundary sets share.

// --error, --honest-fraction, --training-rows.
const OptionTable& BoundaryOptions();

// Parameters, after those of the model itself; and a summary.
Json BoundaryParameters(const BoundaryPhases& phases, Json own);
// `paper`: phases of the printed lines, which double.
std::string BoundaryInWords(const BoundaryPhases& phases, bool paper = false);
std::vector<std::string> BoundaryCaveats(const BoundaryPhases& phases);

// Forecast over --horizon after --training-rows. Empty if either is missing.
// `extra`: part of the error rate that does not come from boundary sets.
OnlineModel::Forecast BoundaryForecast(const BoundaryPhases& phases,
                                       const Settings& settings,
                                       double extra = 0);

// The plan, but for what the model says of itself: expectation, verdict, rows
// required, advice, and a table of phases. `own` is for BoundaryParameters.
Plan BoundaryPlan(const BoundaryPhases& phases, const Guarantee& guarantee,
                  const Settings& settings, std::string in_words, Json own,
                  double extra = 0, bool paper = false);

}  // namespace sotto
