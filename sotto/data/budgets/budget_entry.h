#pragma once

#include <string>

#include "sotto/accounting/budget_filter.h"
#include "sotto/accounting/guarantee.h"
#include "sotto/base/json.h"
#include "sotto/base/result.h"

namespace sotto {

// The first line of a budget: whom it is about, and the limit.
struct BudgetHead {
  std::string people;  // the operator's name for them
  BudgetFilter::Params limits;
  std::string time{};  // of its creation, UTC
  std::string id{};    // random digits
};

// One charge: what was released, and its cost for a person whose data are
// replaced.
struct BudgetEntry {
  std::string command;  // "run tide"
  ApproximateDp cost;
  Notion notion = Notion::kDp;
  Adversary adversary = Adversary::kAdaptive;
  std::string group;  // empty: everybody
  std::string note;   // the operator's own words
  std::string time;   // UTC
};

// The cost and notion of a guarantee (budget_filter.md, "Neighbours").
BudgetEntry MakeBudgetEntry(const Guarantee& guarantee);

Json ToJson(const BudgetHead& head);
Json ToJson(const BudgetEntry& entry);
// Fail with kCorruption and name the member.
Result<BudgetHead> BudgetHeadFromJson(const Json& json);
Result<BudgetEntry> BudgetEntryFromJson(const Json& json);

}  // namespace sotto
