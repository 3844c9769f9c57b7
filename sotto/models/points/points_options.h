#pragma once

#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/models/points/point_predictor.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// Options of points, beside those of all models.
const OptionTable& PointsOptions();

// Parameters by the settings, with the budget split. Fails with
// kInvalidArgument where options do not fit together or the budget is too
// small.
Result<PointPredictor::Params> PointsParams(const Settings& settings,
                                            const ApproximateDp& share);

// Guarantee for a user.
Result<Guarantee> PointsPromise(const Settings& settings,
                                const PointPredictor& points);

}  // namespace sotto
