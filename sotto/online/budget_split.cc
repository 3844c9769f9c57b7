#include "sotto/online/budget_split.h"

#include "sotto/online/public_mistakes.h"

namespace sotto {

const OptionTable& SessionOptions() {
  static const OptionTable kTable = {
      {.name = "public",
       .type = OptionType::kFlag,
       .help = "Print only what is safe to publish. Spends 10% of the budget "
               "on counting mistakes.",
       .group = "Output",
       .common = true},
      {.name = "compare",
       .type = OptionType::kFlag,
       .help = "Also run the same learner without privacy. Operator only.",
       .group = "Output"},
      {.name = "threshold",
       .type = OptionType::kReal,
       .help = "Predict the positive label from this probability on, for rare "
               "labels. Public. Default: 0.5.",
       .high = 1,
       .group = "Output",
       .kept = false},
      {.name = "ticket-rounds",
       .type = OptionType::kWhole,
       .fallback = "1000000",
       .help = "Accept a label for N rounds after its own, then drop the "
               "round; 0: no limit.",
       .high = 1e18}};
  return kTable;
}

Result<BudgetSplit> SplitBudget(const Settings& settings,
                                const LabelType& label) {
  const ApproximateDp whole{settings.GetDouble("epsilon"),
                            settings.GetDouble("delta")};
  if (!settings.Flag("public")) return BudgetSplit{whole, whole};
  if (settings.GetInt("rounds-per-user") > 1) {
    return InvalidArgument(
        "--public is for users with one round each, not for "
        "--rounds-per-user above 1");
  }
  if (settings.Flag("compare")) {
    return InvalidArgument(
        "--compare shows exact mistakes, which --public must not");
  }
  if (!PublicMistakes::CanCount(label)) return BudgetSplit{whole, whole};
  SOTTO_TRY_ASSIGN(const auto shares, ShareWithMistakes(whole));
  return BudgetSplit{whole, shares.model, shares.mistakes};
}

}  // namespace sotto
