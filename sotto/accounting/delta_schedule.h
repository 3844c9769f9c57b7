#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sotto/base/result.h"

namespace sotto {

// The delta that each round may cost, for guarantees without a time limit.
// Round i of an everlasting predictor is protected by (epsilon, delta(i)), and
// the sum over all rounds must be small. Round 0 is the training set and is
// part of the sum.
//
//   auto schedule = DeltaSchedule::InverseSquare(1e-6);
//   const double now = schedule->At(round);   // calibrate this round to it
//   const double all = schedule->Sum();       // 1e-6, training set included
//
// Paper:     [PERP] Definition 3.8, Observation 3.9.
// Guarantee: the sum of At(i) over i = 0, 1, 2, ... is at most Sum().
// Proof:     delta_schedule.md, next to this file.
// Threads:   a value type.
class DeltaSchedule {
 public:
  // `delta` for the training set and each of the rounds 1 .. horizon.
  static Result<DeltaSchedule> Constant(double delta, std::uint64_t horizon);

  // Phases p = 1, 2, ... of lengths[p-1] rounds each; after the last one listed
  // every phase is twice as long as the one before. A round of phase p costs
  // total / (2^(p+1) lengths[p-1]), the training set as much as a round of
  // phase 1: together at most 3/4 of `total`. The lengths are public and fixed
  // before any data; at least one, all positive, at most 900.
  static Result<DeltaSchedule> Phases(double total,
                                      std::vector<std::uint64_t> lengths);

  // total * 6 / (pi (i+1))^2: no horizon, no phases.
  static Result<DeltaSchedule> InverseSquare(double total);

  // values[i] for round i; values[0] is the training set.
  static Result<DeltaSchedule> Table(std::vector<double> values);

  // 0 beyond the horizon of Constant and Table: a mechanism that cannot be pure
  // there must refuse the round.
  double At(std::uint64_t round) const;
  double Sum() const;

  // The schedule of a group: every delta(i) times `factor` >= 1, rounded up, at
  // most 1 each. Fails with kInvalidArgument unless factor is finite and at
  // least 1.
  Result<DeltaSchedule> ScaledBy(double factor) const;

  // "delta(i) = ...; all rounds together at most ...".
  std::string Describe() const;

  friend bool operator==(const DeltaSchedule&, const DeltaSchedule&) = default;

 private:
  friend struct DeltaScheduleJson;  // delta_schedule_json.h
  enum class Kind { kConstant, kPhases, kInverseSquare, kTable };

  DeltaSchedule(Kind kind, double value) : kind_(kind), value_(value) {}

  double PlainAt(std::uint64_t round) const;
  double PlainSum() const;
  double PhasesAt(std::uint64_t round) const;
  std::string LengthsText() const;
  std::string Formula() const;

  Kind kind_;
  double value_;                        // kConstant: each delta; else the total
  std::uint64_t horizon_ = 0;           // kConstant
  std::vector<std::uint64_t> lengths_;  // kPhases
  std::vector<double> table_;           // kTable
  double factor_ = 1;
};

}  // namespace sotto
