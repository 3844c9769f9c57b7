#include "sotto/frontend/line_mechanisms.h"

#include "sotto/accounting/group_privacy.h"
#include "sotto/frontend/fresh_key.h"
#include "sotto/frontend/line_options.h"

namespace sotto {

const OptionTable& CountOptions() {
  static const OptionTable kTable = LineOptions(
      {{.name = "horizon",
        .type = OptionType::kWhole,
        .help = "Maximum number of lines. Default: unknown.",
        .low = 1,
        .common = true},
       {.name = "mechanism",
        .fallback = "auto",
        .help = "Counting mechanism; auto: the smallest proved error.",
        .words = {"auto", "tree", "sqrt", "sparse"},
        .common = true},
       {.name = "expected-events",
        .type = OptionType::kWhole,
        .help = "Public estimate of the final sum.",
        .common = true}});
  return kTable;
}

Result<Counter::Params> CounterParams(const Settings& settings) {
  SOTTO_TRY_ASSIGN(const auto each, PerRound(settings));
  SOTTO_TRY_ASSIGN(const auto mechanism,
                   ParseCounterMechanism(settings.Text("mechanism")));
  return Counter::Params{.epsilon = each.epsilon,
                         .delta = each.delta,
                         .horizon = settings.GetInt("horizon"),
                         .expected_events = settings.GetInt("expected-events"),
                         .mechanism = mechanism};
}

const OptionTable& MonitorOptions() {
  static const OptionTable kTable =
      LineOptions({{.name = "threshold",
                    .type = OptionType::kWhole,
                    .help = "Count at which to answer 'above'.",
                    .low = 1,
                    .high = 0x1p62,
                    .common = true,
                    .required = true},
                   {.name = "horizon",
                    .type = OptionType::kWhole,
                    .help = "Maximum number of lines.",
                    .low = 1,
                    .common = true,
                    .required = true}});
  return kTable;
}

Result<ThresholdMonitor::Params> MonitorParams(const Settings& settings) {
  SOTTO_TRY_ASSIGN(const auto each, PerRound(settings));
  return ThresholdMonitor::Params{
      .epsilon = each.epsilon,
      .threshold = static_cast<std::int64_t>(settings.GetInt("threshold")),
      .horizon = settings.GetInt("horizon")};
}

const OptionTable& QuantileOptions() {
  static const OptionTable kTable = LineOptions(
      {{.name = "horizon",
        .type = OptionType::kWhole,
        .help = "Maximum number of queries.",
        .low = 1,
        .common = true,
        .required = true},
       {.name = "relation",
        .fallback = "replace",
        .help = "Neighbouring data: replace one number, or add-remove one.",
        .words = {"replace", "add-remove"},
        .group = "Privacy"}},
      /*delta_required=*/true);
  return kTable;
}

Result<OnlineThresholds::Params> QuantileParams(const Settings& settings) {
  auto each = PerRound(settings);
  if (each && settings.Text("relation") == "replace") {
    each = PerRoundTarget(*each, 2);
  }
  if (!each) return each.error();
  return OnlineThresholds::Params{.epsilon = each->epsilon,
                                  .delta = each->delta,
                                  .horizon = settings.GetInt("horizon")};
}

Result<Guarantee> QuantilePromise(const Settings& settings,
                                  const Guarantee& guarantee) {
  if (settings.Text("relation") != "replace") return guarantee;
  return ReplaceFromAddRemove(guarantee);
}

Result<Guarantee> UserPromise(const Settings& settings,
                              const Guarantee& guarantee) {
  const std::uint64_t rounds = settings.GetInt("rounds-per-user");
  if (rounds == 1) return guarantee;
  SOTTO_TRY_ASSIGN(auto user, UserLevel(guarantee, rounds));
  if (user.epsilon() > settings.GetDouble("epsilon")) {
    return BudgetExhausted(
        "the records of one user cost more than --epsilon: " + user.Describe());
  }
  return user;
}

Result<Key> LineKey(const Settings& settings, std::string_view kind) {
  SOTTO_TRY_ASSIGN(const auto key, FreshKey(settings.GetOptionalInt("seed")));
  return key.Derive("noise-v1", kind, {settings.ToSavedJson().Dump()});
}

}  // namespace sotto
