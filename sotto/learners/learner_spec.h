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

// The specification of a learner: NAME or NAME:KEY=VALUE,KEY=VALUE.
//
//   auto spec = LearnerSpec::Parse("logistic:features=100,rate=0.1");
//   auto learner = MakeLearner(*spec);
//
// The names and their keys are a table, learner_entry.h; exec:COMMAND runs a
// program of the user.
//
// `features` may be omitted if the stream determines it: set it before
// MakeLearner.
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
  // Shared by all copies of a learner, because a class may take megabytes. It
  // is public and never changes, so nothing that depends on data is shared.
  std::shared_ptr<const FiniteClass> functions;
  std::string command;  // For exec.

  // Reads the class from its file if there is one. Fails with kInvalidArgument
  // and lists the learners, or with kUnavailable for the file.
  static Result<LearnerSpec> Parse(std::string_view text);
  // A line that Parse reads as this, for reports.
  std::string ToText() const;
};

// The list of learners and their syntax, for the help of an option.
std::string_view LearnerHelp();

// Facts about a learner that are known before any data.
struct LearnerFacts {
  // Maximum number of mistakes, in any order, on labels that some function of
  // the class explains, if it is known without the labels. Numbers count as
  // multiples of 2^-53 of their range.
  std::optional<double> mistake_bound = {};
  // True if `features` must be known: a copy keeps a number for each.
  bool needs_features = false;
  // True if it uses feature 0 only.
  bool one_number = false;
  // Number of points of its class: feature 0 is an integer from 0 to below
  // this.
  std::optional<std::uint64_t> points = {};
  // Estimates for planners, not bounds. `complexity` is the number of examples
  // that replace one example of a threshold learner, if known. `fast`: a plan
  // may rely on the length of a phase. `thresholds`: the learner learns
  // thresholds.
  std::optional<double> complexity = {};
  bool fast = false;
  bool thresholds = false;
};

// A fresh learner; kInvalidArgument if something is missing, or for exec, which
// runs outside this process.
Result<AnyLearner> MakeLearner(const LearnerSpec& spec);
LearnerFacts ExtractFacts(const LearnerSpec& spec);

}  // namespace sotto
