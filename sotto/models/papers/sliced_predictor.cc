#include "sotto/models/papers/sliced_predictor.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "sotto/base/memo.h"
#include "sotto/mechanisms/slicing/reorder_slice_compute.h"
#include "sotto/models/papers/sliced_cost.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "sliced-predictor/1";
// A geometric number of rate e_g is above this / e_g with probability e^-this,
// below the samplers' distance.
constexpr double kLongest = 72;

// Delta of the records in the data that a phase begins with.
double DeltaBefore(const BoundaryPhases& phases, std::size_t phase) {
  std::uint64_t before = 0;
  for (std::size_t p = 0; p < phase; ++p) before += phases.phases[p].length;
  return phases.schedule.At(before);
}

// Cutting puts slices away and shows nothing, so any budget is enough for it.
// Tests on them are charged by sliced_cost.h.
constexpr double kCut = 0x1p-14;

Result<ReorderSliceCompute<SlicedPoint>> MakeSlicer(
    const BoundaryPhases& phases, std::size_t phase,
    std::vector<SlicedPoint> points) {
  return ReorderSliceCompute<SlicedPoint>::Create(
      {.slice_epsilon = kCut,
       .slice_relation = Relation::kReplace,
       .replace_covers_shorter = true,
       .slices = phases.target.sides,
       .failure = DeltaBefore(phases, phase),
       .geometric_rate = SliceSizeRate(phases, phase)},
      std::move(points));
}

Status CheckNumbers(const BoundaryPhases& phases) {
  if (phases.phases.empty() || phases.target.sides % 2 != 0) {
    return InvalidArgument("a box has two sides on every axis");
  }
  SOTTO_TRY(CheckSlicedPhases(phases));
  for (std::size_t p = 0; p < phases.phases.size(); ++p) {
    SOTTO_TRY(SlicedSamplers::Create(phases.phases[p].initial));
    SOTTO_TRY(MakeSlicer(phases, p, {}));
  }
  return Ok();
}

}  // namespace

OutermostPoints SlicedPredictor::MakePoints(const BoundaryPhases& phases,
                                            std::size_t phase) {
  const double longest = std::ceil(kLongest / SliceSizeRate(phases, phase));
  return {phases.target.sides / 2,
          static_cast<std::uint64_t>(phases.phases[phase].initial.size) +
              static_cast<std::uint64_t>(longest)};
}

// The numbers are public, and the same ones are checked again and again.
Status SlicedPredictor::Check(const BoundaryPhases& phases) {
  static Memo<BoundaryPhases, Status> memo;
  return memo.Get(phases, [&] { return CheckNumbers(phases); });
}

SlicedPredictor::SlicedPredictor(std::vector<std::uint32_t> features,
                                 BoundaryPhases phases, SlicedSamplers samplers)
    : features_(std::move(features)),
      phases_(std::move(phases)),
      samplers_(std::move(samplers)),
      positives_(0, 0) {
  for (std::uint32_t j = 0; j < features_.size(); ++j) {
    sides_.emplace_back(SliceOrder{j, false});
    sides_.emplace_back(SliceOrder{j, true});
  }
}

Result<SlicedPredictor> SlicedPredictor::Prepare(
    std::vector<std::uint32_t> features, BoundaryPhases phases) {
  if (2 * features.size() != phases.target.sides) {
    return InvalidArgument("the phases are for another number of sides");
  }
  SOTTO_TRY(Check(phases));
  SOTTO_TRY_ASSIGN(auto samplers,
                   SlicedSamplers::Create(phases.phases.front().initial));
  return SlicedPredictor(std::move(features), std::move(phases),
                         std::move(samplers));
}

Result<SlicedPredictor> SlicedPredictor::Create(
    std::vector<std::uint32_t> features, BoundaryPhases phases,
    OutermostPoints points, Rng& rng) {
  auto made = Prepare(std::move(features), std::move(phases));
  if (!made) return made.error();
  SOTTO_TRY(made->CutSlices(std::move(points), rng));
  return made;
}

