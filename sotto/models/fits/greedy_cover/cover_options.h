#pragma once

#include "sotto/accounting/guarantee.h"
#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/models/fits/greedy_cover/cover_columns.h"
#include "sotto/models/fits/greedy_cover/greedy_cover.h"

namespace sotto {

// Options of lists beside those that all models share.
const OptionTable& CoverOptions();

CoverColumnParams GetCoverColumnParams(const Settings& settings);
// The learner for these settings and this part of the budget. Fails with
// kInvalidArgument.
Result<GreedyCover> CoverLearner(const Settings& settings,
                                 const FitColumns& columns,
                                 const ApproximateDp& share);

}  // namespace sotto
