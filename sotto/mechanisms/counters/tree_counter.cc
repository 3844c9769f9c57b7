#include "sotto/mechanisms/counters/tree_counter.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>
#include <string_view>

#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "tree-counter-2";
constexpr std::size_t kChunk = 1024;  // steps whose noise is drawn together
// Sums of this many counts leave room for noise in 63 bits.
constexpr std::uint64_t kMaxRaisedHorizon = std::uint64_t{3} << 30;
// No level's estimate is further from its sum (tree_counter.md, step 6), in
// events.
constexpr std::int64_t kMaxLevelError = std::int64_t{1} << 54;

// (1 + e^epsilon) * draws * distance of one draw (tree_counter.md, step 2).
double DeltaOfSampler(double epsilon, std::uint64_t draws) {
  const double distance =
      std::ldexp(1.0, -FixedWorkLaplace::TotalVariationLog2());
  const double both = InflateUp(1 + std::exp(epsilon), 1e-12);
  return UpMul(both, UpMul(static_cast<double>(draws), distance));
}

Error BadState() {
  return {ErrorCode::kCorruption,
          "the state is not that of a tree counter with these parameters"};
}

}  // namespace

Result<TreeCounter> TreeCounter::Create(const Params& params) {
  if (params.horizon > kMaxHorizon) {
    return InvalidArgument("the horizon of a tree counter is at most 2^31");
  }
  SOTTO_TRY_ASSIGN(auto shape, TreeShape::Best({.epsilon = params.epsilon,
                                                .horizon = params.horizon,
                                                .failure = params.failure,
                                                .with_total = params.with_total,
                                                .radices = params.radices}));
  if (shape.horizon > kMaxRaisedHorizon) {
    return InvalidArgument(
        "the tree of a counter with total may hold at most 3 * 2^30 steps");
  }
  SOTTO_TRY_ASSIGN(const auto rate, RationalBelow(shape.rate));
  SOTTO_TRY_ASSIGN(auto noise, FixedWorkLaplace::Create(rate));
  // The bound must speak of the rate the sampler has.
  shape.rate = rate.ToDoubleDown();
  const double delta =
      DeltaOfSampler(params.epsilon, shape.Draws(shape.horizon));
  SOTTO_TRY_ASSIGN(
      auto guarantee,
      MakeGuarantee(
          {.relation = Relation::kChangeByOne,
           .protects = "one event: the count of one step, changed by one",
           .spend = PurePart("nodes", SamplerKind::kLaplace, rate.ToDoubleUp(),
                             static_cast<double>(shape.levels()), delta)},
          {params.epsilon, delta}));
  return TreeCounter(params, std::move(shape), std::move(noise),
                     std::move(guarantee));
}

TreeCounter::TreeCounter(Params params, TreeShape shape, FixedWorkLaplace noise,
                         Guarantee guarantee)
    : params_(std::move(params)),
      shape_(std::move(shape)),
      noise_(std::move(noise)),
      guarantee_(std::move(guarantee)),
      levels_(shape_.levels()) {}

template <typename Noisy>
std::int64_t TreeCounter::Step(std::uint64_t count, const Noisy& noisy) {
  auto sum = static_cast<std::int64_t>(count);
  Int128 estimate = static_cast<Int128>(noisy(sum)) << kFractionBits;
  const std::size_t top = levels_.size() - 1;
  for (std::size_t l = 0;; ++l) {
    Level& level = levels_[l];
    prefix_ += estimate;
    level.estimate += estimate;
    level.sum += sum;
    if (++level.digit < shape_.radices[l] || l == top) break;
    // The parent closes: its own noisy sum and its children's estimates, in
    // the proportion of step 3.
    sum = level.sum;
    const Int128 own = static_cast<Int128>(noisy(sum)) << kFractionBits;
    const Int128 children = level.estimate;
    const auto weight = static_cast<Int128>(shape_.child_weights[l + 1]);
    estimate = own + ((weight * (children - own)) >> TreeShape::kWeightBits);
    prefix_ -= children;
    level = Level{};
  }
  ++steps_;
  constexpr Int128 kHalf = Int128{1} << (kFractionBits - 1);
  return static_cast<std::int64_t>((prefix_ + kHalf) >> kFractionBits);
}

