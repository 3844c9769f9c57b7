#include "run_options.h"

#include "sotto/registry/registry.h"
#include "sotto/run/output_options.h"
#include "sotto/run/run_table.h"

namespace sotto::app {

OptionTable RunOptions(const OnlineRow& row) {
  OptionTable table = RunTable(row);
  if (FindPublishedModel(row.name) == nullptr) return table;
  return Together({table, HypothesisOption()});
}

}  // namespace sotto::app
