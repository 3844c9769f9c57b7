#include "sotto/mechanisms/counters/square_root_counter.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/accounting/gaussian_analytic.h"
#include "sotto/accounting/rounding.h"
#include "sotto/accounting/spend.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "square-root-counter-2";
// Finer units make the sensitivity's rounding term vanish and the noise wider:
// 2^-20 costs 0.2 % at 10^8 steps (square_root_counter.md, Constants).
constexpr int kMaxScaleBits = 20;
constexpr int kMinScaleBits = 8;
constexpr double kMaxVariance = 0x1p60;
constexpr double kRelativeSlack = 1e-9;
constexpr std::size_t kChunk = 512;
// No state is larger, nor the estimate (square_root_counter.md, step 2).
constexpr Int128 kMaxState = Int128{1} << 107;

// The distance of `horizon` noises from rounded normal variables.
double TranscriptDistance(const Rational& variance, std::uint64_t horizon) {
  const double one =
      UpAdd(std::ldexp(1.0, -FixedWorkGaussian::TotalVariationLog2()),
            FixedWorkGaussian::RoundedNormalDistance(variance));
  return UpMul(static_cast<double>(horizon), one);
}

// Pr[|N| > x] for a standard normal N, a little more.
double TwoSidedTail(double x) {
  return InflateUp(std::erfc(x / std::numbers::sqrt2), kRelativeSlack);
}

// A bound on the number of steps in [first, next) that exceed x, expected.
struct Block {
  double steps;
  double deviation;
};

// The least x with sum of steps * tail(x / deviation) <= failure.
double UnionBound(const std::vector<Block>& blocks, double failure) {
  auto expected = [&](double x) {
    double sum = 0;
    for (const Block& b : blocks) {
      sum += b.steps * TwoSidedTail(x / b.deviation);
    }
    return sum;
  };
  double low = 0;
  double high = blocks.back().deviation;
  while (expected(high) > failure) high *= 2;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (expected(middle) > failure ? low : high) = middle;
  }
  return high;
}

Status Validate(const SquareRootCounter::Params& params) {
  if (!(params.epsilon >= 0x1p-10 && params.epsilon <= 16)) {
    return InvalidArgument(
        "the epsilon of a square-root counter must be in [2^-10, 16]");
  }
  if (!(params.delta >= 1e-12 && params.delta <= 0.5)) {
    return InvalidArgument(
        "the delta of a square-root counter must be in [1e-12, 1/2]");
  }
  if (params.horizon < 1 || params.horizon > SquareRootCounter::kMaxHorizon) {
    return InvalidArgument("the horizon of a counter must be in [1, 2^31]");
  }
  if (!(params.failure >= 1e-9 && params.failure < 1)) {
    return InvalidArgument("the failure probability must be in [1e-9, 1)");
  }
  return Ok();
}

bool IsState(Int128 value) { return value >= -kMaxState && value <= kMaxState; }

Error BadState() {
  return {ErrorCode::kCorruption,
          "the state is not that of a square-root counter with these "
          "parameters"};
}

}  // namespace

// square_root_counter.md, steps 4 and 5.
Result<SquareRootCounter::Calibration> SquareRootCounter::Calibrate(
    const Params& params, const SquareRootFilter& filter) {
  const double both = InflateUp(1 + std::exp(params.epsilon), 1e-12);
  for (int bits = kMaxScaleBits; bits >= kMinScaleBits; --bits) {
    const double sensitivity = filter.Sensitivity(bits, params.horizon);
    // The noise only grows as part of delta is set aside, and wider noise is
    // closer to normal: so the distance at the least noise bounds the real one.
    SOTTO_TRY_ASSIGN(const auto least,
                     GaussianSigma(params.epsilon, params.delta, 1));
    const auto floor =
        RationalBelow(std::pow(least * sensitivity, 2) * (1 - 1e-9));
    if (!floor) continue;
    const double distance = TranscriptDistance(*floor, params.horizon);
    const double spent = UpMul(both, distance);
    if (spent > params.delta / 2 || distance > params.failure / 2) continue;
    // The difference may round up by half a unit in the last place; the 1e-12
    // added to the variance covers that.
    SOTTO_TRY_ASSIGN(
        const auto sigma,
        GaussianSigma(params.epsilon, params.delta - spent * (1 + 1e-9), 1));
    const double deviation = UpMul(sigma, sensitivity);
    const double variance =
        std::ceil(InflateUp(deviation * deviation + 1.0 / 12, 1e-12));
    if (variance > kMaxVariance) continue;
    SOTTO_TRY_ASSIGN(auto exact,
                     Rational::Create(static_cast<std::uint64_t>(variance), 1));
    return Calibration{bits, exact, params.delta, distance};
  }
  return NotConverged(
      "no noise in 61 bits reaches this epsilon and delta at this "
      "horizon");
}

