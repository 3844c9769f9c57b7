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
  std::string_view expected;  // what a value looks like
  // Of a number, both inclusive unless `above` says that it must exceed `low`.
  double low = 0;
  double high = std::numeric_limits<double>::max();
  bool above = false;
  bool required = false;
  // Fails with kInvalidArgument, or kUnavailable for a file.
  Status (*set)(const LearnerKey& key, std::string_view value,
                LearnerSpec& spec);
  // As it is written; empty: it is left out.
  std::string (*text)(const LearnerSpec& spec);
};

// One learner. Everything that depends on which learner it is, is in here.
// sotto/learners/ensembles counts the votes of many copies; it has an entry for
// each learner that it can count without a loop.
struct LearnerEntry {
  std::string_view name;
  std::string_view help;  // what it learns
  std::vector<const LearnerKey*> keys = {};
  // All that comes after the colon is a command, instead of keys.
  bool program = false;
  LearnerFacts (*facts)(const LearnerSpec& spec);
  // Fails with kInvalidArgument if something is missing.
  Result<AnyLearner> (*make)(const LearnerSpec& spec);
};

// The learners there are, and the one of that name, or null.
const std::vector<LearnerEntry>& Learners();
const LearnerEntry* FindLearner(std::string_view name);

// The parts of the table, by what learners look at.
std::vector<LearnerEntry> NumberLearners();   // feature 0
std::vector<LearnerEntry> FeatureLearners();  // so many features
std::vector<LearnerEntry> ClassLearners();    // feature 0, a point of a class

}  // namespace sotto
