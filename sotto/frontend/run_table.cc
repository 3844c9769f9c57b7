#include "sotto/frontend/run_table.h"

#include "sotto/frontend/output_options.h"
#include "sotto/frontend/reader_options.h"
#include "sotto/online/budget_split.h"
#include "sotto/online/shared_options.h"

namespace sotto {

OptionTable RunTable(const OnlineRow& row) {
  const OptionTable table = Together(
      {PrivacyOptions(), StreamOptions(), row.options, SessionOptions(),
       ReaderOptions(), StateOptions(), OutputOptions()});
  return row.trains ? Together({table, TrainOption()}) : table;
}

}  // namespace sotto
