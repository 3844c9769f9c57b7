#include "sotto/models/fits/auto_fit.h"
#include "sotto/models/fits/finite_fit.h"
#include "sotto/models/fits/fit_table.h"
#include "sotto/models/fits/greedy_cover/greedy_cover_entry.h"
#include "sotto/models/fits/interval_fit.h"
#include "sotto/models/fits/list_fit.h"
#include "sotto/models/fits/private_fit.h"
#include "sotto/models/fits/published_fit.h"
#include "sotto/models/fits/stump_fit.h"
#include "sotto/models/fits/tree_fit.h"

namespace sotto {
namespace {

template <const FitEntry& (*Entry)()>
const BatchModelEntry& GetBatchEntry() {
  static const ModelFileFormat kFile = {
      .name = Entry().name, .show = ShowFit, .read = ReadFit};
  static const BatchModelEntry kEntry = [] {
    BatchModelEntry entry = MakeBatchEntry<Entry>("a rule", kFile);
    entry.options = ConcatOptions({FitOptions(), entry.options});
    return entry;
  }();
  return kEntry;
}

// The list of fits: one entry each.
template <const FitEntry& (*... Entries)()>
struct List {
  static std::vector<const FitEntry*> Fits() { return {&Entries()...}; }
  static std::vector<const BatchModelEntry*> Batches() {
    return {&GreedyCoverEntry(), &GetBatchEntry<Entries>()...};
  }
};
using All = List<ThresholdEntry, IntervalEntry, StumpEntry, TreeEntry,
                 ListEntry, FiniteEntry>;

}  // namespace

const std::vector<const FitEntry*>& Fits() {
  static const std::vector<const FitEntry*> kEntries = [] {
    std::vector<const FitEntry*> entries = All::Fits();
    entries.push_back(&AutoEntry());  // no batch model
    return entries;
  }();
  return kEntries;
}

const std::vector<const BatchModelEntry*>& FitBatchRows() {
  static const std::vector<const BatchModelEntry*> kEntries = All::Batches();
  return kEntries;
}

const FitEntry* FindFit(std::string_view name) {
  for (const FitEntry* entry : Fits()) {
    if (entry->name == name) return entry;
  }
  return nullptr;
}

}  // namespace sotto
