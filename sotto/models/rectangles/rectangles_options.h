#pragma once

#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/models/rectangles/rectangles_predictor.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// What a user may say to predictors of boxes beside what all models are told.
const OptionTable& RectanglesOptions();

// What the settings mean. Fails with kInvalidArgument if the stream has too
// many features for a box.
Result<RectanglesParams> MakeRectanglesParams(const Settings& settings,
                                              const InputSpec& inputs,
                                              const ApproximateDp& share);

}  // namespace sotto
