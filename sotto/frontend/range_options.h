#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/mechanisms/ranges/range_grid.h"
#include "sotto/mechanisms/ranges/range_quantiles.h"
#include "sotto/mechanisms/ranges/range_total.h"
#include "sotto/mechanisms/ranges/running_histogram.h"
#include "sotto/mechanisms/ranges/running_total.h"

namespace sotto {

// Statistics of numbers over a public range: quantile --at, histogram, sum and
// mean. Once, of a file (--data), or after each line of standard input.
inline constexpr std::string_view kRangeQuantileKind = "range-quantile";
inline constexpr std::string_view kHistogramKind = "histogram";
inline constexpr std::string_view kSumKind = "sum";
inline constexpr std::string_view kMeanKind = "mean";

// Options of one of these kinds.
OptionTable RangeOptions(std::string_view kind);

// Parameters for one record, so that a user of --rounds-per-user of them gets
// what was asked for. Fail with kInvalidArgument.
Result<RunningHistogram::Params> RunningHistogramParams(
    const Settings& settings, std::uint64_t default_cells);
Result<RunningTotal::Params> RunningTotalParams(const Settings& settings);

// --range LOW..HIGH with --cells, or the default number of cells.
Result<RangeGrid> MakeGrid(const Settings& settings,
                           std::uint64_t default_cells);

// Reads --data: one number a line, or a column of a csv table with users. Calls
// `add` with NaN for a row without a number, and for a user's rows beyond
// --rounds-per-user. Fails with kInvalidArgument if the file or the column is
// missing; never because of a row.
Status ReadRangeRows(const Settings& settings,
                     const std::function<void(double)>& add);

}  // namespace sotto
