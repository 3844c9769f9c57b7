#pragma once

#include <string_view>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/json.h"
#include "sotto/service/slot_clock.h"
#include "sotto/service/slot_tally.h"

namespace sotto {

// The promise of a model as operators' pages show it: every sentence about
// privacy is written here, none by a page.
//
// {"sentence","suspicion","limit","from_whom","full", "public":[..],
//  "protected":[..],
//  "parts":[{"depth","name","how","epsilon","delta","noise"}],
//  "total_rule":"max"|"sum"|"joint"|"alone"}: of the part that nearly all of
// the budget goes to.
//
// `publishes`: in a few words, or empty. `slots`: the clock is that of groups.
// Everything in it is public.
Json DescribePromise(const Guarantee& guarantee, std::string_view publishes,
                     bool slots = false);

// The guarantee of a model under the clock `slots`: it also protects whether a
// user came (slots.md).
Guarantee CoverAbsence(const Guarantee& guarantee);

// A sentence about the clock `slots`: it hides this, from these.
std::string_view HiddenBySlots();

// The cost of two times at which a user may have come, by way of not having
// come: (2 epsilon, (1 + e^epsilon) delta), rounded up.
ApproximateDp AnotherTime(const Guarantee& guarantee);

// The clock of groups, for the operator:
// {"kind":"slots","rounds","seconds","groups","full_groups","taken",
//  "last_taken","another_time":{"epsilon","delta"},"text","buys","costs"}:
// "text" says how far the promise holds, "buys" and "costs" what the size of a
// group does.
Json DescribeSlots(std::string_view model, const SlotClock& clock,
                   const SlotTally& tally, const Guarantee& guarantee);

}  // namespace sotto
