#include "sotto/mechanisms/counters/unknown_horizon_counter.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string_view>
#include <vector>

#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "unknown-horizon-counter-2";
constexpr std::uint64_t kMaxFirstEpoch = std::uint64_t{1} << 20;
// Epochs double from 1: none has a larger index before kMaxSteps is reached.
constexpr std::uint64_t kMaxEpochs = 32;
// No estimate is further from the count: far beyond what noise can add up to.
constexpr std::int64_t kMaxError = std::int64_t{1} << 60;

double LogAdd(double a, double b) {
  const double high = std::max(a, b);
  return high + std::log1p(std::exp(std::min(a, b) - high));
}

// Returns true if noise can lead to this estimate after `steps` steps.
bool Plausible(std::int64_t estimate, std::uint64_t steps) {
  const auto most =
      static_cast<std::int64_t>(steps * UnknownHorizonCounter::kMaxCount);
  return estimate >= -kMaxError && estimate <= most + kMaxError;
}

Error BadState() {
  return {ErrorCode::kCorruption,
          "the state is not that of a counter without horizon with these "
          "parameters"};
}

}  // namespace

TreeCounter::Params UnknownHorizonCounter::Epoch(const Params& params,
                                                 std::uint64_t index) {
  // The last epoch need not be longer than all that is allowed.
  const std::uint64_t length =
      std::min(params.first_epoch << std::min(index, kMaxEpochs),
               TreeCounter::kMaxHorizon);
  return {.epsilon = params.epsilon,
          .horizon = length,
          .failure = params.failure,
          .with_total = params.with_totals,
          .radices = {}};
}

Result<TreeShape> UnknownHorizonCounter::EpochShape(const Params& params,
                                                    std::uint64_t index) {
  const TreeCounter::Params epoch = Epoch(params, index);
  return TreeShape::Best({.epsilon = epoch.epsilon,
                          .horizon = epoch.horizon,
                          .failure = epoch.failure,
                          .with_total = epoch.with_total,
                          .radices = {}});
}

Result<UnknownHorizonCounter> UnknownHorizonCounter::Create(
    const Params& params) {
  if (params.first_epoch < 1 || params.first_epoch > kMaxFirstEpoch) {
    return InvalidArgument("the first epoch must have 1 to 2^20 steps");
  }
  SOTTO_TRY_ASSIGN(auto tree, TreeCounter::Create(Epoch(params, 0)));
  // Fewer than two draws a step and one total an epoch.
  const double draws = 3 * static_cast<double>(kMaxSteps);
  const double delta =
      UpMul(InflateUp(1 + std::exp(params.epsilon), 1e-12),
            std::ldexp(draws, -FixedWorkLaplace::TotalVariationLog2()));
  // An event is in the tree of one epoch; those of later epochs are deeper and
  // have more noise.
  Spend epoch = tree.guarantee().spend();
  epoch.cost.delta = 0;
  epoch.noise->scale = 0;
  SOTTO_TRY_ASSIGN(
      auto guarantee,
      MakeGuarantee(
          {.relation = Relation::kChangeByOne,
           .protects = "one event: the count of one step, changed by one",
           .spend = AddParts(
               "epoch", {std::move(epoch), MakePart("samplers", {0, delta})})},
          {params.epsilon, delta}));
  return UnknownHorizonCounter(params, std::move(tree), std::move(guarantee));
}

Status UnknownHorizonCounter::OpenNextEpoch() {
  SOTTO_TRY_ASSIGN(auto next, TreeCounter::Create(Epoch(params_, epoch_ + 1)));
  ++epoch_;
  closed_steps_ += tree_.steps();
  closed_estimate_ += last_estimate_;
  last_estimate_ = 0;
  tree_ = std::move(next);
  return Ok();
}

Result<std::int64_t> UnknownHorizonCounter::Add(std::uint64_t count, Rng& rng) {
  std::int64_t estimate = 0;
  SOTTO_TRY(AddBatch({&count, 1}, {&estimate, 1}, rng));
  return estimate;
}

