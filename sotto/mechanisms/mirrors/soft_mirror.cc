#include "sotto/mechanisms/mirrors/soft_mirror.h"

#include <algorithm>
#include <utility>

#include "sotto/mechanisms/mirrors/soft_mirror_ramp.h"

namespace sotto {
namespace {

std::uint64_t ComputeDigest(const SoftRamp& ramp) {
  MirrorDigest digest;
  for (const std::uint64_t threshold : ramp) digest.Add(threshold);
  return digest.value();
}

}  // namespace

SoftMirror::SoftMirror(const Params& params, SoftRamp ramp, Guarantee guarantee)
    : head_{"soft_mirror/1", params.epsilon, params.delta, params.delay,
            ComputeDigest(ramp)},
      ramp_(std::move(ramp)),
      guarantee_(std::move(guarantee)) {}

Result<SoftMirror> SoftMirror::Create(const Params& params) {
  if (auto valid =
          CheckMirrorTarget(params.epsilon, params.delta, params.delay);
      !valid) {
    return valid.error();
  }
  if (params.epsilon < 0.1) {
    return InvalidArgument("SoftMirror needs epsilon of at least 0.1");
  }
  SOTTO_TRY_ASSIGN(auto ramp, FindSoftRamp(params.epsilon, params.delta));
  SOTTO_TRY_ASSIGN(auto deltas, ComputeDelta(ramp, params.epsilon, kRampCells));
  const double certified = std::max(deltas.one_over_zero, deltas.zero_over_one);
  SOTTO_TRY_ASSIGN(auto guarantee,
                   MirrorPromise(params.epsilon, params.delta, certified));
  return SoftMirror(params, std::move(ramp), std::move(guarantee));
}

// Every step draws a coin and looks at one place of the ramp, also where the
// answer is certain: else time would tell how far the count is.
bool SoftMirror::Next(bool one, Rng& rng) {
  const std::uint64_t end = worst_mistakes();
  const auto begun = static_cast<std::uint64_t>(ones_ >= head_.delay);
  const auto ended = static_cast<std::uint64_t>(ones_ == end);
  const std::uint64_t place = (ones_ - head_.delay) * begun - ended;
  const auto coin = static_cast<std::uint64_t>(rng.Next() < ramp_[place]);
  const auto bit = static_cast<std::uint64_t>(one);
  ones_ += bit & (ended ^ 1);
  return (bit & ((begun & coin) | ended)) != 0;
}

double SoftMirror::expected_mistakes() const {
  return static_cast<double>(head_.delay) + RampMistakes(ramp_);
}

void SoftMirror::Save(ByteWriter& writer) const {
  SaveMirrorHead(head_, writer);
  writer.Number(ones_);
}

Result<SoftMirror> SoftMirror::Load(const Params& params, ByteReader& reader) {
  auto mirror = Create(params);
  if (!mirror) return mirror;
  SOTTO_TRY(CheckMirrorHead(mirror->head_, reader));
  mirror->ones_ = reader.Number<std::uint64_t>();
  if (reader.failed() || mirror->ones_ > mirror->worst_mistakes()) {
    return Corruption("no state of a SoftMirror");
  }
  return mirror;
}

}  // namespace sotto
