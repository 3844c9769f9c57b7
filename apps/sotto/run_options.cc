#include "run_options.h"

#include "sotto/frontend/budget_options.h"
#include "sotto/frontend/output_options.h"
#include "sotto/frontend/reader_options.h"
#include "sotto/frontend/run_table.h"
#include "sotto/models/registry/registry.h"

namespace sotto::app {

OptionTable RunOptions(const OnlineModelEntry& entry) {
  OptionTable table =
      ConcatOptions({RunTable(entry), StrictOption(), BudgetOptions()});
  if (FindPublishedModel(entry.name) == nullptr) return table;
  return ConcatOptions({table, HypothesisOption()});
}

}  // namespace sotto::app
