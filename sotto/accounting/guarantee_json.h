#pragma once

#include "sotto/accounting/guarantee.h"
#include "sotto/base/json.h"
#include "sotto/base/result.h"

namespace sotto {

// A guarantee as reports, plans and published models carry it: "notion",
// "relation", "unit" ("round" or "record"), "epsilon", "delta", for an
// everlasting one "delta_schedule", "adversary", "rounds_per_user", "protects",
// and "text", a sentence with all of it.
Json ToJson(const Guarantee& guarantee);

// Reads the output of ToJson. "unit" and "text" are optional. Fails with
// kInvalidArgument and names the member.
Result<Guarantee> GuaranteeFromJson(const Json& json);

}  // namespace sotto
