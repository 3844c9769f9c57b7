#pragma once

#include <string>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/data/budgets/budget_file.h"

namespace sotto {

// --budget and --group, for every command that spends.
const OptionTable& BudgetOptions();

// Fails with kInvalidArgument if --budget was said with --seed or --load, or
// --group without it; and as BudgetFile::Read does. Call it first.
Status CheckBudget(const Settings& settings);
// Charges the guarantee to the file of --budget, if it was said. Call it when
// all else is checked, before any data is read. Start nothing if it fails.
Status ChargeBudget(const Settings& settings, const Guarantee& guarantee,
                    const std::string& command);

// The same for a mechanism whose guarantee is known only with the table: its
// --epsilon and --delta are charged before the table is read, which the
// guarantee does not exceed. Settle charges the difference if it does.
//
//   BudgetRequest request(settings, "fit tree");
//   SOTTO_TRY(request.Charge());
//   auto fitted = entry.fit(...);
//   SOTTO_TRY(request.Settle(fitted->guarantee));   // before it is published
class BudgetRequest {
 public:
  BudgetRequest(const Settings& settings, std::string command)
      : settings_(settings), command_(std::move(command)) {}
  Status Charge();
  Status Settle(const Guarantee& guarantee);

 private:
  Result<Guarantee> Make(const ApproximateDp& cost, Relation relation) const;

  const Settings& settings_;
  std::string command_;
  ApproximateDp charged_;
};

}  // namespace sotto
