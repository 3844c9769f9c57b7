#include "sotto/models/everlasting/everlasting_text.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/number_text.h"
#include "sotto/models/everlasting/everlasting_options.h"

namespace sotto {
namespace {

// Rows the leader needs for the same labels, by the exponential mechanism over
// stumps with a thousand places on each axis.
double LeaderRows(const Settings& settings, const LearnerSpec& spec) {
  constexpr double kPlaces = 2048;
  constexpr double kFailure = 0.05;
  const double axes = std::max<double>(1, spec.features);
  return 2 * std::log(axes * kPlaces / kFailure) /
         (settings.GetDouble("error") * settings.GetDouble("epsilon"));
}

// The labelled rows that would be enough for --error, whatever there are.
Result<double> Enough(const Settings& settings,
                      const EverlastingSchedule::Params& params) {
  EverlastingSchedule::Params wanted = params;
  wanted.shape.teachers = 0;
  wanted.shape.rows =
      RowsForError(params.shape.complexity, settings.GetDouble("error"));
  return LabelledRows(wanted);
}

// By the rows that each teacher gets, of those it should have. Measured: with a
// third of them what one phase gets wrong begins to grow in the next.
Verdict Judge(double rows, double wanted) {
  return VerdictAbove(rows, 0.8 * wanted, 0.35 * wanted);
}

}  // namespace

Json EverlastingParameters(const LearnerSpec& spec,
                           const EverlastingSchedule::Params& params,
                           const EverlastingPhase& first) {
  Json json = Json::Object{
      {"learner", spec.ToText()},
      {"honest_fraction", params.shape.honest},
      {"delta_schedule",
       params.spread == DeltaSpread::kEverlasting ? "everlasting" : "constant"},
      {"teachers", first.teachers},
      {"rows_of_a_teacher", params.shape.rows},
      {"noise_scale", 1 / first.rate},
      {"gap", first.gap},
      {"reports", first.reports},
      {"phase_rounds", first.rounds},
      {"growth", params.shape.growth},
      {"stopper", params.stopper}};
  if (params.shape.paid) json["calibration"] = "paper";
  return json;
}

std::string EverlastingInWords(const LearnerSpec& spec,
                               const EverlastingPhase& first) {
  return "everlasting over " + spec.ToText() + ": " +
         WholeWithCommas(static_cast<double>(first.teachers)) +
         " teachers, noise scale " + WholeWithCommas(1 / first.rate) +
         ", a first phase of " + WithCommas(first.rounds) + " rounds, " +
         (first.paid()
              ? std::string("every one paid for, as printed")
              : "of which about " +
                    WholeWithCommas(static_cast<double>(first.reports)) +
                    " may be paid for");
}

Result<EverlastingForecast> ForecastEverlasting(
    const Settings& settings, const LearnerSpec& spec,
    const EverlastingSchedule::Params& params, const EverlastingPhase& first) {
  // Measured on thresholds: where the noise decides, half of the answers are
  // wrong, and that is about so much of the data.
  constexpr double kNoiseDecides = 1.3;
  const auto teachers = static_cast<double>(first.teachers);
  EverlastingForecast forecast;
  forecast.error =
      std::min(0.5, kNoiseDecides * params.shape.complexity /
                        (first.rate * teachers * params.shape.rows));
  // Every answer is kept, also where teachers agree and noise outvotes them.
  if (first.paid()) {
    forecast.error = std::min(
        0.5, forecast.error + std::exp(-first.rate * teachers / 2) / 2);
  }
  forecast.labelled = teachers * params.shape.rows;
  const auto enough = Enough(settings, params);
  forecast.enough = enough ? *enough : forecast.labelled;
  const auto labelled =
      static_cast<double>(settings.GetOptionalInt("training-rows").value_or(0));
  const auto horizon = static_cast<double>(settings.GetInt("horizon"));
  if (labelled > 0) {
    forecast.verdict = Judge(
        labelled / teachers,
        RowsForError(params.shape.complexity, settings.GetDouble("error")));
  } else if (horizon > 0) {
    forecast.verdict =
        forecast.enough > horizon ? Verdict::kHopeless : Verdict::kTight;
  }
  // With any number of rows, noise decides.
  if (first.paid() && forecast.error > 0.4) {
    forecast.verdict = Verdict::kHopeless;
  }
  if (forecast.verdict != Verdict::kComfortable) {
    forecast.advice.push_back(
        "it starts from labelled rows and needs about " +
        WholeWithCommas(forecast.enough) +
        " of them (--training-rows says how many there are)");
  }
  forecast.advice.push_back(
      "where what was learned may be published, or labels go on coming, leader "
      "needs about " +
      WholeWithCommas(LeaderRows(settings, spec)) + " labelled rows instead");
  return forecast;
}

}  // namespace sotto
