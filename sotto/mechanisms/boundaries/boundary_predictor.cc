#include "sotto/mechanisms/boundaries/boundary_predictor.h"

#include <algorithm>

namespace sotto {
namespace {

constexpr std::string_view kTag = "boundary-predictor/1";

}  // namespace

BoundaryPredictor::BoundaryPredictor(std::vector<BoundaryAxis> axes,
                                     BoundaryPhases phases,
                                     BoundarySamplers samplers)
    : axes_(std::move(axes)),
      phases_(std::move(phases)),
      samplers_(std::move(samplers)),
      sides_(axes_.size()) {
  EmptyNextSets();
}

Result<BoundaryPredictor> BoundaryPredictor::Prepare(
    std::vector<BoundaryAxis> axes, BoundaryPhases phases) {
  if (phases.phases.empty() || axes.size() != phases.target.sides) {
    return InvalidArgument("the phases are for another number of sides");
  }
  SOTTO_TRY(CheckBoundaryPhases(phases));
  SOTTO_TRY_ASSIGN(auto samplers,
                   BoundarySamplers::Create(phases.phases.front()));
  return BoundaryPredictor(std::move(axes), std::move(phases),
                           std::move(samplers));
}

Result<BoundaryPredictor> BoundaryPredictor::Create(
    std::vector<BoundaryAxis> axes, BoundaryPhases phases,
    std::vector<BoundarySet> sets, Rng& rng) {
  auto made = Prepare(std::move(axes), std::move(phases));
  if (!made) return made.error();
  if (sets.size() != made->sides_.size()) {
    return InvalidArgument("every side needs a boundary set");
  }
  for (std::size_t s = 0; s < sets.size(); ++s) {
    if (sets[s].size() != made->now().initial.size) {
      return InvalidArgument("a boundary set has another size");
    }
    made->sides_[s].Begin(std::move(sets[s]), made->now(), made->samplers_,
                          rng);
  }
  return made;
}

// The last phase needs no sets for the next one.
void BoundaryPredictor::EmptyNextSets() {
  const bool last = phase_ + 1 == phases_.phases.size();
  const std::int64_t size = last ? 0 : phases_.phases[phase_ + 1].initial.size;
  next_.assign(axes_.size(), BoundarySet(size));
}

// Every set was sorted while it was filled, so this takes about as long as
// making the samplers.
void BoundaryPredictor::NextPhase(Rng& rng) {
  std::vector<BoundarySet> sets = std::move(next_);
  ++phase_;
  ticks_ = 0;
  EmptyNextSets();
  // Was checked at the beginning: it cannot fail.
  samplers_ = *BoundarySamplers::Create(now());
  for (std::size_t s = 0; s < sides_.size(); ++s) {
    sets[s].Settle();
    sides_[s].Begin(std::move(sets[s]), now(), samplers_, rng);
  }
}

// Runs in every round alike, empty or not: boundaries.md, step 2.
void BoundaryPredictor::Advance(Rng& rng) {
  if (ticks_ == now().length) NextPhase(rng);
  if (ticks_ % static_cast<std::uint64_t>(kRoundsPerCheck) == 0) {
    for (BoundarySide& side : sides_) side.Check(now(), samplers_, rng);
  }
  ++ticks_;
}

BoundaryPredictor::Answered BoundaryPredictor::Answer(FeatureView x, Rng& rng) {
  Advance(rng);
  for (std::size_t s = 0; s < sides_.size(); ++s) {
    const BoundarySide::Zone zone =
        sides_[s].Test(axes_[s].At(x), now(), samplers_, rng);
    // A query that one side could not decide goes to that side alone.
    if (zone != BoundarySide::Zone::kLow) {
      return {.inside = false,
              .undecided = zone == BoundarySide::Zone::kMedium};
    }
  }
  for (std::size_t s = 0; s < sides_.size(); ++s) {
    next_[s].Add(axes_[s].At(x));
  }
  return {.inside = true};
}

std::uint64_t BoundaryPredictor::restarts() const {
  std::uint64_t sum = 0;
  for (const BoundarySide& side : sides_) sum += side.restarts();
  return sum;
}

void BoundaryPredictor::Save(ByteWriter& writer) const {
  writer.Text(kTag);
  writer.Number(phase_);
  writer.Number(ticks_);
  for (const BoundarySide& side : sides_) side.Save(writer);
  for (const BoundarySet& set : next_) set.Save(writer);
}

Result<BoundaryPredictor> BoundaryPredictor::Load(
    std::vector<BoundaryAxis> axes, BoundaryPhases phases, ByteReader& reader) {
  const Error damaged{ErrorCode::kCorruption,
                      "the saved predictor makes no sense"};
  auto made = Prepare(std::move(axes), std::move(phases));
  if (!made) return made.error();
  const bool tagged = reader.Text() == kTag;
  made->phase_ = reader.Number<std::uint64_t>();
  made->ticks_ = reader.Number<std::uint64_t>();
  if (!tagged || made->phase_ >= made->phases_.phases.size() ||
      made->ticks_ > made->now().length) {
    return damaged;
  }
  made->EmptyNextSets();
  SOTTO_TRY_ASSIGN(auto samplers, BoundarySamplers::Create(made->now()));
  made->samplers_ = std::move(samplers);
  for (BoundarySide& side : made->sides_) {
    const Status loaded = side.Load(made->now(), made->samplers_, reader);
    if (!loaded) return loaded.error();
  }
  for (BoundarySet& set : made->next_) {
    if (!set.Load(set.size(), reader)) return damaged;
  }
  return made;
}

}  // namespace sotto
