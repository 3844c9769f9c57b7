#pragma once

#include "sotto/accounting/guarantee.h"
#include "sotto/base/json.h"
#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/learners/learner_spec.h"
#include "sotto/models/everlasting/everlasting_plan.h"

namespace sotto {

// What a user may say to an everlasting predictor beside what all models are
// told.
const OptionTable& EverlastingOptions();

// What options say together, where no single one is wrong. Fails with
// kInvalidArgument.
Status CheckEverlasting(const Settings& settings);

// What the planner is asked, with this part of epsilon and delta. Fails with
// kInvalidArgument.
Result<EverlastingRequest> MakeEverlastingRequest(const Settings& settings,
                                                  const LearnerSpec& spec,
                                                  const ApproximateDp& share);

}  // namespace sotto
