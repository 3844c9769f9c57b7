#include "sotto/models/tide/tide_outlook.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/plan_text.h"

namespace sotto {
namespace {

// Rounds times epsilon, for each round of a user, below which the noise drowns
// what there is to learn, and above which it does not matter much: a judgement,
// no bound.
constexpr double kHopeless = 2000;
constexpr double kComfortable = 20'000;
// What learning and privacy add to the error of the best rule is about this
// over the root of the same product, times half the number of classes: a fit
// to six real streams (docs/real-streams.md).
constexpr double kExcess = 3;

Verdict VerdictOf(double worth) {
  if (worth < kHopeless) return Verdict::kHopeless;
  return worth < kComfortable ? Verdict::kTight : Verdict::kComfortable;
}

// Rounds times epsilon that a user's one round is worth, as far as labels come.
double WorthOf(const Settings& settings) {
  return static_cast<double>(settings.Whole("horizon")) *
         settings.Real("label-rate") * settings.Real("epsilon") /
         static_cast<double>(settings.Whole("rounds-per-user"));
}

std::optional<double> ExcessOf(double worth, const LabelType& label) {
  if (label.kind == LabelType::Kind::kNumber) return std::nullopt;
  const double classes = label.classes();
  return std::min(kExcess / std::sqrt(worth) * (classes / 2), 1 - 1 / classes);
}

}  // namespace

TideOutlook ForetellTide(const Settings& settings, const LabelType& label) {
  TideOutlook outlook;
  if (settings.Whole("horizon") == 0) return outlook;
  const double worth = WorthOf(settings);
  const auto horizon = static_cast<double>(settings.Whole("horizon"));
  outlook.verdict = VerdictOf(worth);
  outlook.excess = ExcessOf(worth, label);
  const auto noise = settings.MaybeReal("noise");
  if (noise && outlook.excess) {
    const double most = 1 - 1.0 / label.classes();
    outlook.mistakes = std::min(*noise + *outlook.excess, most) * horizon;
  }
  if (*outlook.verdict == Verdict::kComfortable) return outlook;
  outlook.advice.push_back(
      "about " + WholeWithCommas(kComfortable / worth * horizon) +
      " rounds, or as much more epsilon, would be comfortable");
  return outlook;
}

}  // namespace sotto
