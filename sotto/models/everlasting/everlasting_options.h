#pragma once

#include "sotto/accounting/guarantee.h"
#include "sotto/base/json.h"
#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/learners/learner_spec.h"
#include "sotto/models/everlasting/everlasting_plan.h"

namespace sotto {

// Options of everlasting, beside those of all models.
const OptionTable& EverlastingOptions();

// Checks options that are right one by one and may contradict each other.
// Fails with kInvalidArgument.
Status CheckEverlasting(const Settings& settings);

// Request to the planner, with this part of epsilon and delta. Fails with
// kInvalidArgument.
Result<EverlastingRequest> MakeEverlastingRequest(const Settings& settings,
                                                  const LearnerSpec& spec,
                                                  const ApproximateDp& share);

}  // namespace sotto
