#pragma once

#include "sotto/base/result.h"
#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/models/fits/private_fit.h"
#include "sotto/online/model_entry.h"
#include "sotto/random/key.h"

namespace sotto {

// A private fit on a table, for `sotto fit` and `sotto plan`: the functions of
// a BatchModelEntry. Fail as these do.
Result<FitResult> FitTable(const FitEntry& entry, const Settings& settings,
                           const TableSource& source, const Key& key);
Result<TableUse> CheckTable(const FitEntry& entry, const Settings& settings,
                            const TableSource& source);
Result<Plan> PlanFit(const FitEntry& entry, const Settings& settings);

// The guarantee of a fit on a table.
Result<Guarantee> FitGuarantee(const PrivateFit& fit, const FitBudget& budget);

// Options of the plan alone.
const OptionTable& FitPlanOptions();

// The registry entries of all fits.
const std::vector<const BatchModelEntry*>& FitBatchRows();

}  // namespace sotto
