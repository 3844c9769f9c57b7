#pragma once

#include <cstdint>
#include <string_view>

#include "sotto/accounting/guarantee.h"
#include "sotto/accounting/spend.h"
#include "sotto/base/label.h"
#include "sotto/base/rational.h"
#include "sotto/base/result.h"
#include "sotto/models/tide/tide_filter.h"

namespace sotto {

// Public parameters that the noise of tide depends on.
struct TidePrivacy {
  double epsilon = 0;
  double delta = 0;
  Relation relation = Relation::kReplace;  // or kAddRemove
  std::uint64_t rounds_per_user = 1;       // r
  std::uint32_t coordinates = 0;           // d, the constant included
  std::uint32_t outputs = 1;               // o: one, or one a class
  std::uint32_t max_entries = 0;           // F: of an encoded row
  double signed_share = 0;  // kappa: TideEncoding::signed_share()
  double clip = 0.5;        // C, in [2^-20, 1/2]: the length of a row's error
};

// When Tide releases what, and how far it steps: functions of the privacy.
// Zeros are chosen.
struct TideSchedule {
  std::uint64_t start_rows = 0;  // N0
  std::uint64_t batch = 0;       // B
  double rate = 0;               // eta
  double first_rate = 0;         // of the first weights
  double early = 0;              // by which early steps are larger, at most 64
  std::uint64_t memory = 0;      // steps
};

// The least clip: a row's error is counted in units of it, and what a smaller
// one makes of a double need not be finite.
inline constexpr double kTideLeastClip = 0x1p-20;
// Rounds of a batch, and of the start, at most.
inline constexpr std::uint64_t kTideMostRounds = std::uint64_t{1} << 23;

// The noise of both parts, in units of their lattices.
struct TideCalibration {
  // Deviation of one Gaussian release, per unit of sensitivity.
  double sigma = 0;
  int step_bits = 0;  // a row's gradient of length 2C is 2^step_bits units
  Rational step_variance;
  int start_bits = 0;
  Rational start_variance;
  Spend spend;  // of a user, at the epsilon of the request
};

// Names of its two releases.
inline constexpr std::string_view kTideStartPart = "first rows";
inline constexpr std::string_view kTideStepPart = "gradients";

// The weight of the constant in a row, b, as a dyadic number.
inline constexpr double kTideBias = 0.15625;
// A row's sums are kept in units 2^12 times finer than a batch's.
inline constexpr int kTideFineBits = 12;

// Fails with kInvalidArgument unless epsilon is in [2^-10, 16], delta in
// [1e-12, 1/2], the relation is replace or add-remove, rounds_per_user in
// [1, 2^16] and the rest as above; kNotConverged where there is no sigma.
Result<TideSchedule> ChooseTideSchedule(const TidePrivacy& privacy,
                                        LabelType::Kind label,
                                        TideSchedule wanted);

// The rate at a time of the public clock: the early one until round 2,000, then
// falling with the root of time to the lasting one.
double TideRateAt(const TideSchedule& schedule, std::uint64_t ticks);

// Fails with kNotConverged if no noise in 60 bits will do.
Result<TideCalibration> CalibrateTide(const TidePrivacy& privacy,
                                      const TideFilter& filter);

// The longest that one row can move the start's sums, in reals (tide.md, step
// 2), and in units of 2^-bits; and one user the filtered gradients, in units
// (step 5). All rounded up.
double TideStartReach(const TidePrivacy& privacy);
double TideStartSensitivity(const TidePrivacy& privacy, int bits);
double TideStepSensitivity(const TidePrivacy& privacy, const TideFilter& filter,
                           int bits);

}  // namespace sotto
