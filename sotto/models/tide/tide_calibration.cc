#include "sotto/models/tide/tide_calibration.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/accounting/gaussian_analytic.h"
#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"
#include "sotto/base/number_text.h"
#include "sotto/random/fixed_work_gaussian.h"

namespace sotto {
namespace {

// Steps: as far as the noise of one allows. Chosen on streams (tide.md,
// Constants).
constexpr double kNoisePerStep = 0.3;
constexpr double kMaxRate = 0.3;
constexpr double kRowsPerStep = 8;
constexpr double kLeastBatch = 10;
constexpr double kMostBatch = 200;
constexpr double kMemoryRows = 16'000;
constexpr double kLeastMemory = 8;
constexpr double kStartRows = 200;  // times the root of sigma
constexpr double kMostStartRows = 2000;
constexpr double kEarlyRounds = 2000;
constexpr double kHalving = 4000;  // times sigma
constexpr double kLeastHalving = 1500;
constexpr double kMostHalving = 1e6;
constexpr double kLevelRows = 20;  // times sigma
constexpr double kLeastLevelRows = 16;

// How steps differ from those for two labels.
struct Boldness {
  double rate = 1;
  double batch = 1;
  double start = 1;
  double early = 1;
};

// Noise in the score is noise in a predicted number, so steps are smaller.
// Of many classes each is rare: larger batches and a longer start.
Boldness BoldnessFor(LabelType::Kind label, std::uint32_t outputs) {
  if (label == LabelType::Kind::kNumber) return {.rate = 1.0 / 3, .early = 2};
  if (label == LabelType::Kind::kTwo) return {};
  const double half = outputs / 2.0;
  const double root = std::sqrt(std::sqrt(half));
  return {.rate = 1.5, .batch = 1.6 * std::sqrt(half) * root, .start = root};
}

constexpr int kStartBits = 18;
constexpr int kLevelBits = 18;
constexpr int kLeastStepBits = 8;
constexpr int kMostStepBits = 24;
constexpr double kRoundingShare = 0.015;  // of the sensitivity, if it can be
constexpr double kMaxVariance = 0x1p60;
constexpr double kMostOutputs = 1024;
constexpr double kMaxRoundsPerUser = 0x1p16;
constexpr double kSlack = 1e-11;

Status Validate(const TidePrivacy& p) {
  if (!(p.epsilon >= 0x1p-10 && p.epsilon <= 16)) {
    return InvalidArgument(
        "tide needs an --epsilon between 2^-10 (about 0.00098) and 16, without "
        "the tenth that --public takes; got " +
        Shortest(p.epsilon));
  }
  if (!(p.delta >= 1e-12 && p.delta <= 0.5)) {
    return InvalidArgument(
        "tide needs a --delta from 1e-12 to 1/2; --public takes a part of it");
  }
  if (p.relation == Relation::kChangeByOne) {
    return InvalidArgument("tide knows the relations replace and add-remove");
  }
  if (p.rounds_per_user < 1 ||
      static_cast<double>(p.rounds_per_user) > kMaxRoundsPerUser) {
    return InvalidArgument("tide takes 1 to 65536 rounds of a user");
  }
  if (p.coordinates < 1 || p.outputs < 1 || p.outputs > kMostOutputs) {
    return InvalidArgument("tide tells 2 to 1024 classes apart");
  }
  // Rounding a row then adds less than one unit (tide.md, step 3).
  const double entries = std::sqrt(static_cast<double>(p.outputs)) *
                         (std::sqrt(static_cast<double>(p.max_entries)) + 2);
  if (entries > 1024 || p.max_entries > (1U << 16)) {
    return InvalidArgument("rows of tide may not have so many values");
  }
  if (!(p.clip >= kTideLeastClip && p.clip <= 0.5)) {
    return InvalidArgument("--clip must be from 2^-20 to 1/2");
  }
  if (!(p.signed_share >= 0 && p.signed_share <= 1)) {
    return InvalidArgument("the signed share of tide must be in [0, 1]");
  }
  return Ok();
}

double Rounds(const TidePrivacy& p) {
  return static_cast<double>(p.rounds_per_user);
}

// Numbers that noise is added to in one step, the count of labels included.
double Size(const TidePrivacy& p) {
  return static_cast<double>(p.coordinates) * p.outputs + 1;
}

// Steps that one user's rows can touch, a label's time included.
double TouchedSteps(const TidePrivacy& p, const TideFilter& filter) {
  return 4 * static_cast<double>(filter.epoch) * Rounds(p);
}

std::optional<Rational> VarianceFor(double sigma, double sensitivity) {
  const double deviation = UpMul(sigma, sensitivity);
  const double variance =
      std::ceil(InflateUp(deviation * deviation + 1.0 / 12, 1e-12));
  if (!(variance <= kMaxVariance)) return std::nullopt;
  const auto exact = Rational::Create(static_cast<std::uint64_t>(variance), 1);
  if (!exact) return std::nullopt;
  return *exact;
}

double DrawDistance(const Rational& variance) {
  return UpAdd(std::ldexp(1.0, -FixedWorkGaussian::TotalVariationLog2()),
               FixedWorkGaussian::RoundedNormalDistance(variance));
}

// Step 7: what the samplers lack in all draws that a user's rows touch.
double SamplersDelta(const TidePrivacy& p, const TideFilter& filter,
                     const Rational& level, const Rational& start,
                     const Rational& step) {
  const double both = InflateUp(1 + std::exp(p.epsilon), 1e-12);
  // With the count of labels and the spread of numbers.
  const double starts =
      static_cast<double>(p.coordinates) * (1.0 + p.outputs) + 2;
  const double draws =
      UpAdd(UpMul(starts, DrawDistance(start)),
            UpMul(UpMul(TouchedSteps(p, filter), Size(p)), DrawDistance(step)));
  return UpMul(both, UpAdd(draws, DrawDistance(level)));
}

// The part of a step's sensitivity that is rounding.
double RoundingPart(const TidePrivacy& p, const TideFilter& filter) {
  const double batches =
      filter.Norm() * Rounds(p) * (2 * std::sqrt(Size(p)) + 2);
  const double releases =
      filter.RoundingUnits() * std::sqrt(Size(p) * TouchedSteps(p, filter));
  return InflateUp(batches + releases, kSlack);
}

double Reach(const TidePrivacy& p) {
  return p.relation == Relation::kReplace ? 1 : 0.5;
}

struct Release {
  Rational variance;
  double sensitivity = 0;
};
struct Releases {
  std::optional<Release> level = {};  // numbers only
  Release start;
  Release step;
};

// Delta of a normal variable of variance `variance` - 1/12, which the discrete
// one stands for (step 7), at the epsilon of a user.
Result<Spend> ReleasePart(std::string_view name, double epsilon,
                          const Release& release) {
  const double variance =
      DownAdd(release.variance.ToDoubleDown(), -0x1.5555556p-4);
  const double ratio =
      DownDiv(StepDown(std::sqrt(variance)), release.sensitivity);
  SOTTO_TRY_ASSIGN(const auto delta,
                   GaussianDelta({.sigma = ratio, .compositions = 1}, epsilon));
  return GaussianPart(std::string(name), {epsilon, delta},
                      std::sqrt(release.variance.ToDoubleDown()),
                      release.sensitivity);
}

// A user with rows in several has moved each by less than the whole (step 7).
Result<Spend> ComputeSpend(const TidePrivacy& p, const Releases& releases,
                           double samplers) {
  std::vector<Spend> parts;
  if (releases.level) {
    SOTTO_TRY_ASSIGN(auto level,
                     ReleasePart(kTideLevelPart, p.epsilon, *releases.level));
    parts.push_back(std::move(level));
  }
  SOTTO_TRY_ASSIGN(auto start,
                   ReleasePart(kTideStartPart, p.epsilon, releases.start));
  SOTTO_TRY_ASSIGN(auto step,
                   ReleasePart(kTideStepPart, p.epsilon, releases.step));
  parts.push_back(std::move(start));
  parts.push_back(std::move(step));
  return AddParts("tide", {TakeLargest("rows", std::move(parts)),
                           MakePart("samplers", {0, samplers})});
}

// The fewest bits whose rounding is a small part, or else the largest number
// that fits.
std::optional<int> StepBits(const TidePrivacy& p, const TideFilter& filter,
                            double sigma) {
  std::optional<int> bits;
  for (int b = kLeastStepBits; b <= kMostStepBits; ++b) {
    const double all = TideStepSensitivity(p, filter, b);
    if (!VarianceFor(sigma * 1.01, all)) return bits;
    bits = b;
    if (RoundingPart(p, filter) <= kRoundingShare * all) return bits;
  }
  return bits;
}

}  // namespace

// A label in [-1/2, 1/2]; cutting towards zero does not lengthen it.
double TideLevelSensitivity(const TidePrivacy& p, int bits) {
  return InflateUp(Rounds(p) * std::ldexp(Reach(p), bits), kSlack);
}

// Errors are counted in units of 2C, so that they are as long as 1/2.
double TideStartReach(const TidePrivacy& p) {
  constexpr double c2 = 0.25;
  const double b2 = kTideBias * kTideBias;
  const double spread = p.number ? kTideSpreadWeight * kTideSpreadWeight : 0.0;
  if (p.relation == Relation::kAddRemove) {
    const double count = kTideStartCount * kTideStartCount;
    return InflateUp(std::sqrt(1 + c2 + b2 * c2 + count + spread), kSlack);
  }
  const double k = p.signed_share;
  const double same = (1 + c2) * (2 + 2 * k);
  const double other = 2 + 2 * c2 + 4 * b2 * c2 + 2 * k * (1 - c2);
  return InflateUp(std::sqrt(std::max(same, other) + spread), kSlack);
}

double TideStartSensitivity(const TidePrivacy& p, int bits) {
  const auto entries = static_cast<double>(p.max_entries);
  const double rounding =
      2 * std::sqrt(entries * (1.0 + p.outputs) + p.outputs + 2) + 1;
  const double row = std::ldexp(TideStartReach(p), bits) + rounding;
  return InflateUp(Rounds(p) * row, kSlack);
}

double TideStepSensitivity(const TidePrivacy& p, const TideFilter& filter,
                           int bits) {
  const double row = std::sqrt(1 + kTideBatchCount * kTideBatchCount);
  const double exact =
      filter.Norm() * Rounds(p) * row * std::ldexp(Reach(p), bits);
  return InflateUp(exact + RoundingPart(p, filter), kSlack);
}

Result<TideSchedule> ChooseTideSchedule(const TidePrivacy& privacy,
                                        LabelType::Kind label,
                                        TideSchedule wanted) {
  SOTTO_TRY(Validate(privacy));
  SOTTO_TRY_ASSIGN(const auto sigma,
                   GaussianSigma(privacy.epsilon, privacy.delta, 1));
  const double noise = sigma * Rounds(privacy) * Reach(privacy);
  const Boldness bold = BoldnessFor(label, privacy.outputs);
  // For two labels and a clip of 1/2, from which the others follow.
  const double plain = std::min(kNoisePerStep / noise, kMaxRate);
  const double rows = kRowsPerStep / plain;
  const auto whole = [](double value, double least, double most) {
    return static_cast<std::uint64_t>(std::clamp(value, least, most));
  };
  if (wanted.batch == 0) {
    wanted.batch =
        whole(rows * bold.batch, kLeastBatch, kMostBatch * bold.batch);
  }
  if (wanted.start_rows == 0) {
    wanted.start_rows = whole(kStartRows * std::sqrt(noise) * bold.start,
                              kStartRows, kMostStartRows * bold.start);
  }
  if (wanted.halving == 0) {
    wanted.halving = whole(kHalving * noise, kLeastHalving, kMostHalving);
  }
  const bool number = label == LabelType::Kind::kNumber;
  if (wanted.level_rows == 0 && number) {
    wanted.level_rows =
        whole(kLevelRows * noise, kLeastLevelRows, kMostStartRows);
  }
  wanted.paced = number && wanted.rate == 0;
  if (wanted.rate == 0) wanted.rate = plain * bold.rate / (2 * privacy.clip);
  if (wanted.first_rate == 0) {
    const double share = rows / static_cast<double>(wanted.start_rows);
    wanted.first_rate = wanted.rate * std::min(1.0, share);
  }
  if (wanted.early == 0) wanted.early = bold.early;
  if (wanted.memory == 0) {
    wanted.memory = whole(kMemoryRows / static_cast<double>(wanted.batch),
                          kLeastMemory, TideFilter::kMaxMemory);
  }
  return wanted;
}

double TideRateAt(const TideSchedule& schedule, std::uint64_t ticks) {
  const double age = std::max(1.0, static_cast<double>(ticks));
  const double faster =
      std::clamp(schedule.early * std::sqrt(kEarlyRounds / age), 1.0,
                 std::max(1.0, schedule.early));
  return schedule.rate * faster;
}

Result<TideCalibration> CalibrateTide(const TidePrivacy& privacy,
                                      const TideFilter& filter) {
  SOTTO_TRY(Validate(privacy));
  const Error none = {ErrorCode::kNotConverged,
                      "no noise in 60 bits reaches this epsilon and delta"};
  SOTTO_TRY_ASSIGN(const auto least,
                   GaussianSigma(privacy.epsilon, privacy.delta, 1));
  const auto bits = StepBits(privacy, filter, least);
  const double start = TideStartSensitivity(privacy, kStartBits);
  const double level = TideLevelSensitivity(privacy, kLevelBits);
  const auto start_floor = VarianceFor(least, start);
  const auto level_floor = VarianceFor(least, level);
  if (!bits || !start_floor || !level_floor) return none;
  const double step = TideStepSensitivity(privacy, filter, *bits);
  const auto step_floor = VarianceFor(least, step);
  if (!step_floor) return none;
  // More noise is only closer to the normal, so what the least lacks bounds it.
  const double lack =
      SamplersDelta(privacy, filter, *level_floor, *start_floor, *step_floor);
  const double target = StepDown(privacy.delta - lack * (1 + 1e-9));
  if (!(target >= privacy.delta / 2)) return none;
  SOTTO_TRY_ASSIGN(const auto sigma, GaussianSigma(privacy.epsilon, target, 1));
  const auto level_variance = VarianceFor(sigma, level);
  const auto start_variance = VarianceFor(sigma, start);
  const auto step_variance = VarianceFor(sigma, step);
  if (!level_variance || !start_variance || !step_variance) return none;
  Releases releases = {.start = {*start_variance, start},
                       .step = {*step_variance, step}};
  if (privacy.number) releases.level = {*level_variance, level};
  SOTTO_TRY_ASSIGN(auto spend, ComputeSpend(privacy, releases, lack));
  return TideCalibration{.sigma = sigma,
                         .step_bits = *bits,
                         .step_variance = *step_variance,
                         .start_bits = kStartBits,
                         .start_variance = *start_variance,
                         .level_bits = kLevelBits,
                         .level_variance = *level_variance,
                         .spend = std::move(spend)};
}

}  // namespace sotto
