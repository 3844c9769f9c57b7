#include "sotto/run/run_table.h"

#include "sotto/model/shared_options.h"
#include "sotto/run/output_options.h"
#include "sotto/run/reader_options.h"
#include "sotto/session/budget_split.h"

namespace sotto {

OptionTable RunTable(const OnlineRow& row) {
  const OptionTable table = Together(
      {PrivacyOptions(), StreamOptions(), row.options, SessionOptions(),
       ReaderOptions(), StateOptions(), OutputOptions()});
  return row.trains ? Together({table, TrainOption()}) : table;
}

}  // namespace sotto
