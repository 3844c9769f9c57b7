#include "sotto/mechanisms/thresholds/laplace_stopper.h"

#include <cmath>

#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"
#include "sotto/mechanisms/thresholds/sparse_vector_limits.h"
#include "sotto/mechanisms/thresholds/stopper.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "laplace_stopper/2";
constexpr double kPublishedFactor = 8;
constexpr std::int64_t kMaxLimit = std::int64_t{1} << 59;

}  // namespace

Result<LaplaceStopper> LaplaceStopper::Create(const Params& params) {
  SOTTO_TRY(CheckThresholdTest(params.epsilon, 1, 0));
  if (params.limit < -kMaxLimit || params.limit > kMaxLimit) {
    return InvalidArgument("the limit must be in [-2^59, 2^59]");
  }
  if (!(params.delta > 0 && params.delta < 1)) {
    return InvalidArgument("delta must be in (0, 1)");
  }
  const double published =
      params.epsilon / (kPublishedFactor * std::log(2 / params.delta));
  const double asked = params.rate > 0 ? params.rate : published;
  SOTTO_TRY_ASSIGN(const auto chosen,
                   ChooseFreshNoise(asked, {.epsilon = params.epsilon,
                                            .delta = params.delta}));
  SOTTO_TRY_ASSIGN(
      auto guarantee,
      Guarantee::Create({.notion = Notion::kDp,
                         .relation = Relation::kChangeByOne,
                         .epsilon = params.epsilon,
                         .delta = params.delta,
                         .protects = "whether one event was counted"}));
  SOTTO_TRY_ASSIGN(auto noise,
                   FixedWorkLaplace::Create(ExactRate(chosen.rate)));
  return LaplaceStopper(params, chosen.rate, std::move(guarantee),
                        std::move(noise));
}

// No overflow: a count of limit + 2^40 halts for certain.
bool LaplaceStopper::Advance(std::uint32_t added, Rng& rng) {
  if (halted_) return true;
  count_ += added;
  ++ticks_;
  const std::int64_t count = rng.Private("stopper count", count_, 1);
  halted_ = count + noise_.Sample(rng) >= params_.limit ||
            ticks_ == kMaxThresholdRounds;
  return halted_;
}

// Pr[Z >= s] = e^(-rate s) / (1 + e^-rate), as for nu - rho of Stopper.
std::int64_t LaplaceStopper::EarlySlack(std::uint64_t checks,
                                        double failure) const {
  return StopperEarlySlack(rate_, checks, failure);
}

void LaplaceStopper::Save(ByteWriter& writer) const {
  writer.Text(kTag);
  writer.Real(params_.epsilon);
  writer.Real(params_.delta);
  writer.Number(params_.limit);
  writer.Real(params_.rate);
  writer.Number(count_);
  writer.Number(ticks_);
  writer.Number(static_cast<std::uint8_t>(halted_ ? 1 : 0));
}

Result<LaplaceStopper> LaplaceStopper::Load(const Params& params,
                                            ByteReader& reader) {
  auto stopper = Create(params);
  if (!stopper) return stopper.error();
  if (reader.Text() != kTag || reader.Real() != params.epsilon ||
      reader.Real() != params.delta ||
      reader.Number<std::int64_t>() != params.limit ||
      reader.Real() != params.rate) {
    return FailedPrecondition(
        "the state belongs to another mechanism or other parameters");
  }
  stopper->count_ = reader.Number<std::int64_t>();
  stopper->ticks_ = reader.Number<std::uint64_t>();
  const auto halted = reader.Number<std::uint8_t>();
  stopper->halted_ = halted == 1;
  const std::int64_t most = kMaxLimit + (std::int64_t{1} << 41);
  if (reader.failed() || stopper->count_ < 0 || stopper->count_ > most ||
      stopper->ticks_ > kMaxThresholdRounds || halted > 1) {
    return Corruption("the saved Stopper makes no sense");
  }
  return stopper;
}

}  // namespace sotto
