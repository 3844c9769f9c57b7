#pragma once

#include <string_view>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/json.h"

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
// `publishes`: in a few words, or empty. Everything in it is public.
Json DescribePromise(const Guarantee& guarantee, std::string_view publishes);

}  // namespace sotto
