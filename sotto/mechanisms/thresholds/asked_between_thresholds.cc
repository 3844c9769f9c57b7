#include "sotto/mechanisms/thresholds/asked_between_thresholds.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/mechanisms/thresholds/sparse_vector_limits.h"

namespace sotto {
namespace {

using Kind = AskedBetweenThresholds::StopperKind;
using Noise = AskedBetweenThresholds::Noise;
using Params = AskedBetweenThresholds::Params;

constexpr std::string_view kTag = "asked_between_thresholds/1";
constexpr double kLibm = 0x1p-50;
// Part of delta for a Stopper that is late.
constexpr double kLatePart = 1.0 / 16;

Status Check(const Params& params) {
  SOTTO_TRY(TwoThresholds::Check(params));
  if (!(params.delta > 0 && params.delta < 1)) {
    return InvalidArgument("ChallengeBT needs a delta in (0, 1)");
  }
  if (params.printed &&
      (params.stopper != Kind::kLaplace || params.horizon < 1)) {
    return InvalidArgument(
        "the printed noise is that of the Laplace Stopper, for a horizon of at "
        "least 1");
  }
  return Ok();
}

FreshNoiseTarget TestTarget(const Params& params, std::int64_t late) {
  return {.epsilon = params.epsilon,
          .delta = params.delta,
          .reports = params.reports + late,
          .gap = params.high - params.low - 1};
}

// Conditions of the paper: k >= 4 ln(4/delta), the gap, and erratum 9, by which
// the gap covers k' and not only k.
Status CheckPrinted(const Params& params) {
  const double log4 = std::log(4 / params.delta);
  const auto k = static_cast<double>(params.reports);
  const double least = std::max(
      4 * log4,
      8 / (3 * params.epsilon) * std::log(2 / params.delta) *
          std::log(static_cast<double>(params.horizon) / params.delta));
  if (k < least) {
    return InvalidArgument(
        "the paper asks for at least " +
        std::to_string(static_cast<std::int64_t>(std::ceil(least))) +
        " reports");
  }
  const double gap = 32 / params.epsilon * std::sqrt(k * log4);
  if (static_cast<double>(params.high - params.low - 2) < gap) {
    return InvalidArgument(
        "the paper asks for thresholds at least " +
        std::to_string(static_cast<std::int64_t>(std::ceil(gap))) + " apart");
  }
  return Ok();
}

Result<Noise> PrintedNoise(const Params& params) {
  SOTTO_TRY(CheckPrinted(params));
  const double stop = 8 / params.epsilon * std::log(2 / params.delta);
  const double most =
      static_cast<double>(params.reports) +
      stop * std::log(static_cast<double>(params.horizon) / params.delta);
  const double scale =
      4 / params.epsilon * std::sqrt(most * std::log(4 / params.delta));
  return Noise{
      .rate = 1 / scale,
      .stopper_rate = 1 / stop,
      .late = LeastLate(params.stopper, 1 / stop, kLatePart * params.delta)};
}

// A query pays for the Stopper alone, a record for the tests alone: each may
// have all of epsilon.
Result<Noise> LeastNoiseFor(const Params& params) {
  Noise noise{.stopper_rate = params.epsilon};
  if (params.stopper == Kind::kLaplace) {
    SOTTO_TRY_ASSIGN(noise.stopper_rate, LargestRate({.epsilon = params.epsilon,
                                                      .delta = params.delta}));
  }
  noise.late =
      LeastLate(params.stopper, noise.stopper_rate, kLatePart * params.delta);
  FreshNoiseTarget target = TestTarget(params, noise.late);
  target.delta =
      DownAdd(params.delta,
              -LateProbability(params.stopper, noise.stopper_rate, noise.late));
  SOTTO_TRY_ASSIGN(noise.rate, LargestRate(target));
  return noise;
}

Result<Guarantee> MakePromise(const Params& params, const Noise& noise) {
  Spend record =
      ComposeParts("record", {params.epsilon, AskedRecordDelta(params, noise)},
                   {PurePart("tests", SamplerKind::kLaplace, noise.rate, 1)});
  const auto kind = params.stopper == Kind::kLaplace ? SamplerKind::kLaplace
                                                     : SamplerKind::kGeometric;
  Spend query =
      ComposeParts("query", {params.epsilon, AskedQueryDelta(params, noise)},
                   {PurePart("stopper", kind, noise.stopper_rate, 1)});
  return MakeGuarantee(
      {.notion = Notion::kChallengeDp,
       .relation = Relation::kReplace,
       .protects = "a record that moves every query by at most one; or one "
                   "query, or none, whose answer only its user sees",
       .spend = TakeLargest("record or query",
                            {std::move(record), std::move(query)})},
      {params.epsilon, params.delta});
}

}  // namespace

// kLaplace: for each of late + 1 counts there is a stopping query, with fresh
// noise, that must not halt. kOneSided: one secret rho > late.
double LateProbability(Kind kind, double rate, std::int64_t late) {
  const auto n = static_cast<double>(late) + 1;
  double log_mass = -rate * n;
  if (kind == Kind::kLaplace) {
    log_mass = -rate * n * (n + 1) / 2 - n * std::log1p(std::exp(-rate));
  }
  // A sum of three terms, each right to 2^-50 of its size.
  return std::min(
      1.0, InflateUp(std::exp(log_mass + kLibm * (4 - 4 * log_mass)), kLibm));
}

std::int64_t LeastLate(Kind kind, double rate, double failure) {
  std::int64_t low = -1;
  std::int64_t high = 1;
  constexpr std::int64_t kMost = std::int64_t{1} << 50;
  while (high < kMost && LateProbability(kind, rate, high) > failure) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (LateProbability(kind, rate, middle) > failure ? low : high) = middle;
  }
  return high;
}

