#include "winnow_flags.h"

#include <array>
#include <cmath>
#include <string_view>

#include "command.h"
#include "saved_run.h"

namespace sotto::app {
namespace {

constexpr const char* kGroup = "winnow";

// What says something about the private online procedure alone.
constexpr std::array<std::string_view, 16> kPopOnly = {
    "pin-users",     "variant",  "learner",      "hand-over",
    "agnostic",      "optimise", "drift",        "complexity",
    "mistake-bound", "copies",   "noise-scale",  "gap",
    "reports",       "stopper",  "active-share", "threads"};
constexpr std::array<std::string_view, 14> kWinnowOnly = {
    "margin",        "features",     "nonnegative", "bias",       "max-norm",
    "aim",           "max-nonzeros", "failure",     "confidence", "batch",
    "learning-rate", "published",    "clip",        "hypothesis"};
// What DP-Winnow as published does not have.
constexpr std::array<std::string_view, 9> kNotInPaper = {
    "bias",  "max-norm", "max-nonzeros",  "aim",      "confidence",
    "batch", "relation", "learning-rate", "published"};

template <std::size_t N>
Status RefuseGiven(const std::set<std::string>& given,
                   const std::array<std::string_view, N>& names,
                   const std::string& why) {
  for (const std::string_view name : names) {
    if (given.contains(std::string(name))) {
      return InvalidArgument("--" + std::string(name) + " " + why);
    }
  }
  return Ok();
}

void AddExampleFlags(CLI::App& command, WinnowFlags& flags) {
  command
      .add_option("--margin", flags.margin,
                  "of the best weights, |w| = 1 in the 1-norm: y <w, x> is "
                  "never less; for mistakes only, privacy needs none")
      ->group(kGroup);
  AllowScientific(*command
                       .add_option("--features", flags.features,
                                   "how many there are; run: left out, as "
                                   "many as the stream says")
                       ->group(kGroup));
  command
      .add_flag("--nonnegative", flags.nonnegative,
                "no weight is negative; half as many to learn")
      ->group(kGroup);
  command.add_flag("--bias", flags.bias, "one more feature, always 1")
      ->group(kGroup);
  command
      .add_option("--max-norm", flags.max_norm,
                  "longer examples are scaled down; left out: none is longer")
      ->group(kGroup);
  AllowScientific(*command
                       .add_option("--max-nonzeros", flags.max_nonzeros,
                                   "further ones of an example are left out; "
                                   "say so if examples are sparse: far fewer "
                                   "mistakes, but none proved")
                       ->group(kGroup));
  command
      .add_flag("--clip", flags.clip,
                "move values outside of [-1, 1] to the nearer end, instead of "
                "refusing the row")
      ->group(kGroup);
}

void AddStepFlags(CLI::App& command, WinnowFlags& flags) {
  command
      .add_option("--aim", flags.aim,
                  "practical: few mistakes; proven: the least proved bound")
      ->check(CLI::IsMember({"practical", "proven"}))
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--failure", flags.failure,
                  "the probability with which the bound may fail")
      ->capture_default_str()
      ->group(kGroup);
  command
      .add_option("--confidence", flags.confidence,
                  "share of the margin below which an example teaches")
      ->check(CLI::Range(0.0, 1.0))
      ->group(kGroup);
  AllowScientific(*command
                       .add_option("--batch", flags.batch,
                                   "examples of a release; 0: planned")
                       ->group(kGroup));
  command.add_option("--learning-rate", flags.learning_rate, "0: planned")
      ->group(kGroup);
  AllowScientific(
      *command
           .add_option("--published", flags.published,
                       "only so many of the largest weights; 0: all")
           ->group(kGroup));
}

template <typename Run, typename Winnow, typename Visit>
void ForEachSaved(Run& run, Winnow& flags, Visit visit) {
  visit("epsilon", run.pop.epsilon);
  visit("delta", run.pop.delta);
  visit("horizon", run.pop.horizon);
  visit("rounds-per-user", run.pop.rounds_per_user);
  visit("relation", run.pop.relation);
  visit("calibration", run.pop.calibration);
  visit("label-delay", run.pop.label_delay);
  visit("hash-bits", run.hash_bits);
  visit("compare", run.compare);
  visit("public", run.public_only);
  ForEachWinnowFlag(flags, visit);
}

}  // namespace

