#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sotto/base/json.h"
#include "sotto/data/budgets/budget_file.h"

namespace sotto {

// A budget for people and for programs: the limit, the sum that was spent, what
// is left for each group, and each charge.
std::string BudgetText(const BudgetFile& record);
Json BudgetJson(const BudgetFile& record);

// The least epsilon at the limit's delta for these charges, if they had all
// been fixed in advance; absent where no bound was certified. It is no larger
// than their sum.
std::optional<double> FixedInAdvance(const BudgetFile& record,
                                     std::string_view group);

}  // namespace sotto
