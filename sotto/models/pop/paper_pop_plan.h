#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sotto/base/result.h"
#include "sotto/models/pop/counter_online_procedure.h"
#include "sotto/models/pop/pop_model.h"

namespace sotto {

// Whose numbers: those of the paper, hidden constants 1 and errata applied, or
// the smallest with which the copies last for all rounds.
struct PaperPopRequest {
  double epsilon = 0;
  double delta = 0;
  std::uint64_t rounds_per_user = 1;
  bool printed = false;
  double constant = 1;        // factor of the printed noise
  bool best_counter = false;  // the counter's best radices; else a binary tree
  // Agnostic form: a phase ends after about this many mistakes. The printed
  // numbers have their own; 0: one phase.
  std::uint64_t agnostic = 0;
  PopBehaviour behaviour = {};
  // d: maximum number of mistakes of one copy. The printed numbers need it.
  std::optional<double> mistake_bound = {};
  // Set explicitly; the rest is chosen.
  std::optional<std::int64_t> copies = {};
  std::optional<std::int64_t> reports = {};
  std::optional<double> noise_scale = {};

  friend bool operator==(const PaperPopRequest&,
                         const PaperPopRequest&) = default;
};

// Numbers of Algorithm 7 and what to expect of them, before any data.
struct PaperPopPlan {
  CounterOnlineProcedure::Params params = {};
  double counter_error = 0;  // of the counter, with probability 95 %
  double mistake_error = 0;  // of the counter of mistakes, likewise
  PopExpectation expected = {};
  // The round of the halt, if one is expected before the last.
  std::optional<double> halts = {};
  // Delta of one round at its epsilon; absent beyond the accountant's range.
  std::optional<double> delta = {};
};

// Chooses the numbers; they may be too large to run. Fails with
// kInvalidArgument on a request that makes no sense, with kNotConverged if no
// noise is enough.
//
// Proof:   none needed for privacy; counter_online_procedure.md, "Numbers".
// Threads: pure functions.
Result<PaperPopPlan> PlanPaperPop(const PaperPopRequest& request);

// Fails with kInvalidArgument where the numbers are too large to run.
Status CheckFits(const PaperPopPlan& plan);

// Failure probability of the printed numbers: beta of Theorem 5.3.
inline constexpr double kPaperPopFailure = 0.05;

}  // namespace sotto
