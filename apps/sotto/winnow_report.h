#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "winnow_flags.h"
#include "winnow_stream.h"

namespace sotto::app {

// The public numbers of a winnow, for reports.
nlohmann::ordered_json ParametersJson(const PopFlags& common,
                                      const WinnowFlags& flags,
                                      const AnyWinnow& winnow);

// "100 features, margin 0.5, noise 84.5 on each sum of about 127 examples, ..."
std::string InWords(const WinnowFlags& flags, const AnyWinnow& winnow);

// What is expected and proved before any data, and what would change it.
struct WinnowOutlook {
  std::optional<double> bound;
  std::optional<double> expected;
  std::string verdict;
  std::vector<std::string> advice;
};
// For the same parameters as `winnow`. Fails as PlanWinnow.
Result<WinnowOutlook> OutlookOf(const PopFlags& common,
                                const WinnowFlags& flags,
                                const ApproximateDp& share,
                                const AnyWinnow& winnow);

// PrivateWinnow, or with --calibration paper DpWinnow. Fails as they do.
Result<AnyWinnow> MakeWinnow(const PopFlags& common, const WinnowFlags& flags,
                             const ApproximateDp& share);

// The guarantee of all that a run releases: with `whole`, of what was asked
// for, because something else is charged too.
Result<Guarantee> PromisedByWinnow(const PopFlags& common,
                                   const Guarantee& guarantee, bool whole);

// What is said of neighbours and of the hypothesis, beside the guarantee.
std::string WinnowNeighbours(const PopFlags& common);
std::string HypothesisWords();

// The weights with their guarantee inside, for anyone to keep.
std::string HypothesisJson(const WinnowFlags& flags, const WinnowStream& stream,
                           const Guarantee& guarantee, std::uint64_t rounds,
                           bool seeded);

}  // namespace sotto::app
