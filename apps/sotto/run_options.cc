#include "run_options.h"

#include "sotto/model/shared_options.h"
#include "sotto/registry/registry.h"
#include "sotto/run/output_options.h"
#include "sotto/run/reader_options.h"
#include "sotto/session/budget_split.h"

namespace sotto::app {

OptionTable RunOptions(const OnlineRow& row) {
  OptionTable table = Together({PrivacyOptions(), StreamOptions(), row.options,
                                SessionOptions(), ReaderOptions(),
                                StateOptions(), OutputOptions()});
  if (row.trains) table = Together({table, TrainOption()});
  if (FindPublishedModel(row.name) == nullptr) return table;
  return Together({table, HypothesisOption()});
}

}  // namespace sotto::app
