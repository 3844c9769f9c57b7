#include "sotto/models/leader/leader_options.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/accounting/rounding.h"

namespace sotto {
namespace {

constexpr std::string_view kLearning = "Learning";
constexpr double kDriftShare = 0.2;
constexpr std::string_view kByHand = "By hand (left out: chosen)";

std::vector<std::string_view> FitNames() {
  std::vector<std::string_view> names;
  for (const FitEntry* entry : Fits()) names.push_back(entry->name);
  return names;
}

// Long enough that most labels come in the block of their round.
std::uint64_t BlockFor(const Settings& settings) {
  constexpr std::uint64_t kShort = 32;
  constexpr std::uint64_t kLong = 1U << 16;
  return std::clamp(4 * settings.GetInt("label-delay"), kShort, kLong);
}

OptionTable OwnOptions() {
  return {{.name = "learner",
           .fallback = "stump",
           .help = "Rule to fit at the end of each epoch.",
           .words = FitNames(),
           .group = kLearning,
           .common = true},
          {.name = "drift",
           .fallback = "none",
           .help = "auto: spend a budget share on watching mistakes, and "
                   "restart epochs after too many.",
           .words = {"none", "auto"},
           .group = kLearning},
          {.name = "features",
           .type = OptionType::kWhole,
           .help = "Number of columns, if the stream does not say.",
           .high = static_cast<double>(FitColumns::kMaxColumns),
           .group = kLearning},
          {.name = "first-epoch",
           .type = OptionType::kWhole,
           .help = "Rounds before the first fit.",
           .low = 1,
           .high = static_cast<double>(LeaderEpochs::kLongest),
           .group = kByHand},
          {.name = "growth",
           .type = OptionType::kReal,
           .help = "Length ratio of consecutive epochs.",
           .low = 1,
           .high = 16,
           .group = kByHand}};
}

}  // namespace

const OptionTable& LeaderOptions() {
  static const OptionTable kTable = [] {
    OptionTable table = ConcatOptions({OwnOptions(), FitOptions()});
    // Fits may share an option.
    for (const FitEntry* entry : Fits()) {
      for (const Option& option : entry->options) {
        if (FindOption(table, option.name) == nullptr) {
          table.push_back(option);
        }
      }
    }
    return table;
  }();
  return kTable;
}

// Places times columns of the longest batch: about 4 GB.
constexpr std::uint64_t kMostCells = std::uint64_t{1} << 28;

Result<PrivateLeader::Params> LeaderParams(const Settings& settings,
                                           const InputSpec& inputs,
                                           const ApproximateDp& share) {
  SOTTO_TRY_ASSIGN(const auto relation,
                   ParseRelation(settings.Text("relation")));
  const FitEntry& entry = *FindFit(settings.Text("learner"));
  SOTTO_TRY_ASSIGN(const auto columns, entry.columns(settings, inputs));
  FitBudget budget{.user = share,
                   .relation = relation,
                   .rounds_per_user = settings.GetInt("rounds-per-user")};
  double drift = 0;
  if (settings.Text("drift") == "auto") {
    drift = DownMul(share.epsilon, kDriftShare);
    budget.user.epsilon = DownAdd(share.epsilon, -drift);
  }
  SOTTO_TRY_ASSIGN(auto fit, entry.create(settings, columns, budget));
  const std::uint64_t longest = kMostCells / columns.all().size();
  const LeaderEpochs epochs = ChooseEpochs(
      *fit,
      {.first = std::min(settings.GetInt("first-epoch"), longest),
       .growth = settings.GetDouble("growth"),
       .longest = longest},
      settings.GetInt("horizon"), settings.GetDouble("label-rate"));
  return PrivateLeader::Params{.fit = std::move(fit),
                               .columns = columns,
                               .budget = budget,
                               .epochs = epochs,
                               .drift_epsilon = drift,
                               .drift_block = BlockFor(settings)};
}

FitLabels GetLabels(const InputSpec& inputs) {
  FitLabels labels;
  if (inputs.schema && inputs.schema->label) {
    labels.column = inputs.schema->label->column;
  }
  if (inputs.label.names.size() == 2) {
    labels.negative = inputs.label.names[0];
    labels.positive = inputs.label.names[1];
  }
  return labels;
}

}  // namespace sotto
