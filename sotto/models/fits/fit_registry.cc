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

template <const FitEntry& (*Row)()>
const BatchModelEntry& GetBatchEntry() {
  static const BatchModelEntry kRow = {
      .name = Row().name,
      .help = Row().help,
      .example = Row().example,
      .options = ConcatOptions({FitOptions(), Row().options}),
      .publishes = "a rule",
      .plan = [](const Settings& settings) { return PlanFit(Row(), settings); },
      .fit =
          [](const Settings& settings, const TableSource& source,
             const Key& key) { return FitTable(Row(), settings, source, key); },
      .check =
          [](const Settings& settings, const TableSource& source) {
            return CheckTable(Row(), settings, source);
          },
      .plan_options = FitPlanOptions()};
  return kRow;
}

// The list of fits: one entry each.
template <const FitEntry& (*... Rows)()>
struct List {
  static std::vector<const FitEntry*> Fits() { return {&Rows()...}; }
  static std::vector<const BatchModelEntry*> Batches() {
    return {&GetBatchEntry<Rows>()...};
  }
};
using All = List<ThresholdEntry, IntervalEntry, StumpEntry, TreeEntry,
                 ListEntry, FiniteEntry>;

}  // namespace

const std::vector<const FitEntry*>& Fits() {
  static const std::vector<const FitEntry*> kRows = [] {
    std::vector<const FitEntry*> rows = All::Fits();
    rows.push_back(&AutoEntry());  // no batch model
    return rows;
  }();
  return kRows;
}

const std::vector<const BatchModelEntry*>& FitBatchRows() {
  static const std::vector<const BatchModelEntry*> kRows = All::Batches();
  return kRows;
}

const FitEntry* FindFit(std::string_view name) {
  for (const FitEntry* entry : Fits()) {
    if (entry->name == name) return entry;
  }
  return nullptr;
}

}  // namespace sotto
