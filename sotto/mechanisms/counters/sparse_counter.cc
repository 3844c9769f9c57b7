#include "sotto/mechanisms/counters/sparse_counter.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"
#include "sotto/mechanisms/counters/tree_counter_bound.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "sparse-counter-2";
constexpr std::uint64_t kMaxEvents = std::uint64_t{1} << 31;
constexpr std::uint64_t kMaxFirstEpoch = std::uint64_t{1} << 20;
constexpr std::size_t kChunk = 512;
// With limits up to kMaxLimit, and a rho below 2^26 (a draw is below 142 /
// rate, the rate at least 2^-18), a segment that one more step of kMaxCount
// closes stays below what the tree takes (sparse_counter.md, step 3).
constexpr double kMaxLimit = 0x1p29;
constexpr std::int64_t kMaxNoise = std::int64_t{1} << 26;
static_assert((std::int64_t{1} << 29) + kMaxNoise +
                  static_cast<std::int64_t>(SparseCounter::kMaxCount) <=
              static_cast<std::int64_t>(UnknownHorizonCounter::kMaxCount));
constexpr std::int64_t kMaxEstimate = std::int64_t{1} << 62;

Status Validate(const SparseCounter::Params& params) {
  if (!(params.epsilon >= 0x1p-16 && params.epsilon <= 16)) {
    return InvalidArgument("the epsilon of a counter must be in [2^-16, 16]");
  }
  if (params.horizon < 1 || params.horizon > SparseCounter::kMaxHorizon) {
    return InvalidArgument("the horizon of a counter must be in [1, 2^31]");
  }
  if (params.expected_events < 1 || params.expected_events > kMaxEvents) {
    return InvalidArgument("the expected events must be in [1, 2^31]");
  }
  if (!(params.failure >= 1e-9 && params.failure < 1)) {
    return InvalidArgument("the failure probability must be in [1e-9, 1)");
  }
  return Ok();
}

// The least whole x with e^(-rate x) * factor <= 1, or one more.
double LeastExceeding(double factor, double rate) {
  return std::max(0.0, std::ceil(InflateUp(std::log(factor) / rate, 1e-12)));
}

// sparse_counter.md, step 5, a third of the failure for each of the events.
// `mean` is how many events a segment surely holds.
std::optional<SparseCounter::Plan> Evaluate(const SparseCounter::Params& params,
                                            double test_share, double mean) {
  SparseCounter::Plan plan;
  plan.test_epsilon =
      RationalBelow(params.epsilon * test_share)->ToDoubleDown();
  plan.total_epsilon = StepDown(params.epsilon - plan.test_epsilon);
  const double third = params.failure / 3;
  const double early = LeastExceeding(
      static_cast<double>(params.horizon) / third, plan.test_epsilon);
  const double limit = early + mean - 1;
  const double segments =
      std::floor(static_cast<double>(params.expected_events) / mean);
  if (segments + 1 > static_cast<double>(kMaxFirstEpoch) || limit > kMaxLimit) {
    return std::nullopt;
  }
  const double late =
      LeastExceeding((segments + 1) / third, plan.test_epsilon) - 1;
  plan.limit = static_cast<std::int64_t>(limit);
  plan.segments =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(segments));
  // The open segment holds 0 to limit + late - 1 events.
  const double widest = limit + std::max(late, 0.0) - 1;
  plan.allowance = static_cast<std::int64_t>(std::floor(widest / 2));
  const auto shape = TreeShape::Best({.epsilon = plan.total_epsilon,
                                      .horizon = plan.segments,
                                      .failure = third});
  if (!shape) return std::nullopt;
  plan.error = InflateUp(shape->ErrorBound(third), 1e-9) +
               (widest - static_cast<double>(plan.allowance));
  return plan;
}

Error BadState() {
  return {ErrorCode::kCorruption,
          "the state is not that of a sparse counter with these parameters"};
}

}  // namespace

