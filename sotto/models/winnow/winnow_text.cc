#include "sotto/models/winnow/winnow_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "sotto/base/number_text.h"
#include "sotto/models/winnow/winnow_plan.h"

namespace sotto {
namespace {

void AddParameters(const PrivateWinnow& winnow, Json& json) {
  const WinnowNoise& noise = winnow.noise();
  const WinnowSetting& setting = winnow.setting();
  json["noise"] = noise.sigma;
  json["threshold"] = setting.threshold;
  json["max_norm"] = std::ldexp(
      std::sqrt(static_cast<double>(noise.norm_squared)), -noise.scale_bits);
  json["unit"] = std::ldexp(1.0, -noise.scale_bits);
  json["stopper"] = noise.stopper_epsilon;
  json["batch"] = winnow.step().batch;
  json["learning_rate"] = winnow.step().learning_rate;
  json["confidence"] = setting.confidence;
}

void AddParameters(const DpWinnow& winnow, Json& json) {
  const DpWinnow::Constants& k = winnow.constants();
  json["samples"] = k.samples;
  json["updates"] = k.updates;
  json["limit"] = k.limit;
  json["stopper"] = k.stopper_epsilon;
  json["learning_rate"] = k.learning_rate;
  json["confidence"] = k.confidence;
}

// The published form updates after `limit` mistakes, if there are that many.
WinnowForecast PaperForecast(const DpWinnow::Constants& k, double horizon) {
  WinnowForecast forecast;
  if (k.mistakes < horizon) forecast.bound = k.mistakes;
  forecast.expected = std::min(k.mistakes, horizon / 2);
  const bool learns = static_cast<double>(k.limit) < horizon / 2;
  forecast.verdict = learns ? Verdict::kTight : Verdict::kHopeless;
  forecast.advice.push_back(
      learns ? "--calibration practical errs far less"
             : "the published constants change nothing before " +
                   WithCommas(static_cast<std::uint64_t>(k.limit)) +
                   " mistakes; --calibration practical does");
  return forecast;
}

std::string Chosen(double margin, const PrivateWinnow& winnow) {
  std::array<char, 200> text;
  std::snprintf(text.data(), text.size(),
                "margin %g, noise %.4g on each sum of about %lld examples, "
                "learning rate %.3g, Stopper epsilon %.3g",
                margin, winnow.noise().sigma,
                static_cast<long long>(winnow.step().batch),
                winnow.step().learning_rate, winnow.noise().stopper_epsilon);
  return text.data();
}

std::string Chosen(double margin, const DpWinnow& winnow) {
  const DpWinnow::Constants& k = winnow.constants();
  std::array<char, 200> text;
  std::snprintf(text.data(), text.size(),
                "margin %g, %lld samples of the weights after each %lld "
                "mistakes, learning rate %.3g",
                margin, static_cast<long long>(k.samples),
                static_cast<long long>(k.limit), k.learning_rate);
  return text.data();
}

}  // namespace

Json WinnowParameters(const Settings& settings, std::uint32_t features,
                      const AnyWinnow& winnow) {
  Json json =
      Json::Object{{"learner", "halfspaces"},
                   {"calibration", settings.Text("calibration")},
                   {"horizon", settings.GetInt("horizon")},
                   {"features", features},
                   {"margin", settings.GetDouble("margin")},
                   {"nonnegative", settings.Flag("nonnegative")},
                   {"bias", settings.Flag("bias")},
                   {"max_nonzeros", settings.GetInt("max-nonzeros")},
                   {"published", settings.GetInt("published")},
                   {"rounds_per_user", settings.GetInt("rounds-per-user")},
                   {"label_delay", settings.GetInt("label-delay")}};
  std::visit([&](const auto& w) { AddParameters(w, json); }, winnow);
  // Failure probability of the bound. That of the published form fails twice as
  // often.
  const bool ours = std::holds_alternative<PrivateWinnow>(winnow);
  json["failure"] = (ours ? 1 : 2) * settings.GetDouble("failure");
  return json;
}

std::string Summary(const Settings& settings, std::uint32_t features,
                    const AnyWinnow& winnow) {
  const double margin = settings.GetDouble("margin");
  return "winnow: " + WithCommas(features) + " features, " +
         std::visit([&](const auto& w) { return Chosen(margin, w); }, winnow);
}

std::vector<std::string> WinnowCaveats(const Settings& settings) {
  return {settings.Text("relation") == "add-remove"
              ? "An absent round leaves its place in the stream. The noise is "
                "for rounds present or absent; for replaced ones the guarantee "
                "is that of two steps."
              : "The same numbers hold if neighbours are rounds present or "
                "absent: a replacement may be nothing, in its place.",
          "The weights, and the rounds in which they changed, are public: "
          "anyone may keep them. When labels come is not protected."};
}

std::vector<std::string> WinnowCaveats(const Settings& said,
                                       const Settings& settings,
                                       std::uint32_t features) {
  std::vector<std::string> sentences;
  sentences.emplace_back(
      said.Has("margin")
          ? "The mistakes expected are those of a stream whose best weights "
            "have just the margin that was stated: with a smaller true "
            "margin there are more, with a larger one fewer, and what wrong "
            "labels do to learning is not in it."
          : "The margin is guessed from the number of columns, and with it "
            "the mistakes expected: they may be several times as many, or as "
            "few.");
  if (settings.Text("calibration") == "paper" ||
      !settings.Has("max-nonzeros")) {
    return sentences;
  }
  const auto params = MakeWinnowParams(settings, features, {});
  sentences.push_back(
      HasRareNonzeros(params)
          ? "With --max-nonzeros small weights are cut off: the mistakes "
            "expected suppose that few features matter, and cannot know it."
          : "With --max-nonzeros small weights are cut off, also those that "
            "matter where more than one feature in 30 is not 0: --max-norm " +
                Shortest(std::ceil(100 * std::sqrt(params.max_nonzeros)) /
                         100) +
                " in its place says as much of the noise and cuts nothing.");
  return sentences;
}

Result<WinnowForecast> MakeForecast(const Settings& settings,
                                    std::uint32_t features,
                                    const ApproximateDp& share,
                                    const AnyWinnow& winnow) {
  if (const auto* published = std::get_if<DpWinnow>(&winnow)) {
    return PaperForecast(published->constants(),
                         static_cast<double>(settings.GetInt("horizon")));
  }
  SOTTO_TRY_ASSIGN(auto plan,
                   PlanWinnow(MakeWinnowParams(settings, features, share)));
  // The best weights are wrong too. The effect of noise on learning is not
  // included.
  const double noise = settings.GetOptionalDouble("label-noise").value_or(0);
  const auto horizon = static_cast<double>(settings.GetInt("horizon"));
  WinnowForecast forecast{
      .expected = noise * horizon + (1 - 2 * noise) * plan.mistakes_expected,
      .verdict = plan.verdict,
      .advice = {std::move(plan.advice), std::move(plan.comparison)}};
  // The bound is for labels that come before the next round and are right.
  if (settings.GetInt("label-delay") == 0 && noise == 0) {
    forecast.bound = plan.mistakes_bound;
  }
  return forecast;
}

}  // namespace sotto
