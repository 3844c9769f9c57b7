#pragma once

#include "sotto/accounting/guarantee.h"
#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"

namespace sotto {

// The options of all commands that answer a line with a line: privacy, states,
// and what is printed. Beside them: `more`, and --delta if it is required.
OptionTable LineOptions(const OptionTable& more, bool delta_required = false);

// The (epsilon, delta) one round may cost so that a user of rounds_per_user
// rounds gets what was asked for. Fails with kInvalidArgument.
Result<ApproximateDp> PerRound(const Settings& settings);

// Adds to an error of Create what --rounds-per-user made of epsilon.
Error Explain(const Settings& settings, const ApproximateDp& each, Error error);

// Fails with kInvalidArgument if the mechanism cannot keep what was asked for:
// its delta, samplers included, against --delta, if that is not 0.
Status CheckPromise(const Settings& settings, const Guarantee& guarantee);

}  // namespace sotto
