#pragma once

#include "sotto/base/result.h"
#include "sotto/models/fits/private_fit.h"
#include "sotto/online/model_entry.h"
#include "sotto/random/key.h"

namespace sotto {

// A private fit on a table of its own, as `sotto fit` and `sotto plan` have it:
// what BatchModelEntry::fit, check and plan do. Fail as these do.
Result<FitResult> FitTable(const FitEntry& entry, const Settings& settings,
                           const TableSource& source, const Key& key);
Result<TableUse> CheckTable(const FitEntry& entry, const Settings& settings,
                            const TableSource& source);
Result<Plan> PlanFit(const FitEntry& entry, const Settings& settings);

// What a fit promises of a table.
Result<Guarantee> FitGuarantee(const PrivateFit& fit, const FitBudget& budget);

// What only the plan is told.
const OptionTable& FitPlanOptions();

// The rows of the registry for all fits.
const std::vector<const BatchModelEntry*>& FitBatchRows();

}  // namespace sotto
