#pragma once

#include "sotto/accounting/guarantee.h"
#include "sotto/base/json.h"
#include "sotto/base/result.h"

namespace sotto {

// A guarantee as reports, plans and published models carry it: "notion",
// "relation", "unit" ("round" or "record"), "epsilon", "delta", for an
// everlasting one "delta_schedule", "adversary", "rounds_per_user", "protects",
// and all of it in a sentence, "text".
Json ToJson(const Guarantee& guarantee);

// What ToJson made; "unit" and "text" may be missing. Fails with
// kInvalidArgument and names the member.
Result<Guarantee> GuaranteeFromJson(const Json& json);

}  // namespace sotto
