#include "sotto/models/pop/pop_options.h"

#include <string>
#include <string_view>

#include "sotto/learners/learner_spec.h"
#include "sotto/models/pop/pop_request.h"

namespace sotto {
namespace {

constexpr std::string_view kLearning = "Learning";
constexpr std::string_view kPlanning = "Planning";
constexpr std::string_view kByHand = "By hand (left out: planned)";
constexpr double kMostReports = 0x1p32;

OptionTable LearningOptions() {
  static const std::string kLearners =
      std::string(LearnerHelp()) +
      "; auto: logistic for a table of several columns, else threshold";
  return {
      {.name = "learner",
       .fallback = kPopAnyLearner,
       .help = kLearners,
       .group = kLearning},
      {.name = "variant",
       .fallback = "practical",
       .help = "practical, or paper: Algorithm 7 of the paper",
       .words = {"practical", "paper"},
       .group = kLearning},
      {.name = "hand-over",
       .fallback = "standby",
       .help = "at the end of a phase: standby (a silent second ensemble takes "
               "over), restart or halt",
       .words = {"standby", "restart", "halt"},
       .group = kLearning},
      {.name = "pin-users",
       .type = OptionType::kFlag,
       .help = "a user's rounds all teach one copy, in one phase (less noise "
               "where users come often); needs --hand-over restart or halt",
       .group = kLearning},
      {.name = "agnostic",
       .type = OptionType::kWhole,
       .fallback = "0",
       .help = "begin again with fresh copies after about so many mistakes "
               "more than the plan allows a phase, counted privately: for "
               "targets that move unforeseen; 0: mistakes end nothing",
       .high = kMostReports,
       .group = kLearning},
      {.name = "threads",
       .type = OptionType::kWhole,
       .fallback = "1",
       .help = "for ensembles that can",
       .low = 1,
       .high = 256,
       .group = kLearning,
       .kept = false}};
}

OptionTable PlanningOptions() {
  return {
      {.name = "optimise",
       .fallback = "expected",
       .help = "plan for the mistakes expected, or for the proved bound",
       .words = {"expected", "bound"},
       .group = kPlanning},
      {.name = "drift",
       .type = OptionType::kWhole,
       .fallback = "0",
       .help = "the target changes about every so many rounds; 0: never",
       .high = 1e18,
       .group = kPlanning},
      {.name = "complexity",
       .type = OptionType::kReal,
       .help = "how many examples a copy needs for what a threshold learns "
               "from one; left out: guessed from the learner",
       .high = 1e12,
       .above = true,
       .group = kPlanning},
      {.name = "mistake-bound",
       .type = OptionType::kReal,
       .help = "how often one copy errs at most; left out: what is proved of "
               "the learner",
       .high = 1e12,
       .group = kPlanning}};
}

OptionTable HandOptions() {
  return {
      {.name = "copies",
       .type = OptionType::kWhole,
       .help = "copies that vote",
       .low = 1,
       .high = 0x1p31 - 1,
       .group = kByHand},
      {.name = "noise-scale",
       .type = OptionType::kReal,
       .help = "of the noise on the votes; left out: the least that keeps the "
               "guarantee",
       .above = true,
       .group = kByHand},
      {.name = "gap",
       .type = OptionType::kWhole,
       .help = "vote counts in the band that is paid for",
       .high = 0x1p40,
       .group = kByHand},
      {.name = "reports",
       .type = OptionType::kWhole,
       .help = "paid rounds of a phase",
       .low = 1,
       .high = kMostReports,
       .group = kByHand},
      {.name = "stopper",
       .type = OptionType::kReal,
       .help = "epsilon of the Stopper, which counts them",
       .high = 16,
       .above = true,
       .group = kByHand},
      {.name = "active-share",
       .type = OptionType::kReal,
       .help = "of the examples, how many teach the copies that answer; the "
               "others teach the standby",
       .high = 1,
       .group = kByHand}};
}

}  // namespace

const OptionTable& PopOptions() {
  static const OptionTable kTable =
      ConcatOptions({LearningOptions(), PlanningOptions(), HandOptions()});
  return kTable;
}

}  // namespace sotto
