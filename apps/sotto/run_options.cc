#include "run_options.h"

#include "sotto/frontend/output_options.h"
#include "sotto/frontend/run_table.h"
#include "sotto/models/registry/registry.h"

namespace sotto::app {

OptionTable RunOptions(const OnlineRow& row) {
  OptionTable table = RunTable(row);
  if (FindPublishedModel(row.name) == nullptr) return table;
  return Together({table, HypothesisOption()});
}

}  // namespace sotto::app