// Steps 2 to 4, and 5(j) ii to iv.
Status SlicedPredictor::CutSlices(OutermostPoints points, Rng& rng) {
  SOTTO_TRY_ASSIGN(auto slicer,
                   MakeSlicer(phases_, phase_, std::move(points).Take()));
  SOTTO_TRY_ASSIGN(const auto cost,
                   Guarantee::Create({.relation = Relation::kReplace,
                                      .epsilon = kCut,
                                      .protects = "one point"}));
  for (const SliceOrder& by : SliceOrders(phases_.target.sides / 2)) {
    SlicedSide& side = sides_[2 * by.axis + (by.mirrored ? 1 : 0)];
    const SliceFunction run(cost, [&](std::vector<SlicedPoint> slice, Rng&) {
      side.Begin(slice);
      return true;
    });
    SOTTO_TRY(slicer.Slice(now().initial.size, by, run, rng));
  }
  const bool last = phase_ + 1 == phases_.phases.size();
  positives_ = last ? OutermostPoints(phases_.target.sides / 2, 0)
                    : MakePoints(phases_, phase_ + 1);
  return Ok();
}

// Nothing of it depends on data, and all of it was done in Check: it cannot
// fail.
void SlicedPredictor::NextPhase(Rng& rng) {
  OutermostPoints points = std::move(positives_);
  ++phase_;
  ticks_ = 0;
  samplers_ = *SlicedSamplers::Create(now().initial);
  const Status cut = CutSlices(std::move(points), rng);
  (void)cut;
}

SlicedPoint SlicedPredictor::MakePoint(FeatureView x) const {
  SlicedPoint point;
  point.reserve(features_.size());
  for (const std::uint32_t feature : features_) {
    point.push_back(ValueAt(x, feature));
  }
  return point;
}

// Steps (a) and (b), in every round alike, empty or not.
void SlicedPredictor::AskToStop(Rng& rng) {
  for (SlicedSide& side : sides_) {
    if (!side.Ask(samplers_, rng)) continue;
    side.Recycle();
    ++restarts_;
  }
}

// Step (j).
void SlicedPredictor::EndRound(Rng& rng) {
  ++ticks_;
  if (ticks_ == now().length && !halted()) NextPhase(rng);
}

// Steps (c) to (i). Points that are answered 0 need not be kept: slices are of
// positive ones.
SlicedPredictor::Answered SlicedPredictor::Answer(FeatureView x, Rng& rng) {
  AskToStop(rng);
  SlicedPoint point = MakePoint(x);
  Answered answer{.inside = true};
  for (SlicedSide& side : sides_) {
    const SlicedSide::Zone zone = side.Test(point, samplers_, rng);
    if (zone == SlicedSide::Zone::kLow) continue;
    answer = {.inside = false, .undecided = zone == SlicedSide::Zone::kMedium};
    break;
  }
  const bool last = phase_ + 1 == phases_.phases.size();
  if (answer.inside && !last) positives_.Add(std::move(point));
  EndRound(rng);
  return answer;
}

void SlicedPredictor::PlayEmptyRound(Rng& rng) {
  AskToStop(rng);
  EndRound(rng);
}

void SlicedPredictor::Save(ByteWriter& writer) const {
  writer.Text(kTag);
  writer.Number(phase_);
  writer.Number(ticks_);
  writer.Number(restarts_);
  for (const SlicedSide& side : sides_) side.Save(writer);
  positives_.Save(writer);
}

Result<SlicedPredictor> SlicedPredictor::Load(
    std::vector<std::uint32_t> features, BoundaryPhases phases,
    ByteReader& reader) {
  const Error damaged = Corruption("the saved predictor makes no sense");
  auto made = Prepare(std::move(features), std::move(phases));
  if (!made) return made.error();
  const bool tagged = reader.Text() == kTag;
  made->phase_ = reader.Number<std::uint64_t>();
  made->ticks_ = reader.Number<std::uint64_t>();
  made->restarts_ = reader.Number<std::uint64_t>();
  const std::size_t count = made->phases_.phases.size();
  if (!tagged || made->phase_ >= count || made->ticks_ > made->now().length ||
      (made->ticks_ == made->now().length && made->phase_ + 1 < count)) {
    return damaged;
  }
  SOTTO_TRY_ASSIGN(made->samplers_,
                   SlicedSamplers::Create(made->now().initial));
  for (SlicedSide& side : made->sides_) {
    if (!side.Load(reader)) return damaged;
  }
  const bool last = made->phase_ + 1 == count;
  made->positives_ = last ? OutermostPoints(made->phases_.target.sides / 2, 0)
                          : MakePoints(made->phases_, made->phase_ + 1);
  if (!made->positives_.Load(reader)) return damaged;
  return made;
}

}  // namespace sotto
