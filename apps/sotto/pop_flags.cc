#include "pop_flags.h"

#include <cmath>

#include "command.h"

namespace sotto::app {
namespace {

// With nothing known of the stream's length, expectations are for this many
// rounds; privacy depends on no length.
constexpr std::uint64_t kNominalRounds = 1'000'000;

void AddPrivacyFlags(CLI::App& command, PopFlags& flags) {
  command.add_option("--epsilon", flags.epsilon, "the privacy parameter");
  command.add_option("--delta", flags.delta,
                     "the probability with which epsilon may fail to hold");
  AllowScientific(*command.add_option(
      "--horizon", flags.horizon,
      "about how many rounds there will be: the plan is made for it, the "
      "guarantee does not depend on it"));
  AllowScientific(*command
                       .add_option("--rounds-per-user", flags.rounds_per_user,
                                   "how many rounds one user may take; further "
                                   "ones are refused")
                       ->capture_default_str());
  command.add_flag("--pin-users", flags.pin_users,
                   "a user's rounds all teach one copy, in one phase (less "
                   "noise where users come often); needs --hand-over restart "
                   "or halt");
  command
      .add_option(
          "--relation", flags.relation,
          "neighbours: replace a user's round, or add-remove it (the "
          "round is then a placeholder); the same numbers hold for both")
      ->check(CLI::IsMember({"replace", "add-remove"}))
      ->capture_default_str();
  command
      .add_option("--variant", flags.variant,
                  "practical, or paper: Algorithm 7 of the paper")
      ->check(CLI::IsMember({"practical", "default", "paper"}))
      ->capture_default_str();
  command
      .add_option("--calibration", flags.calibration,
                  "practical, or paper: the same as --variant paper")
      ->check(CLI::IsMember({"practical", "paper"}))
      ->capture_default_str();
}

void AddLearningFlags(CLI::App& command, PopFlags& flags) {
  command
      .add_option("--learner", flags.learner,
                  "threshold, interval, stump, point, halving, soa, agnostic, "
                  "winnow, confident-winnow, perceptron, logistic, "
                  "decision-list, experts, each as NAME or NAME:KEY=VALUE,...; "
                  "or exec:COMMAND, a program of your own")
      ->capture_default_str();
  AllowScientific(*command
                       .add_option("--label-delay", flags.label_delay,
                                   "a row's label is taught after so many "
                                   "further rows")
                       ->capture_default_str());
  command
      .add_option("--hand-over", flags.hand_over,
                  "at the end of a phase: standby (a silent second ensemble "
                  "takes over), restart or halt")
      ->check(CLI::IsMember({"standby", "restart", "halt"}))
      ->capture_default_str();
  command
      .add_option("--agnostic", flags.agnostic,
                  "a phase also ends after about so many mistakes, counted "
                  "privately; 0: mistakes end nothing")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
}

void AddPlanningFlags(CLI::App& command, PopFlags& flags) {
  command
      .add_option("--optimise", flags.optimise,
                  "plan for the mistakes expected, or for the proved bound")
      ->check(CLI::IsMember({"expected", "bound"}))
      ->capture_default_str();
  AllowScientific(*command.add_option(
      "--drift", flags.drift, "the target changes about every so many rounds"));
  command
      .add_option("--complexity", flags.complexity,
                  "how many examples a copy needs for what a threshold learns "
                  "from one; left out: guessed from the learner")
      ->check(CLI::PositiveNumber);
  command
      .add_option("--mistake-bound", flags.mistake_bound,
                  "how often one copy errs at most; left out: what is proved "
                  "of the learner")
      ->check(CLI::NonNegativeNumber);
}

void AddHandFlags(CLI::App& command, PopByHand& by_hand) {
  const char* group = "By hand (left out: planned)";
  AllowScientific(
      *command.add_option("--copies", by_hand.copies, "copies that vote")
           ->group(group));
  command
      .add_option("--noise-scale", by_hand.noise_scale,
                  "of the noise on the votes; left out: the least that keeps "
                  "the guarantee")
      ->group(group);
  AllowScientific(*command
                       .add_option("--gap", by_hand.gap,
                                   "vote counts in the band that is paid for")
                       ->group(group));
  AllowScientific(
      *command
           .add_option("--reports", by_hand.reports, "paid rounds of a phase")
           ->group(group));
  command
      .add_option("--stopper", by_hand.stopper,
                  "epsilon of the Stopper, which counts them")
      ->group(group);
  command
      .add_option("--active-share", by_hand.active_share,
                  "of the examples, how many teach the copies that answer; the "
                  "others teach the standby")
      ->check(CLI::Range(0.0, 1.0))
      ->group(group);
}

HandOver HandOverOf(const std::string& word) {
  if (word == "halt") return HandOver::kHalt;
  return word == "restart" ? HandOver::kRestart : HandOver::kStandby;
}

// A guess, for expectations only: privacy and the proved bound do not use it.
double GuessComplexity(const LearnerSpec& spec) {
  const LearnerFacts facts = FactsOf(spec);
  if (facts.complexity) return *facts.complexity;
  if (facts.needs_features && spec.features > 0) return spec.features;
  return 1;
}

bool AllByHand(const PopByHand& hand) {
  return hand.copies && hand.gap && hand.reports && hand.stopper;
}

}  // namespace

void AddPopFlags(CLI::App& command, PopFlags& flags) {
  AddPrivacyFlags(command, flags);
  AddLearningFlags(command, flags);
  AddPlanningFlags(command, flags);
  AddHandFlags(command, flags.by_hand);
}

Status Settle(PopFlags& flags) {
  if (!(flags.epsilon > 0) || !std::isfinite(flags.epsilon)) {
    return InvalidArgument("--epsilon is needed, positive and finite");
  }
  if (!(flags.delta > 0 && flags.delta < 1)) {
    return InvalidArgument("--delta is needed, above 0 and below 1");
  }
  if (flags.rounds_per_user == 0) {
    return InvalidArgument("--rounds-per-user must be at least 1");
  }
  if (flags.horizon == 0 && !AllByHand(flags.by_hand)) {
    return InvalidArgument(
        "--horizon T is needed for planning: about how many rounds there will "
        "be (or give --copies, --gap, --reports and --stopper by hand)");
  }
  if (flags.variant == "default") flags.variant = "practical";
  if (flags.calibration == "paper") flags.variant = "paper";
  if (flags.variant == "paper") flags.calibration = "paper";
  return Ok();
}

PopPlanRequest PlanRequestOf(const PopFlags& flags, const LearnerSpec& spec) {
  PopPlanRequest request{.epsilon = flags.epsilon,
                         .delta = flags.delta,
                         .rounds_per_user = flags.rounds_per_user,
                         .pin_users = flags.pin_users,
                         .hand_over = HandOverOf(flags.hand_over),
                         .mistakes_per_phase = flags.agnostic};
  if (flags.variant == "paper") request.variant = PopVariant::kPaper;
  if (flags.optimise == "bound") request.goal = PopGoal::kBound;
  request.behaviour = {
      .rounds = flags.horizon > 0 ? flags.horizon : kNominalRounds,
      .complexity = flags.complexity.value_or(GuessComplexity(spec)),
      .drift = flags.drift,
      .label_delay = flags.label_delay};
  request.mistake_bound =
      flags.mistake_bound ? flags.mistake_bound : FactsOf(spec).mistake_bound;
  request.by_hand = flags.by_hand;
  request.steady = !FactsOf(spec).fast;
  return request;
}

}  // namespace sotto::app
