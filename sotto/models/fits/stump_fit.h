#pragma once

#include <memory>

#include "sotto/base/result.h"
#include "sotto/models/fits/private_fit.h"
#include "sotto/models/fits/split_scan.h"

namespace sotto {

// The best single question, by the exponential mechanism, exactly: a threshold
// of a number, a value of a category, or a constant, with either label; all
// columns in one draw.
//
// Guarantee: epsilon-DP, delta = 0.
// Proof:     split_scan.md.
// Fails as RowRate does.
Result<std::unique_ptr<PrivateFit>> MakeStumpFit(const FitColumns& columns,
                                                 const FitBudget& budget);

const FitEntry& ThresholdEntry();  // of one column
const FitEntry& StumpEntry();      // of all

// All columns of the inputs, with --range.
Result<FitColumns> AllColumns(const Settings& settings,
                              const InputSpec& inputs);
// The one column that --column names, or the first number.
Result<FitColumns> OneNumber(const Settings& settings, const InputSpec& inputs);
const Option& ColumnOption();

}  // namespace sotto
