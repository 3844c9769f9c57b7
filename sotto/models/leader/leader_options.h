#pragma once

#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/models/fits/fit_file.h"
#include "sotto/models/leader/private_leader.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// Options of the leader beside those of all models: the fit, its own options,
// and the length of epochs.
const OptionTable& LeaderOptions();

// Parameters by the settings, for one stream. Fails with kInvalidArgument where
// options do not fit together, and as the fit does.
Result<PrivateLeader::Params> LeaderParams(const Settings& settings,
                                           const InputSpec& inputs,
                                           const ApproximateDp& share);

// Names of the labels of a stream.
FitLabels GetLabels(const InputSpec& inputs);

}  // namespace sotto
