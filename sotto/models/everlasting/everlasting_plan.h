#pragma once

#include <cstdint>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/result.h"
#include "sotto/learners/learner_spec.h"
#include "sotto/models/everlasting/everlasting_schedule.h"

namespace sotto {

// Request to the planner: public facts and options.
struct EverlastingRequest {
  double epsilon = 0;
  double delta = 0;
  Relation relation = Relation::kReplace;
  std::uint64_t rounds_per_user = 1;
  DeltaSpread spread = DeltaSpread::kEverlasting;
  // Rows of the training set; 0: as many as `error` needs.
  std::uint64_t labelled = 0;
  double error = 0.05;    // of one teacher, about
  double honest = 1;      // gamma
  double complexity = 1;  // examples a teacher needs for one of a threshold
  double growth = 1;
  bool paid = false;  // every round is paid for, as printed
  // Paid, with the paper's sizes (PrintedSizes).
  bool printed = false;
  // Manual overrides; 0: chosen.
  double gap = 0;
  double stopper = 0;
  std::int64_t teachers = 0;
  std::int64_t reports = 0;
  std::uint64_t rounds = 0;

  friend bool operator==(const EverlastingRequest&,
                         const EverlastingRequest&) = default;
};

// The sizes with the most rows for each teacher that the training set allows
// or, without one, the fewest teachers; the printed ones for as many rows.
// Fails as the schedule does.
Result<EverlastingSchedule::Params> PlanEverlasting(
    const EverlastingRequest& request);

// The construction with its hidden constants 1, for this many labelled rows:
// VC/alpha of them a teacher, epsilon^2 T^2 queries a phase of T teachers.
EverlastingRequest PrintedSizes(const EverlastingRequest& request,
                                double labelled);

// The labelled rows that a schedule is for.
Result<double> LabelledRows(const EverlastingSchedule::Params& params);

// A guess: how many examples a teacher of this kind needs for what a threshold
// learns from one.
double ComputeComplexity(const LearnerSpec& spec);
// Rows that a teacher needs for an error of about so much: a guess.
double RowsForError(double complexity, double error);

}  // namespace sotto