Result<SparseCounter::Plan> SparseCounter::Best(const Params& params) {
  SOTTO_TRY(Validate(params));
  std::optional<Plan> best;
  for (const double share : {0.25, 0.35, 0.45, 0.55, 0.65, 0.75}) {
    std::optional<Plan> best_of_share;
    // Fewer, fuller segments: the error first falls, then rises.
    for (std::uint64_t mean = 1; mean <= params.expected_events + 1;
         mean += mean * 3 / 10 + 1) {
      const auto plan = Evaluate(params, share, static_cast<double>(mean));
      if (!plan) continue;
      if (!best_of_share || plan->error < best_of_share->error) {
        best_of_share = plan;
      } else if (plan->error > 1.5 * best_of_share->error) {
        break;
      }
    }
    if (!best_of_share) continue;
    if (!best || best_of_share->error < best->error) best = best_of_share;
  }
  if (!best) {
    return NotConverged("too many events for a sparse counter");
  }
  return *best;
}

Result<SparseCounter> SparseCounter::Create(const Params& params) {
  SOTTO_TRY_ASSIGN(auto plan, Best(params));
  SOTTO_TRY_ASSIGN(const auto rate, RationalBelow(plan.test_epsilon));
  SOTTO_TRY_ASSIGN(auto noise, FixedWorkGeometric::Create(rate));
  SOTTO_TRY_ASSIGN(auto totals,
                   UnknownHorizonCounter::Create({.epsilon = plan.total_epsilon,
                                                  .first_epoch = plan.segments,
                                                  .failure = params.failure / 3,
                                                  .with_totals = false}));
  // A step draws at most two noises for its test and fewer than three for the
  // totals (sparse_counter.md, step 4).
  static_assert(FixedWorkGeometric::TotalVariationLog2() ==
                FixedWorkLaplace::TotalVariationLog2());
  const double distance = std::ldexp(5 * static_cast<double>(params.horizon),
                                     -FixedWorkGeometric::TotalVariationLog2());
  const double delta =
      UpMul(InflateUp(1 + std::exp(params.epsilon), 1e-12), distance);
  Spend segments = totals.guarantee().spend();
  segments.name = "totals of segments";
  segments.parts.pop_back();  // its samplers are in delta
  SOTTO_TRY_ASSIGN(
      auto guarantee,
      MakeGuarantee(
          {.relation = Relation::kChangeByOne,
           .protects = "one event: the count of one step, changed by one",
           .spend =
               AddParts("segment", {PurePart("tests", SamplerKind::kGeometric,
                                             rate.ToDoubleUp(), 1),
                                    std::move(segments),
                                    MakePart("samplers", {0, delta})})},
          {params.epsilon, delta}));
  return SparseCounter(params, plan, std::move(noise), std::move(totals),
                       std::move(guarantee));
}

SparseCounter::SparseCounter(const Params& params, const Plan& plan,
                             FixedWorkGeometric noise,
                             UnknownHorizonCounter totals, Guarantee guarantee)
    : params_(params),
      plan_(plan),
      noise_(std::move(noise)),
      totals_(std::move(totals)),
      guarantee_(std::move(guarantee)) {}

Result<std::int64_t> SparseCounter::Step(std::uint64_t count,
                                         std::int64_t test_noise, Rng& rng) {
  if (!has_offset_) {
    offset_ = noise_.Sample(rng);
    has_offset_ = true;
  }
  open_ += static_cast<std::int64_t>(count);
  ++steps_;
  const std::int64_t seen = rng.Private("open segment", open_, 1);
  if (seen + test_noise >= plan_.limit + offset_) {
    SOTTO_TRY_ASSIGN(const auto total,
                     totals_.Add(static_cast<std::uint64_t>(open_), rng));
    estimate_ = total;
    open_ = 0;
    has_offset_ = false;  // A segment's rho is never used again (step 2).
  }
  return estimate_ + plan_.allowance;
}