Status TreeCounter::CheckRoom(std::span<const std::uint64_t> counts) const {
  if (counts.size() > horizon() - steps_) {
    return FailedPrecondition("the counter was made for " +
                              std::to_string(horizon()) +
                              " steps and has no room for more");
  }
  if (std::ranges::any_of(counts, [](auto c) { return c > kMaxCount; })) {
    return InvalidArgument("a step's count must be at most 2^31");
  }
  return Ok();
}

Result<std::int64_t> TreeCounter::Add(std::uint64_t count, Rng& rng) {
  SOTTO_TRY(CheckRoom({&count, 1}));
  return Step(count, [&](std::int64_t sum) {
    return rng.Private("tree node", sum, 1) + noise_.Sample(rng);
  });
}

Status TreeCounter::AddBatch(std::span<const std::uint64_t> counts,
                             std::span<std::int64_t> estimates, Rng& rng) {
  assert(counts.size() == estimates.size());
  SOTTO_TRY(CheckRoom(counts));
  std::vector<std::int64_t> noises;
  for (std::size_t first = 0; first < counts.size(); first += kChunk) {
    const std::size_t size = std::min(kChunk, counts.size() - first);
    noises.resize(shape_.Draws(steps_ + size) - shape_.Draws(steps_));
    noise_.Fill(rng, noises);
    const std::int64_t* next = noises.data();
    for (std::size_t i = first; i < first + size; ++i) {
      estimates[i] =
          Step(counts[i], [&](std::int64_t sum) { return sum + *next++; });
    }
  }
  return Ok();
}

void TreeCounter::Save(ByteWriter& writer) const {
  writer.Text(kTag);
  writer.Real(params_.epsilon);
  writer.Number(params_.horizon);
  writer.Real(params_.failure);
  writer.Number(params_.with_total);
  writer.Number(static_cast<std::uint64_t>(levels_.size()));
  for (const std::uint64_t radix : shape_.radices) writer.Number(radix);
  writer.Number(steps_);
  for (const Level& level : levels_) {
    writer.Number(level.sum);
    writer.Number(level.estimate);
  }
}

Result<TreeCounter> TreeCounter::Load(const Params& params,
                                      ByteReader& reader) {
  auto counter = Create(params);
  if (!counter) return counter;
  bool same = reader.Text() == kTag;
  same &= reader.Real() == params.epsilon;
  same &= reader.Number<std::uint64_t>() == params.horizon;
  same &= reader.Real() == params.failure;
  same &= reader.Number<std::uint8_t>() == (params.with_total ? 1 : 0);
  same &= reader.Number<std::uint64_t>() == counter->levels_.size();
  for (const std::uint64_t radix : counter->shape_.radices) {
    same &= reader.Number<std::uint64_t>() == radix;
  }
  counter->steps_ = reader.Number<std::uint64_t>();
  if (!same || counter->steps_ > counter->horizon()) return BadState();
  const auto sizes = counter->shape_.NodeSizes();
  for (std::size_t l = 0; l < sizes.size(); ++l) {
    Level& level = counter->levels_[l];
    const std::uint64_t closed = counter->steps_ / sizes[l];
    const bool top = l + 1 == sizes.size();
    level.digit = top ? closed : closed % counter->shape_.radices[l];
    level.sum = reader.Number<std::int64_t>();
    level.estimate = reader.Number<Int128>();
    const std::uint64_t most = level.digit * sizes[l] * kMaxCount;
    const Int128 error =
        (level.estimate >> kFractionBits) - static_cast<Int128>(level.sum);
    if (level.sum < 0 || static_cast<std::uint64_t>(level.sum) > most ||
        error < -kMaxLevelError || error > kMaxLevelError) {
      return BadState();
    }
    counter->prefix_ += level.estimate;
  }
  if (reader.failed()) return BadState();
  return counter;
}

}  // namespace sotto
