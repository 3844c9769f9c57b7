#pragma once

#include <string_view>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/mechanisms/counters/counter.h"
#include "sotto/mechanisms/ranks/online_thresholds.h"
#include "sotto/mechanisms/thresholds/threshold_monitor.h"
#include "sotto/random/key.h"

namespace sotto {

// The options and parameters of a running count, a monitor and private ranks:
// the same for the commands and for every other way to have one.
//
//   Settings settings(CountOptions());
//   auto params = CounterParams(settings);
//   auto counter = Counter::Create(*params);
//
// The Params are those of one record, so that a user of --rounds-per-user of
// them gets what was asked for. Fail with kInvalidArgument.
//
// Threads: pure functions.
inline constexpr std::string_view kCountKind = "count";
inline constexpr std::string_view kMonitorKind = "monitor";
inline constexpr std::string_view kQuantileKind = "quantile";

const OptionTable& CountOptions();
Result<Counter::Params> CounterParams(const Settings& settings);

const OptionTable& MonitorOptions();
Result<ThresholdMonitor::Params> MonitorParams(const Settings& settings);

// Without where the numbers are. One record added or removed is what the
// mechanism is calibrated for; with --relation replace, two of them.
const OptionTable& QuantileOptions();
Result<OnlineThresholds::Params> QuantileParams(const Settings& settings);
// The guarantee in the relation that was asked for.
Result<Guarantee> QuantilePromise(const Settings& settings,
                                  const Guarantee& guarantee);

// The guarantee of one record for users of --rounds-per-user of them.
Result<Guarantee> UserPromise(const Settings& settings,
                              const Guarantee& guarantee);

// The key of the noise: of the system's, or of --seed, which is then the same
// wherever the same settings are used.
Result<Key> LineKey(const Settings& settings, std::string_view kind);

}  // namespace sotto
