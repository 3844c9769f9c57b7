#pragma once

#include <variant>

#include "sotto/base/bytes.h"
#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/models/points/histogram_point_predictor.h"
#include "sotto/models/points/point_predictor.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// Options of points, beside those of all models.
const OptionTable& PointsOptions();

// Ours, or with --calibration paper Algorithm 3 as printed.
using AnyPoints = std::variant<PointPredictor, HistogramPointPredictor>;

// The predictor that the settings ask for, with the budget split. Fails with
// kInvalidArgument where options do not fit together or the budget is too
// small, with kBudgetExhausted where the paper's numbers cost more.
Result<AnyPoints> MakePoints(const Settings& settings,
                             const ApproximateDp& share);
// The saved one; the session compares its guarantee with the budget. Fails as
// the predictor's Load.
Result<AnyPoints> LoadPoints(const Settings& settings, ByteReader& reader);
void SavePoints(const AnyPoints& points, ByteWriter& writer);

// Guarantee for a user.
Result<Guarantee> PointsPromise(const Settings& settings,
                                const AnyPoints& points);

}  // namespace sotto