Status SparseCounter::CheckRoom(std::span<const std::uint64_t> counts) const {
  if (counts.size() > params_.horizon - steps_) {
    return FailedPrecondition("the counter was made for " +
                              std::to_string(params_.horizon) +
                              " steps and has no room for more");
  }
  if (std::ranges::any_of(counts, [](auto c) { return c > kMaxCount; })) {
    return InvalidArgument("a step's count must be at most 2^30");
  }
  return Ok();
}

Result<std::int64_t> SparseCounter::Add(std::uint64_t count, Rng& rng) {
  SOTTO_TRY(CheckRoom({&count, 1}));
  return Step(count, noise_.Sample(rng), rng);
}

Status SparseCounter::AddBatch(std::span<const std::uint64_t> counts,
                               std::span<std::int64_t> estimates, Rng& rng) {
  assert(counts.size() == estimates.size());
  SOTTO_TRY(CheckRoom(counts));
  std::array<std::int64_t, kChunk> noises;
  for (std::size_t first = 0; first < counts.size(); first += kChunk) {
    const std::size_t size = std::min(kChunk, counts.size() - first);
    noise_.Fill(rng, std::span(noises).first(size));
    for (std::size_t i = 0; i < size; ++i) {
      SOTTO_TRY_ASSIGN(const auto estimate,
                       Step(counts[first + i], noises[i], rng));
      estimates[first + i] = estimate;
    }
  }
  return Ok();
}

void SparseCounter::Save(ByteWriter& writer) const {
  writer.Text(kTag);
  writer.Real(params_.epsilon);
  writer.Number(params_.horizon);
  writer.Number(params_.expected_events);
  writer.Real(params_.failure);
  writer.Number(plan_.limit);
  writer.Number(plan_.allowance);
  writer.Real(plan_.test_epsilon);
  writer.Number(steps_);
  writer.Number(open_);
  writer.Number(offset_);
  writer.Number(has_offset_);
  writer.Number(estimate_);
  totals_.Save(writer);
}

Result<SparseCounter> SparseCounter::Load(const Params& params,
                                          ByteReader& reader) {
  auto counter = Create(params);
  if (!counter) return counter;
  bool same = reader.Text() == kTag;
  same &= reader.Real() == params.epsilon;
  same &= reader.Number<std::uint64_t>() == params.horizon;
  same &= reader.Number<std::uint64_t>() == params.expected_events;
  same &= reader.Real() == params.failure;
  same &= reader.Number<std::int64_t>() == counter->plan_.limit;
  same &= reader.Number<std::int64_t>() == counter->plan_.allowance;
  same &= reader.Real() == counter->plan_.test_epsilon;
  counter->steps_ = reader.Number<std::uint64_t>();
  counter->open_ = reader.Number<std::int64_t>();
  counter->offset_ = reader.Number<std::int64_t>();
  const auto has_offset = reader.Number<std::uint8_t>();
  counter->has_offset_ = has_offset == 1;
  counter->estimate_ = reader.Number<std::int64_t>();
  if (!same || reader.failed() || counter->steps_ > params.horizon ||
      has_offset > 1 || counter->open_ < 0 || counter->offset_ < 0 ||
      counter->offset_ > kMaxNoise || counter->estimate_ < -kMaxEstimate ||
      counter->estimate_ > kMaxEstimate) {
    return BadState();
  }
  // An open segment below its limit, or none.
  if (counter->open_ >=
      (counter->has_offset_ ? counter->plan_.limit + counter->offset_ : 1)) {
    return BadState();
  }
  SOTTO_TRY_ASSIGN(auto totals, UnknownHorizonCounter::Load(
                                    {.epsilon = counter->plan_.total_epsilon,
                                     .first_epoch = counter->plan_.segments,
                                     .failure = params.failure / 3,
                                     .with_totals = false},
                                    reader));
  if (totals.steps() > counter->steps_) return BadState();
  counter->totals_ = std::move(totals);
  return counter;
}

}  // namespace sotto
