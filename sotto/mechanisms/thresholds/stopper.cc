#include "sotto/mechanisms/thresholds/stopper.h"

#include <algorithm>
#include <cmath>

#include "sotto/accounting/rounding.h"
#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "stopper/1";
constexpr double kMinRate = 0x1p-30;
constexpr std::int64_t kMaxLimit = std::int64_t{1} << 59;
// No noise of rate 2^-30 is larger (fixed_work_geometric.md).
constexpr std::int64_t kMaxNoise = std::int64_t{1} << 37;

}  // namespace

Result<Stopper> Stopper::Create(const Params& params) {
  if (!(params.epsilon >= kMinRate && params.epsilon <= kMaxThresholdEpsilon)) {
    return InvalidArgument("epsilon must be in [2^-30, 16]");
  }
  if (params.limit < -kMaxLimit || params.limit > kMaxLimit) {
    return InvalidArgument("the limit must be in [-2^59, 2^59]");
  }
  SOTTO_TRY_ASSIGN(const auto rate, SnapRate(params.epsilon));
  SOTTO_TRY_ASSIGN(
      auto guarantee,
      Guarantee::Create({.notion = Notion::kDp,
                         .relation = Relation::kChangeByOne,
                         .epsilon = params.epsilon,
                         .delta = SamplerSlack(params.epsilon),
                         .protects = "whether one event was counted"}));
  SOTTO_TRY_ASSIGN(auto noise, FixedWorkGeometric::Create(ExactRate(rate)));
  return Stopper(params, rate, std::move(guarantee), std::move(noise));
}

bool Stopper::Advance(std::uint32_t added, Rng& rng) {
  if (halted_) return true;
  Begin(rng);
  return TickDrawn(added, Watched(added, noise_.Sample(rng), rng));
}

std::int64_t Stopper::Watched(std::uint32_t added, std::int64_t nu,
                              Rng& rng) const {
  const std::int64_t count = count_ + added;
  return nu + rng.Private("stopper count", count, 1) - count;
}

void Stopper::Begin(Rng& rng) {
  if (rho_ < 0) rho_ = noise_.Sample(rng);
}

void Stopper::DrawNoise(Rng& rng, std::span<std::int64_t> noise) const {
  if (noise.size() == 1) {
    noise[0] = noise_.Sample(rng);
  } else {
    noise_.Fill(rng, noise);
  }
}

// No overflow: a count of limit + allowed + kMaxNoise halts for certain.
bool Stopper::TickDrawn(std::uint32_t added, std::int64_t nu,
                        std::int64_t allowed) {
  if (halted_) return true;
  count_ += added;
  ++ticks_;
  halted_ = count_ + nu >= params_.limit + allowed + rho_ ||
            ticks_ == kMaxThresholdRounds;
  return halted_;
}

std::int64_t StopperEarlySlack(double rate, std::uint64_t checks,
                               double failure) {
  const double t = static_cast<double>(std::max<std::uint64_t>(checks, 1));
  const double slack = std::log(t / (failure * (1 + std::exp(-rate)))) / rate;
  return static_cast<std::int64_t>(std::ceil(std::max(slack, 0.0)));
}

std::int64_t Stopper::EarlySlack(std::uint64_t checks, double failure) const {
  return StopperEarlySlack(rate_, checks, failure);
}

// Pr[rho > s] = e^(-e_s (s + 1)).
std::int64_t Stopper::LateSlack(double failure) const {
  const double slack = -std::log(failure) / rate_ - 1;
  return static_cast<std::int64_t>(std::ceil(std::max(slack, 0.0)));
}

void Stopper::Save(ByteWriter& writer) const {
  writer.Text(kTag);
  writer.Real(rate_);
  writer.Number(params_.limit);
  writer.Number(rho_);
  writer.Number(count_);
  writer.Number(ticks_);
  writer.Number(static_cast<std::uint8_t>(halted_ ? 1 : 0));
}

Result<Stopper> Stopper::Load(const Params& params, ByteReader& reader) {
  auto stopper = Create(params);
  if (!stopper) return stopper.error();
  if (reader.Text() != kTag || reader.Real() != stopper->rate_ ||
      reader.Number<std::int64_t>() != params.limit) {
    return FailedPrecondition(
        "the state belongs to another mechanism or other parameters");
  }
  stopper->rho_ = reader.Number<std::int64_t>();
  stopper->count_ = reader.Number<std::int64_t>();
  stopper->ticks_ = reader.Number<std::uint64_t>();
  const auto halted = reader.Number<std::uint8_t>();
  stopper->halted_ = halted == 1;
  const std::int64_t most = 2 * kMaxLimit + (std::int64_t{1} << 40);
  if (reader.failed() || stopper->rho_ < -1 || stopper->rho_ > kMaxNoise ||
      stopper->count_ < 0 || stopper->count_ > most ||
      stopper->ticks_ > kMaxThresholdRounds || halted > 1) {
    return Corruption("the saved Stopper makes no sense");
  }
  return stopper;
}

}  // namespace sotto
