#include "sotto/mechanisms/mirrors/random_step.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sotto {
namespace {

std::uint64_t ComputeDigest(const MirrorDistribution& distribution) {
  MirrorDigest digest;
  digest.Add(distribution);
  return digest.value();
}

double RoundUp(long double x) {
  return static_cast<double>(x) * kMirrorSumsUp + kMirrorRoundOff;
}

}  // namespace

RandomStep::RandomStep(const Params& params, MirrorDistribution distribution,
                       Guarantee guarantee)
    : head_{"random_step/1", params.epsilon, params.delta, params.delay,
            ComputeDigest(distribution)},
      distribution_(std::move(distribution)),
      guarantee_(std::move(guarantee)) {}

Result<RandomStep> RandomStep::Create(const Params& params) {
  if (auto valid =
          CheckMirrorTarget(params.epsilon, params.delta, params.delay);
      !valid) {
    return valid.error();
  }
  const long double bound = ExpDown(params.epsilon) * (1 - 1e-12L);
  const long double delta = MirrorDesignDelta(params.delta);
  // Step 4: the fastest rise and fall that steps 2 and 3 allow.
  const auto weights = HumpWeights({.start = delta,
                                    .growth = bound - 1,
                                    .addend = delta,
                                    .cap = bound,
                                    .decay = 1 / bound,
                                    .end = delta});
  if (weights.empty()) {
    return InvalidArgument("RandomStep needs epsilon above ln 2 here");
  }
  SOTTO_TRY_ASSIGN(auto distribution,
                   MirrorDistribution::Create(params.delay, weights));
  const Deltas deltas = ComputeDelta(distribution, params.epsilon);
  const double certified = std::max(deltas.one_over_zero, deltas.zero_over_one);
  SOTTO_TRY_ASSIGN(auto guarantee,
                   MirrorPromise(params.epsilon, params.delta, certified));
  return RandomStep(params, std::move(distribution), std::move(guarantee));
}

// The table is read at the first step, whatever its bit, and no later step
// branches on a bit or on what was drawn: time tells nothing (Contract).
bool RandomStep::Next(bool one, Rng& rng) {
  if (!drawn_) {
    drawn_ = true;
    left_ = distribution_.Draw(rng);
  }
  const auto bit = static_cast<std::uint64_t>(one);
  const auto silent = bit & static_cast<std::uint64_t>(left_ != 0);
  left_ -= silent;
  return bit != silent;
}

RandomStep::Deltas RandomStep::ComputeDelta(
    const MirrorDistribution& distribution, double epsilon) {
  const long double bound = ExpDown(epsilon);
  auto p = [&](std::uint64_t value) { return distribution.Probability(value); };
  long double later = 0;  // sum over m >= i of (p(m + 1) - e^eps p(m))_+
  long double rising = 0;
  long double falling = 0;
  for (std::uint64_t i = distribution.last(); i >= distribution.first(); --i) {
    later += std::max(0.0L, p(i + 1) - bound * p(i));
    falling += std::max(0.0L, p(i) - bound * p(i + 1));
    const long double here = std::max(0.0L, p(i) - (bound - 1) * p(i - 1));
    rising = std::max(rising, here + later);
  }
  return {RoundUp(rising), RoundUp(falling)};
}

void RandomStep::Save(ByteWriter& writer) const {
  SaveMirrorHead(head_, writer);
  writer.Number(static_cast<std::uint8_t>(drawn_));
  writer.Number(left_);
}

Result<RandomStep> RandomStep::Load(const Params& params, ByteReader& reader) {
  auto mirror = Create(params);
  if (!mirror) return mirror;
  SOTTO_TRY(CheckMirrorHead(mirror->head_, reader));
  const auto drawn = reader.Number<std::uint8_t>();
  mirror->drawn_ = drawn == 1;
  mirror->left_ = reader.Number<std::uint64_t>();
  if (reader.failed() || drawn > 1 ||
      mirror->left_ > mirror->distribution_.last() ||
      (drawn == 0 && mirror->left_ != 0)) {
    return Corruption("no state of a RandomStep");
  }
  return mirror;
}

}  // namespace sotto
