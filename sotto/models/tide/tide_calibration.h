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
  bool number = false;      // the label is one: there is a level and a spread
  double clip = 0.5;        // C, in [2^-20, 1/2]: the length of a row's error
};

// When Tide releases what, and how far it steps: functions of the privacy.
// Zeros are chosen.
struct TideSchedule {
  std::uint64_t level_rows = 0;  // L0; numbers only
  std::uint64_t start_rows = 0;  // N0
  std::uint64_t batch = 0;       // B
  double rate = 0;               // eta
  double first_rate = 0;         // of the first weights
  double early = 0;              // by which early steps are larger, at most 64
  std::uint64_t memory = 0;      // steps
  std::uint64_t halving = 0;     // round after which half of the pairs go
  bool paced = false;  // rates follow the spread of numbers (TidePace)
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
  int level_bits = 0;
  Rational level_variance;
  Spend spend;  // of a user, at the epsilon of the request
};

// Names of its releases.
inline constexpr std::string_view kTideLevelPart = "level";
inline constexpr std::string_view kTideStartPart = "first rows";
inline constexpr std::string_view kTideStepPart = "gradients";

// The weight of the constant in a row, b, as a dyadic number.
inline constexpr double kTideBias = 0.15625;
// The weights of a label's coming, in the start and in a batch, as dyadic
// numbers: how many labels there are is released, too.
inline constexpr double kTideStartCount = 0.25;
inline constexpr double kTideBatchCount = 0.125;
// The weight of a number's distance from the level in the start, as a dyadic
// number, and the distance from which on all count alike.
inline constexpr double kTideSpreadWeight = 0.5;
inline constexpr double kTideMostSpread = 0.25;
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

// The longest that one user can move the sum of the level, in units of 2^-bits
// (tide.md, step 2); one row the start's sums, in reals and in units (step 2);
// one user the filtered gradients, in units (step 5). All rounded up.
double TideLevelSensitivity(const TidePrivacy& privacy, int bits);
double TideStartReach(const TidePrivacy& privacy);
double TideStartSensitivity(const TidePrivacy& privacy, int bits);
double TideStepSensitivity(const TidePrivacy& privacy, const TideFilter& filter,
                           int bits);

}  // namespace sotto
