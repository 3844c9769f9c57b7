#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "sotto/base/result.h"
#include "sotto/models/papers/dp_online_learner.h"

namespace sotto {

// Options of a DpOnlineLearner; the rest is chosen (dp_online_learner.md,
// "Numbers").
struct DpOnlineOptions {
  std::shared_ptr<const FiniteClass> functions = nullptr;
  ApproximateDp user = {};
  Relation relation = Relation::kReplace;
  std::uint64_t rounds_per_user = 1;
  std::uint64_t delay = 0;
  std::uint64_t horizon = 0;  // about how many rounds; 0: not known
  // Who sees the hypotheses may ask where a majority is off: then it must be
  // right at all points at once, not at those of a stream that is fixed.
  Adversary adversary = Adversary::kAdaptive;
  // The paper's formulas, with the largest epsilon in them that keeps to the
  // budget and C = `constant`; or the least numbers that keep to it.
  bool printed = false;
  double constant = 4;
  // Absent: exact where that can be had, else greedy.
  std::optional<TeacherLists::Form> form = {};
  std::optional<std::uint64_t> teachers = {};
  std::optional<std::uint64_t> p = {};
  std::optional<std::uint64_t> stages = {};
  std::optional<std::uint64_t> list_size = {};
  std::optional<std::uint64_t> calls = {};
  std::optional<std::uint64_t> votes = {};
  std::optional<std::int64_t> limit = {};
  std::optional<std::uint64_t> period = {};
};

// Fails with kInvalidArgument or kNotConverged where there are none. May be
// more than is run: CheckDpOnlineSize.
Result<DpOnlineLearner::Params> ChooseDpOnline(const DpOnlineOptions& options);

// Draws whose majority is within 1/6 of the mean at all points asked, with
// probability 95 %: of `rounds` points that are fixed beforehand, if these are
// fewer, or of all points of the domain at every call.
std::uint64_t VotesFor(Adversary adversary, double rounds, double points,
                       double calls);

// Returns true if four fifths of the teachers, if they agree, get a function
// drawn, noise included: with fewer hardly anything is learned.
bool TeachersSuffice(const DpOnlineLearner::Params& params);

// If all calls are used.
double DpOnlineMistakes(const DpOnlineLearner::Params& params);

}  // namespace sotto
