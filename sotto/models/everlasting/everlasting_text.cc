#include "sotto/models/everlasting/everlasting_text.h"

#include <algorithm>
#include <cmath>

#include "sotto/base/number_text.h"
#include "sotto/models/everlasting/everlasting_options.h"
#include "sotto/models/everlasting/everlasting_sizes.h"

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
    forecast.error += std::exp(-first.rate * teachers / 2) / 2;
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

std::string PrintedInWords(const Settings& settings,
                           const EverlastingSchedule::Params& params,
                           double labelled) {
  const double chunk = std::ceil(
      RowsForError(params.shape.complexity, settings.GetDouble("error")));
  const double chunks = std::max(1.0, std::floor(labelled / chunk));
  const double queries =
      std::ceil(std::pow(settings.GetDouble("epsilon") * chunks, 2));
  std::string words = WholeWithCommas(chunks) + " teachers of " +
                      WholeWithCommas(chunk) + " rows for " +
                      WholeWithCommas(queries) + " queries";
  const auto rounds = static_cast<std::uint64_t>(std::min(queries, 0x1p40));
  const auto rate = LargestVoteRate({.epsilon = settings.GetDouble("epsilon"),
                                     .delta = settings.GetDouble("delta") / 4,
                                     .shape = {.paid = true}},
                                    0, std::max<std::uint64_t>(1, rounds));
  if (!rate) return words + ", for which no noise is enough";
  return words + ", which need noise of scale " + WholeWithCommas(1 / *rate);
}

}  // namespace sotto
