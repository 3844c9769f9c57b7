#pragma once

#include <optional>
#include <string>
#include <string_view>

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

// "practical", "paper, printed" or "paper, least".
std::string CalibrationInWords(const std::optional<SlicedNumbers>& paper);

// Target and numbers that --constants printed, or least, would run with.
struct SlicedRequest {
  BoundaryTarget target;
  SlicedNumbers numbers;
};

// Rows of a plan, side by side, and which of them is in use.
struct SlicedComparison {
  SlicedRequest printed;
  SlicedRequest least;
  std::string_view theorem;
  double error = 0;       // --error
  double other_rows = 0;  // that other parts of the model need
};

// Adds rows with the printed and the least numbers, what the theorem says, and
// the rows needed by `used`, which came from `numbers`.
void AddSlicedNumbers(const BoundaryPhases& used, const SlicedNumbers& numbers,
                      const SlicedComparison& both, Plan& plan);

}  // namespace sotto
