#include "sotto/mechanisms/mirrors/staircase_mirror.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sotto/mechanisms/mirrors/staircase_mirror_search.h"

namespace sotto {
namespace {

constexpr long double kInfinity = std::numeric_limits<long double>::infinity();

// Step 3: the excess of the silence, for the worst position of the hidden one.
// `slack` is e^epsilon - (1 - theta_1 + theta_1 x_1).
long double SilenceExcess(const MirrorDistribution& distribution,
                          long double bound, long double slack,
                          long double memory) {
  auto p = [&](std::uint64_t value) { return distribution.Probability(value); };
  std::vector<long double> later(distribution.last() - distribution.first() + 2,
                                 0);
  for (std::uint64_t i = distribution.last(); i >= distribution.first(); --i) {
    later[i - distribution.first()] = later[i - distribution.first() + 1] +
                                      std::max(0.0L, p(i + 1) - bound * p(i));
  }
  long double worst = 0;
  long double accumulated = 0;  // A(i - 1)
  // Mass that A pays for, rounded down: A is right to 2^-46
  // (mirror_distribution.md).
  auto paid = [&](long double a) {
    return slack * a * (slack > 0 ? 1 - 0x1p-45L : 1 + 0x1p-45L);
  };
  // Up to g = last: where slack is negative, the end has an excess too.
  for (std::uint64_t i = distribution.first(); i <= distribution.last() + 1;
       ++i) {
    const long double here = std::max(0.0L, p(i) - paid(accumulated));
    worst = std::max(worst, here + later[i - distribution.first()]);
    accumulated = p(i) + memory * accumulated;
  }
  return worst;
}

// Step 4: what the boundaries between stairs cost. Infinite if a ratio exceeds
// e^epsilon or a threshold falls, which step 2 excludes.
long double StairsExcess(const std::vector<Stair>& stairs, long double bound) {
  long double worst = 0;
  for (std::size_t j = 0; j < stairs.size(); ++j) {
    const bool last = j + 1 == stairs.size();
    const long double next =
        last ? 1 : stairs[j + 1].top() * stairs[j + 1].length.MaxGrowth();
    if (!last && stairs[j + 1].threshold < stairs[j].threshold) {
      return kInfinity;
    }
    const long double ratio = (1 - stairs[j].top() + next) * (1 + 0x1p-58L);
    if (!(ratio <= bound) || (!last && stairs[j + 1].length.first() != 1)) {
      return kInfinity;
    }
    if (!last) {
      worst = std::max(worst,
                       stairs[j].top() * stairs[j + 1].length.Probability(1));
    }
  }
  if (!stairs.empty()) {
    worst = std::max(worst, stairs[0].top() * stairs[0].length.Probability(1));
  }
  return worst;
}

// Step 5: the reverse direction, where a distribution falls faster than it may.
long double FallExcess(const MirrorDistribution& distribution, long double keep,
                       long double bound) {
  long double sum = 0;
  for (std::uint64_t k = distribution.first(); k <= distribution.last(); ++k) {
    sum += std::max(0.0L,
                    distribution.Probability(k) * (1 - bound * keep) -
                        bound * (1 - keep) * distribution.Probability(k + 1));
  }
  return sum;
}

double RoundUp(long double x) {
  return static_cast<double>(x) * kMirrorSumsUp + kMirrorRoundOff;
}

std::uint64_t ComputeDigest(const Staircase& staircase) {
  MirrorDigest digest;
  digest.Add(staircase.silence);
  for (const Stair& stair : staircase.stairs) {
    digest.Add(stair.threshold);
    digest.Add(stair.length);
  }
  return digest.value();
}

}  // namespace

double Staircase::ExpectedMistakes() const {
  double sum = silence.Mean();
  for (const Stair& stair : stairs) {
    sum += stair.length.Mean() * static_cast<double>(1 / stair.top() - 1);
  }
  return sum;
}

StaircaseDeltas ComputeDelta(const Staircase& staircase, double epsilon) {
  const long double bound = ExpDown(epsilon);
  const std::vector<Stair>& stairs = staircase.stairs;
  // Without stairs the step goes straight to "always top": theta = x = 1.
  const long double top = stairs.empty() ? 1 : stairs[0].top();
  const long double growth = stairs.empty() ? 1 : stairs[0].length.MaxGrowth();
  if (!stairs.empty() && stairs[0].length.first() != 1) {
    return {static_cast<double>(kInfinity), static_cast<double>(kInfinity)};
  }
  const long double slack = bound - (1 - top + top * growth);
  const long double silence =
      SilenceExcess(staircase.silence, bound, slack, 1 - top);
  const long double forward = silence + StairsExcess(stairs, bound);
  long double backward = FallExcess(staircase.silence, 0, bound);
  for (const Stair& stair : stairs) {
    backward += FallExcess(stair.length, 1 - stair.top(), bound);
  }
  return {RoundUp(forward), RoundUp(backward)};
}

StaircaseMirror::StaircaseMirror(const Params& params, Staircase staircase,
                                 const StaircaseDeltas& deltas,
                                 Guarantee guarantee)
    : head_{"staircase_mirror/1", params.epsilon, params.delta, params.delay,
            ComputeDigest(staircase)},
      staircase_(std::move(staircase)),
      deltas_(deltas),
      guarantee_(std::move(guarantee)),
      left_(staircase_.stairs.size() + 1, 0) {}

Result<StaircaseMirror> StaircaseMirror::Create(const Params& params) {
  if (auto valid =
          CheckMirrorTarget(params.epsilon, params.delta, params.delay);
      !valid) {
    return valid.error();
  }
  if (!(params.back >= 0 && params.back <= params.epsilon)) {
    return InvalidArgument(
        "a mirror's way back needs an epsilon up to its own");
  }
  const double back = params.back > 0 ? params.back : params.epsilon;
  SOTTO_TRY_ASSIGN(auto staircase, FindStaircase(params.epsilon, back,
                                                 params.delta, params.delay));
  // Step 5 asks for nothing that the other direction does.
  const StaircaseDeltas deltas{
      ComputeDelta(staircase, params.epsilon).one_over_zero,
      ComputeDelta(staircase, back).zero_over_one};
  const double certified = std::max(deltas.one_over_zero, deltas.zero_over_one);
  SOTTO_TRY_ASSIGN(auto guarantee,
                   MirrorPromise(params.epsilon, params.delta, certified));
  return StaircaseMirror(params, std::move(staircase), deltas,
                         std::move(guarantee));
}

void StaircaseMirror::Draw(Rng& rng) {
  drawn_ = true;
  left_[0] = staircase_.silence.Draw(rng);
  for (std::size_t j = 1; j < left_.size(); ++j) {
    left_[j] = staircase_.stairs[j - 1].length.Draw(rng);
  }
}

// The tables are read at the first step, whatever its bit. Every step draws one
// coin and passes over all stairs, and does not branch on a bit, on a coin or
// on what was drawn: time tells nothing (Contract).
bool StaircaseMirror::Next(bool one, Rng& rng) {
  if (!drawn_) Draw(rng);
  const std::uint64_t coin = rng.Next();
  const auto bit = static_cast<std::uint64_t>(one);
  std::uint64_t over = 1;  // All phases before j are over.
  std::uint64_t top = 0;
  for (std::size_t j = 0; j < left_.size(); ++j) {
    const std::uint64_t here = over & static_cast<std::uint64_t>(left_[j] != 0);
    const std::uint64_t shown =
        j == 0 ? 0
               : static_cast<std::uint64_t>(coin <
                                            staircase_.stairs[j - 1].threshold);
    left_[j] -= bit & here & (j == 0 ? 1 : shown);
    top |= here & shown;
    over &= here ^ 1;
  }
  return (bit & (top | over)) != 0;
}

void StaircaseMirror::Save(ByteWriter& writer) const {
  SaveMirrorHead(head_, writer);
  writer.Number(static_cast<std::uint8_t>(drawn_));
  for (const std::uint64_t left : left_) writer.Number(left);
}

std::uint64_t StaircaseMirror::Longest(std::size_t phase) const {
  return phase == 0 ? staircase_.silence.last()
                    : staircase_.stairs[phase - 1].length.last();
}

Result<StaircaseMirror> StaircaseMirror::Load(const Params& params,
                                              ByteReader& reader) {
  auto mirror = Create(params);
  if (!mirror) return mirror;
  return mirror->Resumed(reader);
}

Result<StaircaseMirror> StaircaseMirror::Resumed(ByteReader& reader) const {
  SOTTO_TRY(CheckMirrorHead(head_, reader));
  StaircaseMirror mirror = *this;
  const auto drawn = reader.Number<std::uint8_t>();
  mirror.drawn_ = drawn == 1;
  bool valid = drawn <= 1;
  bool before = true;  // Nothing is left of the phases so far.
  for (std::size_t j = 0; j < mirror.left_.size(); ++j) {
    const auto left = reader.Number<std::uint64_t>();
    mirror.left_[j] = left;
    before = before && left == 0;
    valid = valid && left <= mirror.Longest(j) && (before || left > 0);
  }
  if (reader.failed() || !valid || (drawn == 0 && !before)) {
    return Corruption("no state of a StaircaseMirror");
  }
  return mirror;
}

}  // namespace sotto
