#include "sotto/models/fits/auto_fit.h"
#include "sotto/models/fits/finite_fit.h"
#include "sotto/models/fits/fit_table.h"
#include "sotto/models/fits/interval_fit.h"
#include "sotto/models/fits/list_fit.h"
#include "sotto/models/fits/private_fit.h"
#include "sotto/models/fits/stump_fit.h"
#include "sotto/models/fits/tree_fit.h"

namespace sotto {
namespace {

template <const FitRow& (*Row)()>
const BatchRow& BatchRowOf() {
  static const BatchRow kRow = {
      .name = Row().name,
      .help = Row().help,
      .example = Row().example,
      .options = Together({FitOptions(), Row().options}),
      .publishes = "a rule",
      .plan = [](const Settings& settings) { return PlanFit(Row(), settings); },
      .fit =
          [](const Settings& settings, const TableSource& source,
             const Key& key) { return FitTable(Row(), settings, source, key); },
      .plan_options = FitPlanOptions()};
  return kRow;
}

// The list of fits: one entry each.
template <const FitRow& (*... Rows)()>
struct List {
  static std::vector<const FitRow*> Fits() { return {&Rows()...}; }
  static std::vector<const BatchRow*> Batches() {
    return {&BatchRowOf<Rows>()...};
  }
};
using All =
    List<ThresholdRow, IntervalRow, StumpRow, TreeRow, ListRow, FiniteRow>;

}  // namespace

const std::vector<const FitRow*>& Fits() {
  static const std::vector<const FitRow*> kRows = [] {
    std::vector<const FitRow*> rows = All::Fits();
    rows.push_back(&AutoRow());  // no batch model
    return rows;
  }();
  return kRows;
}

const std::vector<const BatchRow*>& FitBatchRows() {
  static const std::vector<const BatchRow*> kRows = All::Batches();
  return kRows;
}

const FitRow* FindFit(std::string_view name) {
  for (const FitRow* row : Fits()) {
    if (row->name == name) return row;
  }
  return nullptr;
}

}  // namespace sotto