Status UnknownHorizonCounter::AddBatch(std::span<const std::uint64_t> counts,
                                       std::span<std::int64_t> estimates,
                                       Rng& rng) {
  assert(counts.size() == estimates.size());
  if (counts.size() > kMaxSteps - steps()) {
    return FailedPrecondition(
        "the counter has no room for more than 2^31 steps");
  }
  if (std::ranges::any_of(counts, [](auto c) { return c > kMaxCount; })) {
    return InvalidArgument("a step's count must be at most 2^31");
  }
  while (!counts.empty()) {
    if (tree_.steps() == tree_.horizon()) {
      SOTTO_TRY(OpenNextEpoch());
    }
    const std::size_t size =
        std::min(counts.size(), tree_.horizon() - tree_.steps());
    const auto part = estimates.first(size);
    if (size == 1) {
      SOTTO_TRY_ASSIGN(auto estimate, tree_.Add(counts.front(), rng));
      part.front() = estimate;
    } else if (auto added = tree_.AddBatch(counts.first(size), part, rng);
               !added) {
      return added;
    }
    last_estimate_ = part.back();
    for (std::int64_t& estimate : part) estimate += closed_estimate_;
    counts = counts.subspan(size);
    estimates = estimates.subspan(size);
  }
  return Ok();
}

// unknown_horizon_counter.md, step 2.
Result<double> UnknownHorizonCounter::ErrorBound(std::uint64_t steps) const {
  if (steps < 1 || steps > kMaxSteps) {
    return InvalidArgument("the number of steps must be in [1, 2^31]");
  }
  std::vector<TreeShape> shapes;
  double max_tilt = HUGE_VAL;
  for (std::uint64_t covered = 0; covered < steps;) {
    SOTTO_TRY_ASSIGN(auto shape, EpochShape(params_, shapes.size()));
    // RationalBelow takes at most 2^-61 off a rate of at least 2^-26.
    shape.rate *= 1 - 1e-10;
    covered += shape.horizon;
    max_tilt = std::min(max_tilt, shape.MaxTilt());
    shapes.push_back(std::move(shape));
  }
  auto log_sum = [&](double tilt) {
    double closed = 0;
    double sum = -HUGE_VAL;
    for (const TreeShape& shape : shapes) {
      sum = LogAdd(sum, closed + shape.LogMomentSum(tilt));
      closed += shape.LogMomentAtEnd(tilt);
    }
    return sum;
  };
  const double error =
      LeastError(max_tilt, std::log(2 / params_.failure), log_sum);
  return InflateUp(error, 1e-9) + static_cast<double>(shapes.size());
}

void UnknownHorizonCounter::Save(ByteWriter& writer) const {
  writer.Text(kTag);
  writer.Real(params_.epsilon);
  writer.Number(params_.first_epoch);
  writer.Real(params_.failure);
  writer.Number(params_.with_totals);
  writer.Number(epoch_);
  writer.Number(closed_steps_);
  writer.Number(closed_estimate_);
  writer.Number(last_estimate_);
  tree_.Save(writer);
}

Result<UnknownHorizonCounter> UnknownHorizonCounter::Load(const Params& params,
                                                          ByteReader& reader) {
  auto counter = Create(params);
  if (!counter) return counter;
  bool same = reader.Text() == kTag;
  same &= reader.Real() == params.epsilon;
  same &= reader.Number<std::uint64_t>() == params.first_epoch;
  same &= reader.Real() == params.failure;
  same &= reader.Number<std::uint8_t>() == (params.with_totals ? 1 : 0);
  counter->epoch_ = reader.Number<std::uint64_t>();
  counter->closed_steps_ = reader.Number<std::uint64_t>();
  counter->closed_estimate_ = reader.Number<std::int64_t>();
  counter->last_estimate_ = reader.Number<std::int64_t>();
  if (!same || reader.failed() || counter->epoch_ > kMaxEpochs ||
      counter->closed_steps_ > kMaxSteps) {
    return BadState();
  }
  // Epochs are as long as their shapes say, so the clock must agree.
  std::uint64_t closed = 0;
  for (std::uint64_t k = 0; k < counter->epoch_ && closed <= kMaxSteps; ++k) {
    SOTTO_TRY_ASSIGN(const auto shape, EpochShape(params, k));
    closed += shape.horizon;
  }
  if (closed != counter->closed_steps_) return BadState();
  SOTTO_TRY_ASSIGN(auto tree,
                   TreeCounter::Load(Epoch(params, counter->epoch_), reader));
  counter->tree_ = std::move(tree);
  if (counter->steps() > kMaxSteps ||
      !Plausible(counter->closed_estimate_, closed) ||
      !Plausible(counter->last_estimate_, counter->tree_.steps())) {
    return BadState();
  }
  return counter;
}

}  // namespace sotto
