#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sotto/accounting/delta_schedule.h"
#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"

namespace sotto {

// How an everlasting predictor is set up: every number of it is public, fixed
// before any data, and may depend on nothing else.

// One phase: its teachers answer until the Stopper or the clock ends it.
struct EverlastingPhase {
  std::int64_t teachers = 0;  // N
  double rate = 0;            // e0 = 1 / scale of the noise on the votes
  std::int64_t gap = 0;       // G, integers in the band around N / 2
  std::int64_t reports = 0;   // r, the Stopper's limit
  std::uint64_t rounds = 0;   // t, by the clock

  // Every round is paid for and kept, without a band and a Stopper.
  bool paid() const { return reports == 0 && gap == 0; }
  friend bool operator==(const EverlastingPhase&,
                         const EverlastingPhase&) = default;
};

// Common shape of all phases. Only the numbers of the resulting phases enter
// the proof.
struct EverlastingShape {
  double rows = 20;       // honest ones that a teacher learns from
  double honest = 1;      // gamma: the share of queries that are honest
  double complexity = 1;  // examples a teacher needs for one of a threshold
  double gap = 0.5;       // of the band, in noise scales
  double growth = 1;      // of `rows`, from one phase to the next
  bool paid = false;      // phases in which every round is paid for
  // Manual override, for every phase; 0: chosen to suit the rest.
  std::int64_t teachers = 0;
  std::int64_t reports = 0;
  std::uint64_t rounds = 0;
  friend bool operator==(const EverlastingShape&,
                         const EverlastingShape&) = default;
};

// How delta is spread over rounds.
enum class DeltaSpread {
  // [PERP, Definition 3.8]: a round i has delta(i), and all of them together
  // cost at most delta, over any number of rounds.
  kEverlasting,
  // Every round has delta, as in challenge-DP.
  kConstant,
};

// The phases one after the other, without end.
//
//   auto schedule = EverlastingSchedule::Create(
//       {.epsilon = 3, .delta = 1e-5, .stopper = 0.2, .shape = {.rows = 50}});
//   if (!schedule) return schedule.error();
//   auto first = schedule->At(0);
//
// Proof:   everlasting.md.
// Threads: not thread-safe: it remembers phases.
class EverlastingSchedule {
 public:
  static constexpr std::uint64_t kMostRounds = std::uint64_t{1} << 40;

  struct Params {
    double epsilon = 0;  // of a user, all rounds together
    double delta = 0;
    Relation relation = Relation::kReplace;
    std::uint64_t rounds_per_user = 1;
    DeltaSpread spread = DeltaSpread::kEverlasting;
    // With kEverlasting: rounds of the first period of delta's schedule; every
    // further one is twice as long.
    std::uint64_t period = 1'000'000;
    double stopper = 0;  // e_s, the same in all phases; none if all is paid
    EverlastingShape shape = {};
    friend bool operator==(const Params&, const Params&) = default;
  };

  // Fails with kInvalidArgument where a number makes no sense.
  static Result<EverlastingSchedule> Create(const Params& params);

  // The phases are counted from 0. Fails with kNotConverged from the phase on
  // whose delta is too small for any noise, or for the samplers.
  Result<EverlastingPhase> At(std::uint64_t phase);

  // The schedule with the phases made so far. Load does not choose them again,
  // but checks each against its delta. Fails with kCorruption.
  void Save(ByteWriter& writer) const;
  static Result<EverlastingSchedule> Load(ByteReader& reader);

  const Params& params() const { return params_; }
  const Guarantee& guarantee() const { return guarantee_; }
  // Budget of one round.
  double epsilon() const { return each_.epsilon; }
  // Budget of a record that the teachers of this phase learn from.
  double ComputeDelta(std::uint64_t phase) const;

 private:
  EverlastingSchedule(const Params& params, const ApproximateDp& each,
                      Guarantee guarantee)
      : params_(params), each_(each), guarantee_(std::move(guarantee)) {}
  Result<EverlastingPhase> Make(std::uint64_t phase) const;
  // Returns an error unless `phase` may be the next one.
  Status Check(const EverlastingPhase& phase) const;
  void Add(const EverlastingPhase& phase);

  Params params_;
  ApproximateDp each_;  // of one round; its delta: of all, or of each
  Guarantee guarantee_;
  std::vector<DeltaSchedule> one_ = {};  // of one round; empty: constant
  std::vector<EverlastingPhase> phases_ = {};
  std::vector<std::uint64_t> starts_ = {0};  // the latest clock of each
};

// The votes n with low < n < high are the band; 2 low < N < 2 high always.
struct EverlastingBand {
  std::int64_t low = 0;
  std::int64_t high = 0;
};
EverlastingBand ComputeBand(const EverlastingPhase& phase);

// The least delta that is proved for one record: a labelled row, or a query,
// that the teachers of `phase` learn from, or that is medium in the phase
// before, which is at most as long as `longest`. Samplers included; 1 if
// nothing is proved. If every round is paid for, `stopper` and `relation` do
// not matter.
double EverlastingDelta(const EverlastingPhase& phase, std::uint64_t longest,
                        double stopper, double epsilon, Relation relation);

}  // namespace sotto
