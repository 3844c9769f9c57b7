#include "sotto/frontend/run_table.h"

#include "sotto/frontend/output_options.h"
#include "sotto/frontend/reader_options.h"
#include "sotto/online/session.h"

namespace sotto {

OptionTable RunTable(const OnlineModelEntry& entry) {
  const OptionTable table =
      ConcatOptions({Session::Options(entry), ReaderOptions(), StateOptions(),
                     OutputOptions()});
  return entry.needs_training_set ? ConcatOptions({table, TrainOption()})
                                  : table;
}

}  // namespace sotto
