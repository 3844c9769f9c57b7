#include "winnow_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "run_report.h"
#include "sotto/models/winnow/winnow_plan.h"

namespace sotto::app {
namespace {

using nlohmann::ordered_json;

void AddParameters(const PrivateWinnow& winnow, ordered_json& json) {
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
  json["failure"] = setting.failure;
}

void AddParameters(const DpWinnow& winnow, ordered_json& json) {
  const DpWinnow::Constants& k = winnow.constants();
  json["samples"] = k.samples;
  json["updates"] = k.updates;
  json["limit"] = k.limit;
  json["stopper"] = k.stopper_epsilon;
  json["learning_rate"] = k.learning_rate;
  json["confidence"] = k.confidence;
}

// The published form updates after `limit` mistakes, if there are ever so many.
WinnowOutlook PaperOutlook(const DpWinnow::Constants& k, double horizon) {
  WinnowOutlook outlook;
  if (k.mistakes < horizon) outlook.bound = k.mistakes;
  outlook.expected = std::min(k.mistakes, horizon / 2);
  const bool learns = static_cast<double>(k.limit) < horizon / 2;
  outlook.verdict = learns ? "tight" : "hopeless";
  outlook.advice.push_back(
      learns ? "--calibration practical errs far less"
             : "the published constants change nothing before " +
                   Grouped(static_cast<std::uint64_t>(k.limit)) +
                   " mistakes; --calibration practical does");
  return outlook;
}

}  // namespace

ordered_json ParametersJson(const PopFlags& common, const WinnowFlags& flags,
                            const AnyWinnow& winnow) {
  ordered_json json;
  json["calibration"] = common.calibration;
  json["horizon"] = common.horizon;
  json["features"] = flags.features;
  json["margin"] = flags.margin;
  json["nonnegative"] = flags.nonnegative;
  json["bias"] = flags.bias;
  json["max_nonzeros"] = flags.max_nonzeros;
  json["published"] = flags.published;
  json["rounds_per_user"] = common.rounds_per_user;
  json["label_delay"] = common.label_delay;
  std::visit([&](const auto& w) { AddParameters(w, json); }, winnow);
  return json;
}

std::string InWords(const WinnowFlags& flags, const AnyWinnow& winnow) {
  char text[200];
  if (const auto* ours = std::get_if<PrivateWinnow>(&winnow)) {
    std::snprintf(text, sizeof(text),
                  " features, margin %g, noise %.4g on each sum of about %lld "
                  "examples, learning rate %.3g, Stopper epsilon %.3g",
                  flags.margin, ours->noise().sigma,
                  static_cast<long long>(ours->step().batch),
                  ours->step().learning_rate, ours->noise().stopper_epsilon);
  } else {
    const DpWinnow::Constants& k = std::get<DpWinnow>(winnow).constants();
    std::snprintf(text, sizeof(text),
                  " features, margin %g, %lld samples of the weights after "
                  "each %lld mistakes, learning rate %.3g",
                  flags.margin, static_cast<long long>(k.samples),
                  static_cast<long long>(k.limit), k.learning_rate);
  }
  return Grouped(flags.features) + text;
}

Result<WinnowOutlook> OutlookOf(const PopFlags& common,
                                const WinnowFlags& flags,
                                const ApproximateDp& share,
                                const AnyWinnow& winnow) {
  if (const auto* published = std::get_if<DpWinnow>(&winnow)) {
    return PaperOutlook(published->constants(),
                        static_cast<double>(common.horizon));
  }
  auto plan = PlanWinnow(WinnowParamsOf(common, flags, share));
  if (!plan) return plan.error();
  WinnowOutlook outlook;
  // The bound is for labels that come before the next round.
  if (common.label_delay == 0) outlook.bound = plan->mistakes_bound;
  outlook.expected = plan->mistakes_expected;
  outlook.verdict = ToString(plan->verdict);
  outlook.advice = {std::move(plan->advice), std::move(plan->comparison)};
  return outlook;
}

Result<AnyWinnow> MakeWinnow(const PopFlags& common, const WinnowFlags& flags,
                             const ApproximateDp& share) {
  if (IsPaper(common)) {
    auto published = DpWinnow::Create(PaperParamsOf(common, flags, share));
    if (!published) return published.error();
    return AnyWinnow(*std::move(published));
  }
  auto ours = PrivateWinnow::Create(WinnowParamsOf(common, flags, share));
  if (!ours) return ours.error();
  return AnyWinnow(*std::move(ours));
}

Result<Guarantee> PromisedByWinnow(const PopFlags& common,
                                   const Guarantee& guarantee, bool whole) {
  if (!whole) return guarantee;
  Guarantee::Params params = guarantee.params();
  params.epsilon = common.epsilon;
  params.delta = common.delta;
  return Guarantee::Create(std::move(params));
}

std::string WinnowNeighbours(const PopFlags& common) {
  return common.relation == "add-remove"
             ? "An absent round leaves its place in the stream. The noise is "
               "for rounds present or absent; for replaced ones the guarantee "
               "is that of two steps."
             : "The same numbers hold if neighbours are rounds present or "
               "absent: a replacement may be nothing, in its place.";
}

std::string HypothesisWords() {
  return "The weights, and the rounds in which they changed, are public: "
         "anyone may keep them. When labels come is not protected.";
}

std::string HypothesisJson(const WinnowFlags& flags, const WinnowStream& stream,
                           const Guarantee& guarantee, std::uint64_t rounds,
                           bool seeded) {
  ordered_json json;
  json["model"] = "winnow";
  json["rule"] =
      "1 if bias + sum of weight * value > 0, otherwise 0; values clipped to "
      "[-1, 1]; features not listed weigh 0";
  json["features"] = flags.features;
  json["rounds"] = rounds;
  json["releases"] = stream.phase();
  json["guarantee"] = ToJson(guarantee);
  json["private"] = !seeded;
  double bias = 0;
  ordered_json weights = ordered_json::array();
  for (const Feature& f : stream.hypothesis().Sparse()) {
    if (f.index == flags.features) {
      bias = f.value;
    } else {
      weights.push_back({f.index, f.value});
    }
  }
  json["bias"] = bias;
  json["weights"] = std::move(weights);
  return json.dump() + "\n";
}

}  // namespace sotto::app
