#include "sotto/mechanisms/soft_mirror.h"

#include <algorithm>
#include <utility>

#include "sotto/mechanisms/mirror_promise.h"
#include "sotto/mechanisms/soft_mirror_ramp.h"

namespace sotto {

SoftMirror::SoftMirror(std::uint64_t delay, SoftRamp ramp, Guarantee guarantee)
    : delay_(delay), ramp_(std::move(ramp)), guarantee_(std::move(guarantee)) {}

Result<SoftMirror> SoftMirror::Create(const Params& params) {
  if (auto valid =
          CheckMirrorTarget(params.epsilon, params.delta, params.delay);
      !valid) {
    return valid.error();
  }
  if (params.epsilon < 0.1) {
    return InvalidArgument("SoftMirror needs epsilon of at least 0.1");
  }
  auto ramp = FindSoftRamp(params.epsilon, params.delta);
  if (!ramp) return ramp.error();
  auto deltas = DeltaOf(*ramp, params.epsilon, kRampCells);
  if (!deltas) return deltas.error();
  const double certified =
      std::max(deltas->one_over_zero, deltas->zero_over_one);
  auto guarantee = MirrorPromise(params.epsilon, params.delta, certified);
  if (!guarantee) return guarantee.error();
  return SoftMirror(params.delay, std::move(*ramp), std::move(*guarantee));
}

bool SoftMirror::Next(bool one, Rng& rng) {
  if (!one) return false;
  if (ones_ == delay_ + ramp_.size()) return true;
  const std::uint64_t count = ones_++;
  return count >= delay_ && rng.Next() < ramp_[count - delay_];
}

double SoftMirror::expected_mistakes() const {
  return static_cast<double>(delay_) + RampMistakes(ramp_);
}

Result<SoftMirror> SoftMirror::Load(const Params& params, ByteReader& reader) {
  auto mirror = Create(params);
  if (!mirror) return mirror;
  mirror->ones_ = reader.Number<std::uint64_t>();
  if (reader.failed() || mirror->ones_ > mirror->worst_mistakes()) {
    return Error{ErrorCode::kCorruption, "no state of a SoftMirror"};
  }
  return mirror;
}

}  // namespace sotto