Result<SquareRootCounter> SquareRootCounter::Create(const Params& params) {
  SOTTO_TRY(Validate(params));
  SquareRootFilter filter = SquareRootFilter::Best(params.horizon);
  SOTTO_TRY_ASSIGN(auto calibration, Calibrate(params, filter));
  SOTTO_TRY_ASSIGN(auto noise, FixedWorkGaussian::Create(calibration.variance));
  SOTTO_TRY_ASSIGN(
      auto guarantee,
      MakeGuarantee(
          {.relation = Relation::kChangeByOne,
           .protects = "one event: the count of one step, changed by one",
           .spend = GaussianPart(
               "filtered counts", {params.epsilon, calibration.delta},
               std::sqrt(calibration.variance.ToDoubleDown()),
               filter.Sensitivity(calibration.scale_bits, params.horizon))},
          {params.epsilon, params.delta}));
  return SquareRootCounter(params, std::move(filter), calibration,
                           std::move(noise), std::move(guarantee));
}

SquareRootCounter::SquareRootCounter(const Params& params,
                                     SquareRootFilter filter,
                                     Calibration calibration,
                                     FixedWorkGaussian noise,
                                     Guarantee guarantee)
    : params_(params),
      filter_(std::move(filter)),
      calibration_(calibration),
      noise_(std::move(noise)),
      guarantee_(std::move(guarantee)),
      data_(filter_),
      released_(filter_) {
  error_bound_ = ComputeErrorBound();
}

// Step 7.
double SquareRootCounter::ComputeErrorBound() const {
  const InverseFilter inverse(filter_);
  const double unit = std::ldexp(1.0, -calibration_.scale_bits);
  const double sigma = std::sqrt(variance().ToDoubleUp()) * unit;
  std::vector<Block> blocks;
  const auto horizon = static_cast<double>(params_.horizon);
  for (double first = 1; first <= horizon;) {
    const double last = std::min(horizon, std::floor(first * 1.1));
    blocks.push_back(
        {last - first + 1, sigma * std::sqrt(inverse.SumOfSquares(last))});
    first = last + 1;
  }
  const double noise =
      UnionBound(blocks, params_.failure - calibration_.failure);
  // Errors of rounding: of y, of the normal variable, of the inverse filter,
  // and of the estimate itself.
  const double rounding =
      (2 * filter_.RoundingUnits(calibration_.scale_bits) + 0.5) * unit *
          inverse.Sum(horizon) +
      0.5;
  return InflateUp(noise, kRelativeSlack) + rounding;
}

double SquareRootCounter::LastDeviation() const {
  const double squares =
      InverseFilter(filter_).SumOfSquares(static_cast<double>(params_.horizon));
  return std::ldexp(std::sqrt(variance().ToDoubleUp() * squares),
                    -calibration_.scale_bits);
}

std::int64_t SquareRootCounter::Step(std::uint64_t count, std::int64_t noise) {
  using Filter = SquareRootFilter;
  constexpr int kProductBits = Filter::kWeighedBits + Filter::kWeightBits;
  const int scale = calibration_.scale_bits;
  // The integer whose sensitivity is bounded, and its release (steps 2, 4).
  const Int128 answer = data_.Filtered(count, scale) + noise;
  data_.Push(static_cast<Int128>(count) << Filter::kStateBits);
  // From here on only `answer` is used: post-processing (step 6).
  const Int128 increment =
      (answer << (Filter::kStateBits - scale)) -
      (released_.Weighted() >> (kProductBits - Filter::kStateBits));
  released_.Push(increment);
  prefix_ += increment;
  ++steps_;
  constexpr Int128 kHalf = Int128{1} << (Filter::kStateBits - 1);
  return static_cast<std::int64_t>((prefix_ + kHalf) >> Filter::kStateBits);
}

