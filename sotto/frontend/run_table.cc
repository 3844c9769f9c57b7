#include "sotto/frontend/run_table.h"

#include "sotto/frontend/output_options.h"
#include "sotto/frontend/reader_options.h"
#include "sotto/online/budget_split.h"
#include "sotto/online/shared_options.h"

namespace sotto {

OptionTable RunTable(const OnlineModelEntry& entry) {
  const OptionTable table = ConcatOptions(
      {PrivacyOptions(), StreamOptions(), entry.options, SessionOptions(),
       ReaderOptions(), StateOptions(), OutputOptions()});
  return entry.needs_training_set ? ConcatOptions({table, TrainOption()})
                                  : table;
}

}  // namespace sotto