double AskedRecordDelta(const Params& params, const Noise& noise) {
  const auto tests =
      FreshNoiseDelta(noise.rate, TestTarget(params, noise.late));
  if (!tests) return 1;
  return std::min(
      1.0, UpAdd(*tests, LateProbability(params.stopper, noise.stopper_rate,
                                         noise.late)));
}

double AskedQueryDelta(const Params& params, const Noise& noise) {
  if (params.stopper == Kind::kOneSided) {
    return noise.stopper_rate <= params.epsilon ? SamplerSlack(params.epsilon)
                                                : 1;
  }
  const auto delta =
      FreshNoiseDelta(noise.stopper_rate, {.epsilon = params.epsilon});
  return delta ? std::min(1.0, *delta) : 1;
}

Result<AskedBetweenThresholds> AskedBetweenThresholds::Create(
    const Params& params) {
  SOTTO_TRY(Check(params));
  SOTTO_TRY_ASSIGN(const auto noise, params.printed ? PrintedNoise(params)
                                                    : LeastNoiseFor(params));
  return Create(params, noise);
}

Result<AskedBetweenThresholds> AskedBetweenThresholds::Create(
    const Params& params, const Noise& asked) {
  SOTTO_TRY(Check(params));
  if (asked.late < 0 || asked.late > kMaxReports) {
    return InvalidArgument("late reports must be in [0, 2^32]");
  }
  // Both are used at rates that the samplers have exactly.
  Noise noise = asked;
  SOTTO_TRY_ASSIGN(noise.rate, SnapRate(asked.rate));
  SOTTO_TRY_ASSIGN(noise.stopper_rate, SnapRate(asked.stopper_rate));
  SOTTO_TRY_ASSIGN(auto laplace,
                   FixedWorkLaplace::Create(ExactRate(noise.rate)));
  SOTTO_TRY_ASSIGN(auto guarantee, MakePromise(params, noise));
  if (params.stopper == Kind::kOneSided) {
    SOTTO_TRY_ASSIGN(auto stopper,
                     Stopper::Create({.epsilon = noise.stopper_rate,
                                      .limit = params.reports}));
    return AskedBetweenThresholds(params, noise, std::move(laplace),
                                  std::move(stopper), std::move(guarantee));
  }
  SOTTO_TRY_ASSIGN(auto stopper,
                   LaplaceStopper::Create({.epsilon = params.epsilon,
                                           .delta = params.delta,
                                           .limit = params.reports,
                                           .rate = noise.stopper_rate}));
  return AskedBetweenThresholds(params, noise, std::move(laplace),
                                std::move(stopper), std::move(guarantee));
}

