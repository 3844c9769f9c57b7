#pragma once

#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/models/points/point_predictor.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// What a user may say to points beside what all models are told.
const OptionTable& PointsOptions();

// What the settings mean, with the shares of the budget chosen. Fails with
// kInvalidArgument where options do not fit together or the budget is too
// small.
Result<PointPredictor::Params> PointsParams(const Settings& settings,
                                            const ApproximateDp& share);

// What its user is promised.
Result<Guarantee> PointsPromise(const Settings& settings,
                                const PointPredictor& points);

}  // namespace sotto
