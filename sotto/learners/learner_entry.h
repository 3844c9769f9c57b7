#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/learners/learner.h"
#include "sotto/learners/learner_spec.h"

namespace sotto {

// One KEY=VALUE that a learner understands.
struct LearnerKey {
  std::string_view name;
  std::string_view help;      // what it is
  std::string_view expected;  // form of a value
  // Range of a number, inclusive. If `above` is set, `low` is exclusive.
  double low = 0;
  double high = std::numeric_limits<double>::max();
  bool above = false;
  bool required = false;
  // Fails with kInvalidArgument, or kUnavailable for a file.
  Status (*set)(const LearnerKey& key, std::string_view value,
                LearnerSpec& spec);
  // Text of the value; empty if it is the default.
  std::string (*text)(const LearnerSpec& spec);
};

// One learner, with everything that is specific to it. sotto/learners/ensembles
// has an entry for each learner whose votes it can count without a loop over
// copies.
struct LearnerEntry {
  std::string_view name;
  std::string_view help;  // what it learns
  std::vector<const LearnerKey*> keys = {};
  // True if the text after the colon is a command instead of keys.
  bool program = false;
  LearnerFacts (*facts)(const LearnerSpec& spec);
  // Fails with kInvalidArgument if something is missing.
  Result<AnyLearner> (*make)(const LearnerSpec& spec);
};

// All learners, and the one with a name, or null.
const std::vector<LearnerEntry>& Learners();
const LearnerEntry* FindLearner(std::string_view name);

// The parts of the table, by the inputs of the learners.
std::vector<LearnerEntry> NumberLearners();   // feature 0
std::vector<LearnerEntry> FeatureLearners();  // `features` features
std::vector<LearnerEntry> ClassLearners();    // feature 0, a point of a class

}  // namespace sotto