Status SquareRootCounter::CheckRoom(
    std::span<const std::uint64_t> counts) const {
  if (counts.size() > params_.horizon - steps_) {
    return FailedPrecondition("the counter was made for " +
                              std::to_string(params_.horizon) +
                              " steps and has no room for more");
  }
  if (std::ranges::any_of(counts, [](auto c) { return c > kMaxCount; })) {
    return InvalidArgument("a step's count must be at most 2^31");
  }
  return Ok();
}

Result<std::int64_t> SquareRootCounter::Add(std::uint64_t count, Rng& rng) {
  SOTTO_TRY(CheckRoom({&count, 1}));
  return Step(count, Watched(count, noise_.Sample(rng), rng));
}

// ConcatOptions, over all steps, the filtered answers move less (step 2).
std::int64_t SquareRootCounter::Watched(std::uint64_t count, std::int64_t noise,
                                        Rng& rng) {
  if (!rng.watched()) return noise;
  const int scale = calibration_.scale_bits;
  const auto answer = static_cast<std::int64_t>(data_.Filtered(count, scale));
  return noise - answer +
         rng.Private("filtered count", answer, std::int64_t{1} << scale);
}

Status SquareRootCounter::AddBatch(std::span<const std::uint64_t> counts,
                                   std::span<std::int64_t> estimates,
                                   Rng& rng) {
  assert(counts.size() == estimates.size());
  SOTTO_TRY(CheckRoom(counts));
  std::array<std::int64_t, kChunk> noises;
  for (std::size_t first = 0; first < counts.size(); first += kChunk) {
    const std::size_t size = std::min(kChunk, counts.size() - first);
    noise_.Fill(rng, std::span(noises).first(size));
    for (std::size_t i = 0; i < size; ++i) {
      estimates[first + i] = Step(counts[first + i], noises[i]);
    }
  }
  return Ok();
}

void SquareRootCounter::Save(ByteWriter& writer) const {
  writer.Text(kTag);
  writer.Real(params_.epsilon);
  writer.Real(params_.delta);
  writer.Number(params_.horizon);
  writer.Real(params_.failure);
  writer.Number(static_cast<std::uint64_t>(filter_.buffers.size()));
  for (const auto& buffer : filter_.buffers) {
    writer.Number(buffer.loss);
    writer.Number(buffer.weight);
  }
  writer.Number(static_cast<std::int64_t>(scale_bits()));
  writer.Number(variance().numerator());
  writer.Number(steps_);
  writer.Number(prefix_);
  for (const Int128 value : data_.state()) writer.Number(value);
  for (const Int128 value : released_.state()) writer.Number(value);
}

Result<SquareRootCounter> SquareRootCounter::Load(const Params& params,
                                                  ByteReader& reader) {
  auto counter = Create(params);
  if (!counter) return counter;
  const auto& buffers = counter->filter_.buffers;
  bool same = reader.Text() == kTag;
  same &= reader.Real() == params.epsilon;
  same &= reader.Real() == params.delta;
  same &= reader.Number<std::uint64_t>() == params.horizon;
  same &= reader.Real() == params.failure;
  same &= reader.Number<std::uint64_t>() == buffers.size();
  for (const auto& buffer : buffers) {
    same &= reader.Number<std::uint64_t>() == buffer.loss;
    same &= reader.Number<std::uint32_t>() == buffer.weight;
  }
  same &= reader.Number<std::int64_t>() == counter->scale_bits();
  same &= reader.Number<std::uint64_t>() == counter->variance().numerator();
  counter->steps_ = reader.Number<std::uint64_t>();
  counter->prefix_ = reader.Number<Int128>();
  bool bounded = IsState(counter->prefix_);
  for (ExponentialBuffers* side : {&counter->data_, &counter->released_}) {
    std::vector<Int128> state;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      state.push_back(reader.Number<Int128>());
    }
    bounded &= std::ranges::all_of(state, IsState);
    side->SetState(std::move(state));
  }
  if (!same || !bounded || reader.failed() ||
      counter->steps_ > params.horizon) {
    return BadState();
  }
  return counter;
}

}  // namespace sotto
