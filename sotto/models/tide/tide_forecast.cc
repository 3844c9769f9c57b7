#include "sotto/models/tide/tide_forecast.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/number_text.h"

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

Verdict ChooseVerdict(double worth) {
  if (worth < kHopeless) return Verdict::kHopeless;
  return worth < kComfortable ? Verdict::kTight : Verdict::kComfortable;
}

// Rounds times epsilon that a user's one round is worth, as far as labels come.
double ComputeWorth(const Settings& settings) {
  return static_cast<double>(settings.GetInt("horizon")) *
         settings.GetDouble("label-rate") * settings.GetDouble("epsilon") /
         static_cast<double>(settings.GetInt("rounds-per-user"));
}

std::optional<double> ComputeExcess(double worth, const LabelType& label) {
  if (label.kind == LabelType::Kind::kNumber) return std::nullopt;
  const double classes = label.classes();
  return std::min(kExcess / std::sqrt(worth) * (classes / 2), 1 - 1 / classes);
}

}  // namespace

TideForecast ForecastTide(const Settings& settings, const LabelType& label) {
  TideForecast forecast;
  if (settings.GetInt("horizon") == 0) return forecast;
  const double worth = ComputeWorth(settings);
  const auto horizon = static_cast<double>(settings.GetInt("horizon"));
  forecast.verdict = ChooseVerdict(worth);
  forecast.excess = ComputeExcess(worth, label);
  const auto noise = settings.GetOptionalDouble("noise");
  if (noise && forecast.excess) {
    const double most = 1 - 1.0 / label.classes();
    forecast.mistakes = std::min(*noise + *forecast.excess, most) * horizon;
  }
  if (*forecast.verdict == Verdict::kComfortable) return forecast;
  forecast.advice.push_back(
      "about " + WholeWithCommas(kComfortable / worth * horizon) +
      " rounds, or as much more epsilon, would be comfortable");
  return forecast;
}

}  // namespace sotto
