#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/base/settings.h"
#include "sotto/models/winnow/winnow_request.h"
#include "sotto/online/verdict.h"

namespace sotto {

// Winnow's numbers, all of them public, for reports and for people.

Json WinnowParameters(const Settings& settings, std::uint32_t features,
                      const AnyWinnow& winnow);

// "winnow: 100 features, margin 0.5, noise 84.5 on each sum of about 127
// examples, ..."
std::string Summary(const Settings& settings, std::uint32_t features,
                    const AnyWinnow& winnow);

// Sentences under the guarantee: who is a neighbour, and what is public.
std::vector<std::string> WinnowCaveats(const Settings& settings);

// Sentences about the limits of the expected mistakes, for plans. `said` is
// without what was filled in from the schema.
std::vector<std::string> WinnowCaveats(const Settings& said,
                                       const Settings& settings,
                                       std::uint32_t features);

// Mistakes expected and proved before any data, and what would change them.
struct WinnowForecast {
  // With probability 1 - failure (of the parameters), if the margin holds.
  std::optional<double> bound = {};
  double expected = 0;
  Verdict verdict = Verdict::kHopeless;
  std::vector<std::string> advice = {};
};
// For the same parameters as `winnow`. Fails as PlanWinnow.
Result<WinnowForecast> MakeForecast(const Settings& settings,
                                    std::uint32_t features,
                                    const ApproximateDp& share,
                                    const AnyWinnow& winnow);

}  // namespace sotto
