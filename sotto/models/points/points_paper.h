#pragma once

#include <string>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/models/points/histogram_point_predictor.h"
#include "sotto/online/plan.h"

namespace sotto {

// Algorithm 3 as plans and reports show it.
//
// Threads: pure functions.
Json PaperPointsParameters(const HistogramPointPredictor& points);
std::string PaperPointsSummary(const HistogramPointPredictor& points);

// Adds the printed and the least numbers for this budget, side by side.
void AddPaperNumbers(const ApproximateDp& round, double constant, Plan& plan);

}  // namespace sotto
