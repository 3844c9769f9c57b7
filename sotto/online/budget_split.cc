#include "sotto/online/budget_split.h"

#include "sotto/online/public_mistakes.h"

namespace sotto {

const OptionTable& SessionOptions() {
  static const OptionTable kTable = {
      {.name = "public",
       .type = OptionType::kFlag,
       .help = "print only what may be shown to anybody: mistakes are counted "
               "privately, for a tenth of the guarantee, and a row that cannot "
               "be used is an empty round"},
      {.name = "compare",
       .type = OptionType::kFlag,
       .help = "also run the plain learner, which is not private, and say how "
               "often it errs"},
      {.name = "threshold",
       .type = OptionType::kReal,
       .help = "predict the positive label from this probability on, instead "
               "of 0.5: public, for rare labels; models with probabilities",
       .high = 1,
       .kept = false},
      {.name = "ticket-rounds",
       .type = OptionType::kWhole,
       .fallback = "1000000",
       .help = "with --live: accept a label for this many rounds after its "
               "own, then drop the round and refuse its label; 0: no limit, "
               "and open rounds are kept",
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
