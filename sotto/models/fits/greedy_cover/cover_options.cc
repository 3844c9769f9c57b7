#include "sotto/models/fits/greedy_cover/cover_options.h"

#include <optional>

#include "sotto/base/rational.h"

namespace sotto {
namespace {

constexpr std::string_view kList = "The list";
constexpr std::string_view kColumns = "Columns";

OptionTable ListOptions() {
  return {{.name = "rules",
           .type = OptionType::kWhole,
           .fallback = "40",
           .help = "Number of rules to draw.",
           .low = 1,
           .high = 100'000,
           .group = kList},
          {.name = "literals",
           .type = OptionType::kWhole,
           .fallback = "1",
           .help = "Maximum number of literals per rule: 1, 2 or 3.",
           .low = 1,
           .high = 3,
           .group = kList},
          {.name = "reward",
           .fallback = "1/5",
           .help = "Value of a correct row relative to a wrong one; 0 gives "
                   "longer, more accurate lists.",
           .group = kList},
          {.name = "bonus",
           .type = OptionType::kReal,
           .help = "Maximum that correct rows add to a rule's score, in nats. "
                   "Default: ln of the number of rules.",
           .high = 1e6,
           .above = true,
           .group = kList},
          {.name = "cap",
           .type = OptionType::kWhole,
           .help = "The same limit as a number of correct rows; with --reward "
                   "2/3 about 4% of the rows.",
           .low = 1,
           .high = 1e15,
           .group = kList},
          {.name = "shares",
           .type = OptionType::kReal,
           .fallback = "0",
           .help = "Budget share, such as 0.1, for releasing how many rows "
                   "each rule catches.",
           .high = 0.9,
           .group = kList}};
}

OptionTable ColumnOptions() {
  return {{.name = "cuts",
           .type = OptionType::kWhole,
           .fallback = "15",
           .help = "Number of cut points in the range of a number.",
           .low = 1,
           .high = 1000,
           .group = kColumns},
          {.name = "buckets",
           .type = OptionType::kWhole,
           .fallback = "32",
           .help = "Hash buckets for categories that the schema does not list.",
           .low = 2,
           .high = 65'536,
           .group = kColumns}};
}

// Scores of a wrong and a right row, as integers.
struct Score {
  std::uint32_t penalty = 1;
  std::uint32_t reward = 0;
};

Result<Score> ParseReward(const std::string& text) {
  if (text == "0") return Score{};
  const auto reward = ParseRational(text);
  if (!reward || reward->denominator() > 100 || reward->numerator() > 100) {
    return InvalidArgument("--reward must be 0 or a fraction such as 1/5");
  }
  return Score{.penalty = static_cast<std::uint32_t>(reward->denominator()),
               .reward = static_cast<std::uint32_t>(reward->numerator())};
}

std::optional<std::int64_t> GetCap(const Settings& settings) {
  const auto cap = settings.GetOptionalInt("cap");
  if (!cap) return std::nullopt;
  return static_cast<std::int64_t>(*cap);
}

}  // namespace

const OptionTable& CoverOptions() {
  static const OptionTable kTable =
      ConcatOptions({ListOptions(), ColumnOptions()});
  return kTable;
}

CoverColumnParams GetCoverColumnParams(const Settings& settings) {
  return {.cuts = static_cast<std::uint32_t>(settings.GetInt("cuts")),
          .buckets = static_cast<std::uint32_t>(settings.GetInt("buckets"))};
}

Result<GreedyCover> CoverLearner(const Settings& settings,
                                 const FitColumns& columns,
                                 const ApproximateDp& share) {
  SOTTO_TRY_ASSIGN(
      auto space, RuleSpace::Create(columns, static_cast<std::uint32_t>(
                                                 settings.GetInt("literals"))));
  SOTTO_TRY_ASSIGN(const auto relation,
                   ParseRelation(settings.Text("relation")));
  SOTTO_TRY_ASSIGN(const auto score, ParseReward(settings.Text("reward")));
  if (score.reward == 0 && (settings.Has("bonus") || settings.Has("cap"))) {
    return InvalidArgument("--bonus and --cap need a --reward above 0");
  }
  if (settings.Has("bonus") && settings.Has("cap")) {
    return InvalidArgument("--bonus and --cap are two names for one thing");
  }
  const bool paper = settings.Text("calibration") == "paper";
  return GreedyCover::Create(
      {.epsilon = share.epsilon,
       .delta = share.delta,
       .relation = relation,
       .calibration = paper ? CoverCalibration::Method::kPaper
                            : CoverCalibration::Method::kExact,
       .rules = static_cast<std::uint32_t>(settings.GetInt("rules")),
       .penalty = score.penalty,
       .reward = score.reward,
       .bonus = settings.GetOptionalDouble("bonus"),
       .cap = GetCap(settings),
       .rows_per_user = settings.GetInt("rounds-per-user"),
       .shares = settings.GetDouble("shares")},
      std::move(space));
}

}  // namespace sotto
