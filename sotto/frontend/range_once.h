#pragma once

#include <string>
#include <string_view>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"

namespace sotto {

// The answer of a statistic over a public range that is given once.
struct RangeAnswer {
  std::string text;   // lines for people and scripts
  Json json;          // without the guarantee
  std::string error;  // how far it may be off, a sentence
  Guarantee guarantee;
};

// Charges --budget, reads --data and releases the statistic of this kind
// (range_options.h). Fails with kInvalidArgument, or as the budget does.
Result<RangeAnswer> AnswerOnce(const Settings& settings, std::string_view kind);

}  // namespace sotto
