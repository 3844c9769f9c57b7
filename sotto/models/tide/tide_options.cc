#include "sotto/models/tide/tide_options.h"

#include <string_view>

namespace sotto {
namespace {

constexpr std::string_view kLearning = "Learning";
constexpr std::string_view kByHand = "By hand (left out: chosen)";
// Share of all pairs together at the start, if they are on trial.
constexpr double kTrialShare = 0.04;

}  // namespace

const OptionTable& TideOptions() {
  static const OptionTable kTable = {
      {.name = "pairs",
       .fallback = "auto",
       .help = "Weights for pairs of columns. auto, for two labels: on trial, "
               "with as much weight as the releases show them to be worth.",
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

bool TideUsesPairs(const Settings& settings, const InputSpec& inputs) {
  if (settings.Text("pairs") != "auto") return settings.Text("pairs") == "on";
  const Schema* schema = inputs.schema.get();
  return schema != nullptr && schema->columns.size() >= 2 &&
         inputs.label.kind == LabelType::Kind::kTwo;
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
                   .pairs = TideUsesPairs(settings, inputs),
                   .pair_share = settings.Text("pairs") == "auto"
                                     ? kTrialShare
                                     : TideEncoding::kPairShare,
                   .hashed_pairs = settings.Text("pairs") != "auto"},
      .label = inputs.label,
      .clip = settings.GetDouble("clip"),
      .schedule = {.start_rows = settings.GetInt("start-rows"),
                   .batch = settings.GetInt("batch"),
                   .rate = settings.GetDouble("learning-rate"),
                   .memory = settings.GetInt("memory")}};
}

}  // namespace sotto
