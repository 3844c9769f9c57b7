#pragma once

#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/models/tide/private_tide.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// Options of tide, beside those of all models.
const OptionTable& TideOptions();

// Returns true if there are pairs of columns at the start: as --pairs says or,
// with auto, if there are two columns or more and two labels.
bool TideUsesPairs(const Settings& settings, const InputSpec& inputs);

// Parameters by the settings, for one stream. Fails with kInvalidArgument where
// options do not fit together. The schema of `inputs` must outlive the result.
Result<PrivateTide::Params> TideParams(const Settings& settings,
                                       const InputSpec& inputs,
                                       const ApproximateDp& share);

}  // namespace sotto
