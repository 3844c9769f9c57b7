#include "sotto/frontend/range_options.h"

#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "sotto/data/schemas/schema_facts.h"
#include "sotto/data/streams/columns.h"
#include "sotto/data/streams/input.h"
#include "sotto/data/streams/line_io.h"
#include "sotto/data/streams/table_reader.h"
#include "sotto/frontend/line_options.h"
#include "sotto/online/user_ledger.h"

namespace sotto {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

const OptionTable& SharedOptions() {
  static const OptionTable kTable = {
      {.name = "range",
       .help = "LOW..HIGH, the public range; numbers outside count as its "
               "ends.",
       .common = true,
       .required = true},
      {.name = "data",
       .help = "Private numbers, one per line, answered once. Default: answer "
               "after each line of standard input.",
       .value = "FILE",
       .common = true,
       .kept = false},
      {.name = "column",
       .help = "--data is a csv table: take this column. Users are in the "
               "column user, or --user.",
       .value = "NAME",
       .common = true,
       .kept = false},
      {.name = "user",
       .help = "Column of the user names, with --column.",
       .value = "NAME",
       .kept = false},
      {.name = "horizon",
       .type = OptionType::kWhole,
       .help = "Maximum number of lines, without --data.",
       .low = 1,
       .common = true}};
  return kTable;
}

const OptionTable& CellOptions() {
  static const OptionTable kTable = {{.name = "cells",
                                      .type = OptionType::kWhole,
                                      .help = "Equal cells of the range.",
                                      .low = 1,
                                      .high = 0x1p20,
                                      .common = true}};
  return kTable;
}

const OptionTable& AtOptions() {
  static const OptionTable kTable = {
      {.name = "at",
       .help = "Quantiles over --range, as in 0.5,0.95,0.99.",
       .value = "LIST",
       .common = true,
       .required = true}};
  return kTable;
}

Status ReadLines(const std::string& path,
                 const std::function<void(double)>& add) {
  SOTTO_TRY_ASSIGN(const auto reader,
                   OpenLines(path, {.unpack = NamedGzip(path)}));
  while (const auto line = reader->Next()) {
    add(ParseReal(*line).value_or(kNothing));
  }
  return reader->status();
}

Status ReadTable(const Settings& settings,
                 const std::function<void(double)>& add) {
  SOTTO_TRY_ASSIGN(auto table, TableReader::Open({.path = settings.Text("data"),
                                                  .skip_bad = true,
                                                  .quiet_faults = true,
                                                  .input = {}}));
  const auto column = table.Find(settings.Text("column"));
  if (!column) {
    return InvalidArgument(settings.Text("data") + ": no column '" +
                           settings.Text("column") + "'");
  }
  SOTTO_TRY_ASSIGN(const auto user,
                   FindUserColumn(table.columns(), settings.Text("user"),
                                  settings.Text("column")));
  SOTTO_TRY_ASSIGN(auto ledger,
                   UserLedger::ForTable(settings.GetInt("rounds-per-user")));
  std::span<const std::string_view> fields;
  while (true) {
    SOTTO_TRY_ASSIGN(const bool more, table.Next(fields));
    if (!more) return Ok();
    // A name is charged whatever its row holds.
    const bool admitted = ledger.Admit(user ? table.FieldAt(*user) : "", 0);
    const bool there = admitted && !fields.empty();
    add(there ? ParseReal(fields[*column]).value_or(kNothing) : kNothing);
  }
}

}  // namespace

OptionTable RangeOptions(std::string_view kind) {
  if (kind == kRangeQuantileKind) {
    return LineOptions(
        ConcatOptions({AtOptions(), SharedOptions(), CellOptions()}));
  }
  if (kind == kHistogramKind) {
    return LineOptions(ConcatOptions({SharedOptions(), CellOptions()}));
  }
  return LineOptions(SharedOptions());
}

Result<RangeGrid> MakeGrid(const Settings& settings,
                           std::uint64_t default_cells) {
  const auto range = ParseRange(settings.Text("range"));
  if (!range) return InvalidArgument("--range " + range.error().message);
  std::uint64_t cells = default_cells;
  if (FindOption(settings.table(), "cells") != nullptr) {
    cells = settings.GetOptionalInt("cells").value_or(default_cells);
  }
  return RangeGrid::Create(range->first, range->second, cells);
}

Result<RunningHistogram::Params> RunningHistogramParams(
    const Settings& settings, std::uint64_t default_cells) {
  SOTTO_TRY_ASSIGN(const auto each, PerRound(settings));
  SOTTO_TRY_ASSIGN(const auto grid, MakeGrid(settings, default_cells));
  return RunningHistogram::Params{.epsilon = each.epsilon,
                                  .delta = each.delta,
                                  .horizon = settings.GetInt("horizon"),
                                  .grid = grid};
}

Result<RunningTotal::Params> RunningTotalParams(const Settings& settings) {
  SOTTO_TRY_ASSIGN(const auto each, PerRound(settings));
  SOTTO_TRY_ASSIGN(const auto grid, MakeGrid(settings, 1));
  return RunningTotal::Params{.epsilon = each.epsilon,
                              .horizon = settings.GetInt("horizon"),
                              .low = grid.low(),
                              .high = grid.high()};
}

Status ReadRangeRows(const Settings& settings,
                     const std::function<void(double)>& add) {
  if (settings.Has("column")) return ReadTable(settings, add);
  if (settings.Has("user")) {
    return InvalidArgument("--user goes with --column NAME");
  }
  return ReadLines(settings.Text("data"), add);
}

}  // namespace sotto
