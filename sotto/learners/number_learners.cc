#include "sotto/learners/interval_learner.h"
#include "sotto/learners/learner_entry.h"
#include "sotto/learners/learner_keys.h"
#include "sotto/learners/point_learner.h"
#include "sotto/learners/threshold_learner.h"

namespace sotto {
namespace {

constexpr double kGridBits = 53;

// b for numbers that are multiples of 2^-b of the range.
LearnerFacts ThresholdFacts(const LearnerSpec&) {
  return {.mistake_bound = kGridBits,
          .one_number = true,
          .complexity = 1,
          .fast = true,
          .thresholds = true};
}

LearnerFacts IntervalFacts(const LearnerSpec&) {
  return {.mistake_bound = 2 * kGridBits, .one_number = true, .complexity = 2};
}

LearnerFacts PointFacts(const LearnerSpec&) {
  return {.mistake_bound = 1, .one_number = true, .fast = true};
}

}  // namespace

std::vector<LearnerEntry> NumberLearners() {
  return {{.name = "threshold",
           .help = "1 from some number on",
           .keys = {&kRangeKey},
           .facts = ThresholdFacts,
           .make = [](const LearnerSpec& spec) -> Result<AnyLearner> {
             return AnyLearner(ThresholdLearner(spec.range));
           }},
          {.name = "interval",
           .help = "1 between two numbers",
           .keys = {&kRangeKey},
           .facts = IntervalFacts,
           .make = [](const LearnerSpec& spec) -> Result<AnyLearner> {
             return AnyLearner(IntervalLearner(spec.range));
           }},
          {.name = "point",
           .help = "1 at one number",
           .facts = PointFacts,
           .make = [](const LearnerSpec&) -> Result<AnyLearner> {
             return AnyLearner(PointLearner());
           }}};
}

}  // namespace sotto
