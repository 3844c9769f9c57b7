#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/base/result.h"
#include "sotto/learners/classes/finite_class.h"
#include "sotto/learners/learner.h"
#include "sotto/learners/threshold_learner.h"

namespace sotto {

// A plain learner as users name it: NAME or NAME:KEY=VALUE,KEY=VALUE.
//
//   auto spec = LearnerSpec::Parse("logistic:features=100,rate=0.1");
//   auto learner = MakeLearner(*spec);
//
// The names and their keys are a table, learner_entry.h; exec:COMMAND is a
// program
// of the user's.
//
// `features` may be left out where the stream tells: set it before MakeLearner.
struct LearnerSpec {
  std::string name;
  std::uint32_t features = 0;  // 0: not known yet.
  ThresholdLearner::Range range;
  std::optional<double> rate;
  double margin = 0.1;
  double confidence = 0.5;
  bool negations = false;
  bool nonnegative = false;
  std::string class_name;  // As it was written.
  // Shared, because each copy of a learner must stay valid for itself, and a
  // class may take megabytes. It is public and never changes, so this is not
  // sharing anything that depends on data.
  std::shared_ptr<const FiniteClass> functions;
  std::string command;  // For exec.

  // Reads the class from its file if there is one. Fails with kInvalidArgument,
  // saying what there is, or kUnavailable for the file.
  static Result<LearnerSpec> Parse(std::string_view text);
  // A line that Parse reads as this, for reports.
  std::string ToText() const;
};

// The learners there are and how they are written, for the help of an option.
std::string_view LearnerHelp();

// What is known of a learner before any data.
struct LearnerFacts {
  // Mistakes at most, in any order, on labels that some function of the class
  // explains; if that is known without the labels. Numbers count as multiples
  // of 2^-53 of their range.
  std::optional<double> mistake_bound = {};
  // Whether `features` must be known: a copy keeps a number for each.
  bool needs_features = false;
  // Whether it looks at feature 0 and at nothing else.
  bool one_number = false;
  // Of which that is a point, a whole number from 0 to below this.
  std::optional<std::uint64_t> points = {};
  // A planner's guesses, no bounds: how many examples a copy needs for what a
  // threshold learns from one, if that is known; whether it learns so fast that
  // a plan may rely on how long a phase lasts; and whether thresholds, which
  // the planner knows, are what it learns.
  std::optional<double> complexity = {};
  bool fast = false;
  bool thresholds = false;
};

// A fresh learner; kInvalidArgument if something is missing, or for exec, which
// is no learner inside this process.
Result<AnyLearner> MakeLearner(const LearnerSpec& spec);
LearnerFacts ExtractFacts(const LearnerSpec& spec);

}  // namespace sotto