bool AskedBetweenThresholds::Ask(Rng& rng) {
  if (halted_) return true;
  flag_ = true;
  const std::uint32_t added = std::exchange(medium_, false) ? 1 : 0;
  halted_ = std::visit(
      [&](auto& stopper) { return stopper.Advance(added, rng); }, stopper_);
  return halted_;
}

std::optional<AskedBetweenThresholds::Zone> AskedBetweenThresholds::Test(
    std::int64_t value, Rng& rng) {
  if (halted_ || !flag_) return std::nullopt;
  flag_ = false;
  const std::int64_t query =
      rng.Private(TwoThresholds::kSite, ClampQuery(value), 1);
  const Zone zone = TwoThresholds::FindZone(query + laplace_.Sample(rng),
                                            params_.low, params_.high);
  medium_ = zone == Zone::kMedium;
  return zone;
}

void AskedBetweenThresholds::Save(ByteWriter& writer) const {
  writer.Text(kTag);
  writer.Number(params_.low);
  writer.Number(params_.high);
  writer.Number(params_.reports);
  writer.Number(static_cast<std::uint8_t>(params_.stopper));
  writer.Real(noise_.rate);
  writer.Real(noise_.stopper_rate);
  writer.Number(noise_.late);
  writer.Number(static_cast<std::uint8_t>(flag_ ? 1 : 0));
  writer.Number(static_cast<std::uint8_t>(medium_ ? 1 : 0));
  std::visit([&](const auto& stopper) { stopper.Save(writer); }, stopper_);
}

Result<AskedBetweenThresholds> AskedBetweenThresholds::Load(
    const Params& params, ByteReader& reader) {
  if (reader.Text() != kTag || reader.Number<std::int64_t>() != params.low ||
      reader.Number<std::int64_t>() != params.high ||
      reader.Number<std::int64_t>() != params.reports ||
      reader.Number<std::uint8_t>() !=
          static_cast<std::uint8_t>(params.stopper)) {
    return FailedPrecondition(
        "the state belongs to another test or other parameters");
  }
  Noise noise;
  noise.rate = reader.Real();
  noise.stopper_rate = reader.Real();
  noise.late = reader.Number<std::int64_t>();
  const auto flag = reader.Number<std::uint8_t>();
  const auto medium = reader.Number<std::uint8_t>();
  auto test = Create(params, noise);
  if (reader.failed() || !test || flag > 1 || medium > 1 ||
      (flag == 1 && medium == 1)) {
    return Corruption("the saved test makes no sense");
  }
  test->flag_ = flag == 1;
  test->medium_ = medium == 1;
  if (params.stopper == Kind::kOneSided) {
    SOTTO_TRY_ASSIGN(
        test->stopper_,
        Stopper::Load({.epsilon = noise.stopper_rate, .limit = params.reports},
                      reader));
  } else {
    SOTTO_TRY_ASSIGN(test->stopper_,
                     LaplaceStopper::Load({.epsilon = params.epsilon,
                                           .delta = params.delta,
                                           .limit = params.reports,
                                           .rate = noise.stopper_rate},
                                          reader));
  }
  test->halted_ = std::visit(
      [](const auto& stopper) { return stopper.halted(); }, test->stopper_);
  return test;
}

}  // namespace sotto
