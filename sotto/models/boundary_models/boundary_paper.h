#pragma once

#include <optional>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/mechanisms/boundaries/boundary_phases.h"
#include "sotto/models/papers/sliced_phases.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// Parts that entries share whose --calibration paper runs RectanglesPERP.

// --constants and --constant.
const OptionTable& SlicedOptions();

// Numbers that the settings ask for; empty without --calibration paper. Fails
// with kInvalidArgument on options that are for the paper's lines only.
Result<std::optional<SlicedNumbers>> ReadSlicedNumbers(
    const Settings& settings);

// Adds rows with the printed and the least numbers for a target, what the
// theorem says, and the rows needed by those in use.
void AddSlicedNumbers(const BoundaryPhases& used, const SlicedNumbers& numbers,
                      Plan& plan);

}  // namespace sotto
