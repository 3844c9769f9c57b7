#pragma once

#include <cstdint>
#include <optional>

#include "sotto/base/result.h"
#include "sotto/models/littlestone/finite_class_learner.h"

namespace sotto {

// Options of a FiniteClassLearner; the rest is chosen.
struct FiniteClassOptions {
  std::shared_ptr<const FiniteClass> functions = nullptr;
  ApproximateDp user = {};
  Relation relation = Relation::kReplace;
  std::uint64_t rounds_per_user = 1;
  std::uint64_t delay = 0;
  std::uint64_t horizon = 0;  // about how many rounds; 0: not known
  // True if the adversary who chooses the stream sees the hypotheses: then
  // several functions vote.
  Adversary adversary = Adversary::kAdaptive;
  std::optional<std::uint64_t> votes = {};
  std::optional<std::uint64_t> changes = {};
  std::optional<double> stopper = {};
  std::optional<std::int64_t> limit = {};
  std::optional<std::uint64_t> period = {};
};

// The parameters with which a learner keeps to its budget: whatever was not
// wished is chosen so that streams of which some function of the class is right
// are learned in few mistakes (docs/models/littlestone.md has the
// measurements). Fails with kInvalidArgument or kNotConverged where there are
// none.
Result<FiniteClassLearner::Params> ChooseFiniteClass(
    const FiniteClassOptions& options);

// About how many mistakes an adversary that sees everything can force, while
// some function of the class is right: an expectation, no bound.
double ExpectedClassMistakes(const FiniteClassLearner::Params& params);

}  // namespace sotto
