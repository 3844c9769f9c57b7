#pragma once

#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/models/tide/private_tide.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// What a user may say to Tide beside what all models are told.
const OptionTable& TideOptions();

// Whether pairs of columns are used: as --pairs says, or, left to itself, where
// there are rounds enough for so many weights.
bool TideUsesPairs(const Settings& settings, const Schema* schema);

// What the settings mean for a stream. Fails with kInvalidArgument where
// options do not fit together. The schema of `inputs` must outlive the result.
Result<PrivateTide::Params> TideParams(const Settings& settings,
                                       const InputSpec& inputs,
                                       const ApproximateDp& share);

}  // namespace sotto
