#include "sotto/mechanisms/boundaries/boundary_side.h"

#include "sotto/mechanisms/thresholds/sparse_vector_calibration.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "boundary-side/1";

Stopper::Params MakeStopper(const SideNoise& noise) {
  return {.epsilon = noise.stopper, .limit = noise.limit};
}

}  // namespace

Result<BoundarySamplers> BoundarySamplers::Create(const BoundaryPhase& phase) {
  for (const SideNoise* noise : {&phase.initial, &phase.recycled}) {
    SOTTO_TRY(Validate(*noise));
  }
  SOTTO_TRY_ASSIGN(auto initial,
                   FixedWorkLaplace::Create(ExactRate(phase.initial.rate)));
  SOTTO_TRY_ASSIGN(auto recycled,
                   FixedWorkLaplace::Create(ExactRate(phase.recycled.rate)));
  SOTTO_TRY_ASSIGN(auto first, Stopper::Create(MakeStopper(phase.initial)));
  SOTTO_TRY_ASSIGN(auto again, Stopper::Create(MakeStopper(phase.recycled)));
  return BoundarySamplers{std::move(initial), std::move(recycled),
                          std::move(first), std::move(again)};
}

void BoundarySide::Begin(BoundarySet set, const BoundaryPhase& phase,
                         const BoundarySamplers& samplers, Rng& rng) {
  set_ = std::move(set);
  undecided_ = BoundarySet(phase.recycled.size);
  stopper_ = samplers.first;
  stopper_->Begin(rng);
  recycled_ = false;
  pending_ = 0;
}

void BoundarySide::StartOver(const BoundaryPhase& phase,
                             const BoundarySamplers& samplers, Rng& rng) {
  undecided_.Settle();
  set_ = std::exchange(undecided_, BoundarySet(phase.recycled.size));
  stopper_ = samplers.again;
  stopper_->Begin(rng);
  recycled_ = true;
  ++restarts_;
}

BoundarySide::Zone BoundarySide::Test(double value, const BoundaryPhase& phase,
                                      const BoundarySamplers& samplers,
                                      Rng& rng) {
  const SideNoise& noise = recycled_ ? phase.recycled : phase.initial;
  const FixedWorkLaplace& laplace =
      recycled_ ? samplers.recycled : samplers.initial;
  const std::int64_t count =
      rng.Private("boundary count", set_.CountAbove(value), 1);
  const std::int64_t noisy = count + laplace.Sample(rng);
  const Zone zone = BetweenThresholds::FindZone(noisy, noise.low, noise.high);
  if (zone == Zone::kMedium) {
    undecided_.Add(value);
    ++pending_;
  }
  return zone;
}

void BoundarySide::Save(ByteWriter& writer) const {
  writer.Text(kTag);
  writer.Number(static_cast<std::uint8_t>(recycled_ ? 1 : 0));
  writer.Number(pending_);
  writer.Number(restarts_);
  set_.Save(writer);
  undecided_.Save(writer);
  stopper_->Save(writer);
}

Status BoundarySide::Load(const BoundaryPhase& phase, const BoundarySamplers&,
                          ByteReader& reader) {
  const Error damaged{ErrorCode::kCorruption,
                      "the saved boundary sets make no sense"};
  if (reader.Text() != kTag) return damaged;
  const auto recycled = reader.Number<std::uint8_t>();
  pending_ = reader.Number<std::uint32_t>();
  if (recycled > 1 || pending_ > kRoundsPerCheck) return damaged;
  recycled_ = recycled == 1;
  restarts_ = reader.Number<std::uint64_t>();
  const SideNoise& noise = recycled_ ? phase.recycled : phase.initial;
  if (!set_.Load(noise.size, reader)) return damaged;
  if (!undecided_.Load(phase.recycled.size, reader)) return damaged;
  auto stopper = Stopper::Load(MakeStopper(noise), reader);
  if (!stopper) return damaged;
  stopper_ = *std::move(stopper);
  return Ok();
}

}  // namespace sotto
