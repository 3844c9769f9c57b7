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

// Options of the plan alone; and those that no plan is without, --rows and
// --error.
const OptionTable& FitPlanOptions();
const OptionTable& RowPlanOptions();

// The registry entry of a fit. Callers change what they plan otherwise.
template <const FitEntry& (*Entry)()>
BatchModelEntry MakeBatchEntry(std::string_view publishes,
                               const ModelFileFormat& file) {
  return {
      .name = Entry().name,
      .help = Entry().help,
      .example = Entry().example,
      .options = Entry().options,
      .publishes = publishes,
      .plan =
          [](const Settings& settings) { return PlanFit(Entry(), settings); },
      .fit =
          [](const Settings& settings, const TableSource& source,
             const Key& key) {
            return FitTable(Entry(), settings, source, key);
          },
      .check =
          [](const Settings& settings, const TableSource& source) {
            return CheckTable(Entry(), settings, source);
          },
      .plan_options = FitPlanOptions(),
      .file = &file};
}

// The registry entries of all fits.
const std::vector<const BatchModelEntry*>& FitBatchRows();

}  // namespace sotto
