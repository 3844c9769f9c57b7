#include "sotto/models/tide/tide_options.h"

#include <string_view>

namespace sotto {
namespace {

constexpr std::string_view kLearning = "Learning";
constexpr std::string_view kByHand = "By hand (left out: chosen)";
// Rounds times epsilon from which pairs pay, on streams where they matter.
constexpr double kRoundsForPairs = 2e5;

}  // namespace

const OptionTable& TideOptions() {
  static const OptionTable kTable = {
      {.name = "pairs",
       .fallback = "auto",
       .help = "Weights for pairs of columns. auto: if horizon times epsilon "
               "is at least 200,000.",
       .words = {"auto", "on", "off"},
       .group = kLearning},
      {.name = "max-nonzeros",
       .type = OptionType::kWhole,
       .fallback = "256",
       .help = "Use at most N values of a row. Without a schema only.",
       .low = 1,
       .high = 65'536,
       .group = kLearning},
      {.name = "clip",
       .type = OptionType::kReal,
       .help = "Limit on one row's error; for numbers, smaller is closer to "
               "the median.",
       .low = kTideLeastClip,
       .high = 0.5,
       .group = kByHand},
      {.name = "start-rows",
       .type = OptionType::kWhole,
       .help = "Rounds before the first release.",
       .low = 1,
       .high = static_cast<double>(kTideMostRounds),
       .group = kByHand},
      {.name = "batch",
       .type = OptionType::kWhole,
       .help = "Rounds between later releases.",
       .low = 1,
       .high = static_cast<double>(kTideMostRounds),
       .group = kByHand},
      {.name = "learning-rate",
       .type = OptionType::kReal,
       .help = "Step size per row.",
       .high = 64,
       .above = true,
       .group = kByHand},
      {.name = "memory",
       .type = OptionType::kWhole,
       .help = "Number of releases over which noise is correlated.",
       .low = 2,
       .high = static_cast<double>(TideFilter::kMaxMemory),
       .group = kByHand}};
  return kTable;
}

bool TideUsesPairs(const Settings& settings, const Schema* schema) {
  if (settings.Text("pairs") != "auto") return settings.Text("pairs") == "on";
  if (schema == nullptr || schema->columns.size() < 2) return false;
  const auto horizon = static_cast<double>(settings.GetInt("horizon"));
  const auto rounds = static_cast<double>(settings.GetInt("rounds-per-user"));
  return horizon * settings.GetDouble("epsilon") / rounds >= kRoundsForPairs;
}

Result<PrivateTide::Params> TideParams(const Settings& settings,
                                       const InputSpec& inputs,
                                       const ApproximateDp& share) {
  if (settings.Text("calibration") == "paper") {
    return InvalidArgument(
        "tide has no paper's constants: leave --calibration out");
  }
  return PrivateTide::Params{
      .epsilon = share.epsilon,
      .delta = share.delta,
      .relation = settings.Text("relation") == "add-remove"
                      ? Relation::kAddRemove
                      : Relation::kReplace,
      .rounds_per_user = settings.GetInt("rounds-per-user"),
      .encoding = {.schema = inputs.schema.get(),
                   .features = inputs.features,
                   .max_nonzeros = static_cast<std::uint32_t>(
                       settings.GetInt("max-nonzeros")),
                   .pairs = TideUsesPairs(settings, inputs.schema.get())},
      .label = inputs.label,
      .clip = settings.GetDouble("clip"),
      .schedule = {.start_rows = settings.GetInt("start-rows"),
                   .batch = settings.GetInt("batch"),
                   .rate = settings.GetDouble("learning-rate"),
                   .memory = settings.GetInt("memory")}};
}

}  // namespace sotto
