#pragma once

#include <cstdint>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/result.h"

namespace sotto {

// How the private online procedure (POP) is set up: every number of it is
// public, fixed before the first user comes, and may depend on nothing else.
//
//   PopSchedule schedule{.stopper = 0.15,
//                        .phases = {{.copies = 4001, .rate = 0.005,
//                                    .gap = 80, .reports = 300}}};
//   auto delta = PopScheduleDelta(schedule, 1.0);
//
// Proof:   private_online_procedure.md.
// Threads: value types and pure functions.

// One phase: a generation of copies answers until the Stopper (or the public
// clock) ends it. The last phase of a schedule repeats.
struct PopPhase {
  static constexpr std::uint32_t kAllExamples = 65536;

  std::int64_t copies = 0;   // k
  double rate = 0;           // e0 = 1 / scale of the noise on the votes
  std::int64_t gap = 0;      // G, integers in the band around k / 2
  std::int64_t reports = 0;  // r, the Stopper's threshold
  // Maximum number of rounds before a handover; 0: no maximum.
  std::uint64_t rounds = 0;
  // With a standby: the first `solo` rounds of the phase teach the active
  // generation only, the others it in active_share of 65,536 cases.
  std::uint64_t solo = 0;
  std::uint32_t active_share = kAllExamples / 2;
  // Agnostic mode: mistakes that learning costs in this phase by the plan.
  std::int64_t allowed = 0;

  friend bool operator==(const PopPhase&, const PopPhase&) = default;
};

enum class PopVariant {
  kBand,  // noisy majority, the middle band is paid for [spec, section 4]
  // A coin where the votes disagree, else the majority, as in [POP] Algorithm 7
  // (which itself is counter_online_procedure.h).
  kMajority,
};

enum class PhaseEnd {
  kHalt,     // the procedure ends with its first phase
  kRestart,  // fresh copies
  kStandby,  // a generation that has been learning silently takes over
};

struct PopSchedule {
  PopVariant variant = PopVariant::kBand;
  PhaseEnd handover = PhaseEnd::kStandby;
  double stopper = 0;  // e_s, the same in all phases
  // Agnostic mode: about this many mistakes more than a phase is allowed
  // restart the schedule with fresh copies. A second Stopper of the same e_s
  // counts them. 0 disables this.
  std::int64_t mistakes = 0;
  // Mistakes allowed on top, per 65,536 rounds, counted from the start.
  std::uint32_t tolerated = 0;
  // All rounds of a user teach one copy; rounds of the user in later phases
  // are refused. Not with kStandby.
  bool pin_users = false;
  std::vector<PopPhase> phases = {};

  const PopPhase& At(std::uint64_t phase) const {
    return phases[phase < phases.size() ? phase : phases.size() - 1];
  }
  friend bool operator==(const PopSchedule&, const PopSchedule&) = default;
};

// The votes n with low < n < high are the band; 2 low < k < 2 high always.
struct PopBand {
  std::int64_t low = 0;
  std::int64_t high = 0;
};
PopBand ComputeBand(const PopPhase& phase);

// Number of hidden bits of weight e_s that `rounds` rounds of one user, taught
// to one copy, leave in the Stoppers: a medium each, and in agnostic mode a
// mistake that may come at another time (proof, step 6).
std::int64_t HiddenBits(const PopSchedule& schedule, std::uint64_t rounds);

// kInvalidArgument, naming the phase and what is wrong with it.
Status Validate(const PopSchedule& schedule);

// The least delta proved at this epsilon for one round (pinned: for
// `rounds_per_user` rounds of one user), samplers included; 1 if nothing is.
// A delta that is at most `enough` need not be the least. Fails as Validate
// does, or if epsilon is not in (0, 16].
Result<double> PopScheduleDelta(const PopSchedule& schedule, double epsilon,
                                std::uint64_t rounds_per_user = 1,
                                double enough = 0);

// The guarantee with the user's rounds accounted for. Fails with
// kBudgetExhausted if `target` (for the user, all rounds together) is not met:
// the message says by what. target.delta = 0 asks for the least delta.
Result<Guarantee> PopGuarantee(const PopSchedule& schedule,
                               const ApproximateDp& target,
                               std::uint64_t rounds_per_user);

// Delta of majorities that are shown for nothing, where `paid` votes near a tie
// are paid for in expectation (proof, step 8).
double MajorityCost(std::int64_t copies, double rate, double paid,
                    double epsilon);

void Save(const PopSchedule& schedule, ByteWriter& writer);
// Fails with kCorruption.
Result<PopSchedule> LoadPopSchedule(ByteReader& reader);

}  // namespace sotto