void AddWinnowFlags(CLI::App& command, WinnowFlags& flags) {
  AddExampleFlags(command, flags);
  AddStepFlags(command, flags);
}

void AddHypothesisFlag(CLI::App& command, WinnowFlags& flags) {
  command
      .add_option("--hypothesis", flags.hypothesis,
                  "write the weights here, in JSON: they are public")
      ->group(kGroup);
}

Status CheckForWinnow(const std::set<std::string>& given) {
  return RefuseGiven(given, kPopOnly, "is not for winnow");
}

Status CheckForOthers(const std::set<std::string>& given,
                      const std::string& model) {
  return RefuseGiven(given, kWinnowOnly, "is for winnow, not for " + model);
}

bool IsPaper(const PopFlags& common) { return common.calibration == "paper"; }

Status SettleWinnow(PopFlags& common, const WinnowFlags& flags,
                    const std::set<std::string>& given) {
  if (!(common.epsilon > 0) || !std::isfinite(common.epsilon)) {
    return InvalidArgument("--epsilon is needed, positive and finite");
  }
  if (!(common.delta > 0 && common.delta < 1)) {
    return InvalidArgument("--delta is needed, above 0 and below 1");
  }
  if (common.horizon == 0) {
    return InvalidArgument(
        "--horizon T is needed: about how many rounds there will be");
  }
  if (!(flags.margin > 0 && flags.margin <= 1)) {
    return InvalidArgument(
        "--margin is needed, above 0 and at most 1: by how much the best "
        "weights with |w| = 1 tell the labels apart");
  }
  if (!IsPaper(common)) return Ok();
  if (common.rounds_per_user != 1) {
    return InvalidArgument("--calibration paper is for users of one round");
  }
  return RefuseGiven(given, kNotInPaper, "is not for --calibration paper");
}

PrivateWinnow::Params WinnowParamsOf(const PopFlags& common,
                                     const WinnowFlags& flags,
                                     const ApproximateDp& share) {
  return {
      .epsilon = share.epsilon,
      .delta = share.delta,
      .relation = common.relation == "add-remove" ? Relation::kAddRemove
                                                  : Relation::kReplace,
      .rounds_per_user = common.rounds_per_user,
      .features = flags.features,
      .signs = !flags.nonnegative,
      .bias = flags.bias,
      .max_norm = flags.max_norm,
      .max_nonzeros = flags.max_nonzeros,
      .margin = flags.margin,
      .horizon = common.horizon,
      .failure = flags.failure,
      .aim = flags.aim == "proven" ? WinnowAim::kProven : WinnowAim::kPractical,
      .confidence = flags.confidence.value_or(-1),
      .batch = flags.batch,
      .learning_rate = flags.learning_rate,
      .published = flags.published};
}

DpWinnow::Params PaperParamsOf(const PopFlags& common, const WinnowFlags& flags,
                               const ApproximateDp& share) {
  return {.epsilon = share.epsilon,
          .delta = share.delta,
          .features = flags.features,
          .signs = !flags.nonnegative,
          .margin = flags.margin,
          .horizon = common.horizon,
          .failure = flags.failure,
          .form = DpWinnow::Form::kPaper};
}

nlohmann::ordered_json WinnowSettingsOf(const RunFlags& run,
                                        const WinnowFlags& flags) {
  nlohmann::ordered_json json;
  ForEachSaved(run, flags, SettingToJson{json});
  return json;
}

Status AdoptWinnowSettings(const nlohmann::ordered_json& saved, RunFlags& run,
                           WinnowFlags& flags) {
  Status same = CheckSettings(saved, WinnowSettingsOf(run, flags), run.given);
  if (!same) return same;
  return FromSettings(
      [&](const auto& visit) { ForEachSaved(run, flags, visit); }, saved);
}

}  // namespace sotto::app
