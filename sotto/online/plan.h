#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/json.h"
#include "sotto/online/verdict.h"

namespace sotto {

// The assumption behind a plan's expectation: none; a rule of the model's kind
// that is hardly ever wrong, which few real streams have; or such a rule with a
// margin, which is unknown in advance.
enum class ForecastAssumption : std::uint8_t { kNothing, kRule, kMargin };

// The plan of a model. Made before any data is touched.
struct Plan {
  std::string model;  // in a line
  Json parameters;
  Guarantee guarantee;
  std::optional<double> mistakes_expected = {};
  std::optional<double> mistakes_bound = {};
  // The error rate that learning and privacy add to that of the best rule,
  // where the best rule's own cannot be forecast.
  std::optional<double> excess_expected = {};
  ForecastAssumption presumes = ForecastAssumption::kNothing;
  // Rows needed. Batch models only.
  std::optional<double> samples_required = {};
  std::optional<Verdict> verdict = {};    // absent: too few facts were given
  std::vector<std::string> advice = {};   // what would change the verdict
  std::vector<std::string> caveats = {};  // what cannot be forecast
  Json more = Json::Object{};             // further members of the JSON report
  std::string table = {};                 // further lines for people
  double horizon = 0;                     // rounds planned for; 0: unknown
  // From the model's entry: the streams for which a mistake bound is proved,
  // and what the model publishes.
  std::string_view promise = {};
  std::string_view publishes = {};
};

}  // namespace sotto
