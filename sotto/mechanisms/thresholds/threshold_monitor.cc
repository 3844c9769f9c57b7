#include "sotto/mechanisms/thresholds/threshold_monitor.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "threshold-monitor-2";
constexpr std::int64_t kMaxThreshold = std::int64_t{1} << 62;
// A draw is below 142 / rate, and the rate at least 2^-21
// (fixed_work_geometric.md, step 4).
constexpr std::int64_t kMaxNoise = std::int64_t{1} << 29;

Status Validate(const ThresholdMonitor::Params& params) {
  if (!(params.epsilon >= 0x1p-20 && params.epsilon <= 16)) {
    return InvalidArgument("the epsilon of a monitor must be in [2^-20, 16]");
  }
  if (params.threshold < 1 || params.threshold > kMaxThreshold) {
    return InvalidArgument("the threshold must be in [1, 2^62]");
  }
  if (params.horizon < 1 || params.horizon > ThresholdMonitor::kMaxHorizon) {
    return InvalidArgument("the horizon of a monitor must be in [1, 2^31]");
  }
  if (!(params.failure >= 1e-9 && params.failure < 1)) {
    return InvalidArgument("the failure probability must be in [1e-9, 1)");
  }
  return Ok();
}

// The least whole g with e^(-rate g) * factor <= 1, or one more.
std::int64_t LeastExceeding(double factor, double rate) {
  const double g = InflateUp(std::log(factor) / rate, 1e-12);
  return static_cast<std::int64_t>(std::max(0.0, std::ceil(g)));
}

Error BadState() {
  return {ErrorCode::kCorruption,
          "the state is not that of a threshold monitor with these parameters"};
}

}  // namespace

Result<ThresholdMonitor> ThresholdMonitor::Create(const Params& params) {
  SOTTO_TRY(Validate(params));
  SOTTO_TRY_ASSIGN(const auto rate, RationalBelow(params.epsilon));
  SOTTO_TRY_ASSIGN(auto noise, FixedWorkGeometric::Create(rate));
  const double distance = std::ldexp(static_cast<double>(params.horizon) + 1,
                                     -FixedWorkGeometric::TotalVariationLog2());
  const double delta =
      UpMul(InflateUp(1 + std::exp(params.epsilon), 1e-12), distance);
  SOTTO_TRY_ASSIGN(
      auto guarantee,
      MakeGuarantee(
          {.relation = Relation::kChangeByOne,
           .protects = "one event: the count of one step, changed by one",
           .spend = PurePart("count", SamplerKind::kGeometric,
                             rate.ToDoubleUp(), 1, delta)},
          {params.epsilon, delta}));
  ThresholdMonitor monitor(params, std::move(noise), std::move(guarantee));
  // threshold_monitor.md, steps 3 and 4, half of `failure` each.
  const double e0 = rate.ToDoubleDown();
  const std::int64_t late = LeastExceeding(2 / params.failure, e0) - 1;
  const std::int64_t early =
      LeastExceeding(2 * static_cast<double>(params.horizon) /
                         (params.failure * (1 + std::exp(-e0))),
                     e0);
  monitor.limit_ = params.threshold - std::max<std::int64_t>(late, 0);
  monitor.early_slack_ =
      params.threshold - monitor.limit_ + std::max<std::int64_t>(early - 1, 0);
  return monitor;
}

ThresholdMonitor::ThresholdMonitor(const Params& params,
                                   FixedWorkGeometric noise,
                                   Guarantee guarantee)
    : params_(params),
      noise_(std::move(noise)),
      guarantee_(std::move(guarantee)) {}

Result<ThresholdMonitor::Answer> ThresholdMonitor::Add(std::uint64_t count,
                                                       Rng& rng) {
  if (halted_ || steps_ == params_.horizon) {
    return FailedPrecondition(halted_ ? "the monitor has reported and ended"
                                      : "the monitor's horizon is reached");
  }
  if (count > kMaxCount) {
    return InvalidArgument("a step's count must be at most 2^31");
  }
  if (steps_ == 0) offset_ = noise_.Sample(rng);
  count_ += static_cast<std::int64_t>(count);
  ++steps_;
  // Fresh noise in every step, events or not: step 2 needs it.
  const std::int64_t seen = rng.Private("monitor count", count_, 1);
  halted_ = seen + noise_.Sample(rng) >= limit_ + offset_;
  return halted_ ? Answer::kAbove : Answer::kBelow;
}

std::string ThresholdMonitor::Describe() const {
  const std::int64_t earliest = params_.threshold - early_slack_;
  if (earliest <= 0) {
    return "Warning: the threshold lies within the noise; 'above' may come at "
           "any time. A threshold above " +
           std::to_string(early_slack_) + " would tell something.";
  }
  char confidence[32];
  std::snprintf(confidence, sizeof(confidence), "%.6g",
                100 * (1 - params_.failure));
  return std::string("With probability ") + confidence +
         "%, 'above' does not come while the count is below " +
         std::to_string(earliest) +
         ", and has come by the line that brings it to " +
         std::to_string(params_.threshold) + " or more.";
}

void ThresholdMonitor::Save(ByteWriter& writer) const {
  writer.Text(kTag);
  writer.Real(params_.epsilon);
  writer.Number(params_.threshold);
  writer.Number(params_.horizon);
  writer.Real(params_.failure);
  writer.Number(count_);
  writer.Number(offset_);
  writer.Number(steps_);
  writer.Number(halted_);
}

Result<ThresholdMonitor> ThresholdMonitor::Load(const Params& params,
                                                ByteReader& reader) {
  auto monitor = Create(params);
  if (!monitor) return monitor;
  bool same = reader.Text() == kTag;
  same &= reader.Real() == params.epsilon;
  same &= reader.Number<std::int64_t>() == params.threshold;
  same &= reader.Number<std::uint64_t>() == params.horizon;
  same &= reader.Real() == params.failure;
  monitor->count_ = reader.Number<std::int64_t>();
  monitor->offset_ = reader.Number<std::int64_t>();
  monitor->steps_ = reader.Number<std::uint64_t>();
  const auto halted = reader.Number<std::uint8_t>();
  monitor->halted_ = halted == 1;
  if (!same || reader.failed() || monitor->steps_ > params.horizon ||
      halted > 1) {
    return BadState();
  }
  const auto most = static_cast<std::int64_t>(monitor->steps_ * kMaxCount);
  if (monitor->count_ < 0 || monitor->count_ > most || monitor->offset_ < 0 ||
      monitor->offset_ > kMaxNoise) {
    return BadState();
  }
  return monitor;
}

}  // namespace sotto
