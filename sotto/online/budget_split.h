#pragma once

#include <optional>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/label.h"
#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"

namespace sotto {

// The options that a session takes beside its model's: --public, --compare,
// --ticket-rounds.
const OptionTable& SessionOptions();

// How a session shares out the guarantee that was asked for: all of it to the
// model, or a tenth to the private count of mistakes that --public shows.
struct BudgetSplit {
  ApproximateDp whole;
  ApproximateDp model;
  std::optional<ApproximateDp> mistakes = {};
};

// Fails with kInvalidArgument if --public is not available: for users with
// several rounds (public_mistakes.md proves it for one), with --compare (whose
// mistakes are exact), or without epsilon and delta to share. Labels that are
// numbers have no such count, and the model gets the whole budget.
Result<BudgetSplit> SplitBudget(const Settings& settings,
                                const LabelType& label);

}  // namespace sotto
