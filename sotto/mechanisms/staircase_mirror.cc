#include "sotto/mechanisms/staircase_mirror.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sotto/mechanisms/mirror_promise.h"
#include "sotto/mechanisms/staircase_mirror_search.h"

namespace sotto {
namespace {

constexpr long double kInfinity = std::numeric_limits<long double>::infinity();

// Step 3: the excess of the silence, for the worst position of the hidden one.
// `slack` is e^epsilon - (1 - theta_1 + theta_1 x_1).
long double SilenceExcess(const MirrorLaw& law, long double bound,
                          long double slack, long double memory) {
  auto p = [&](std::uint64_t value) { return law.Probability(value); };
  std::vector<long double> later(law.last() - law.first() + 2, 0);
  for (std::uint64_t i = law.last(); i >= law.first(); --i) {
    later[i - law.first()] =
        later[i - law.first() + 1] + std::max(0.0L, p(i + 1) - bound * p(i));
  }
  long double worst = 0;
  long double accumulated = 0;  // A(i - 1)
  for (std::uint64_t i = law.first(); i <= law.last(); ++i) {
    const long double here = std::max(0.0L, p(i) - slack * accumulated);
    worst = std::max(worst, here + later[i - law.first()]);
    accumulated = p(i) + memory * accumulated;
  }
  return worst;
}

// Step 4: what the boundaries between stairs cost. Infinite if a ratio exceeds
// e^epsilon.
long double StairsExcess(const std::vector<Stair>& stairs, long double bound) {
  long double worst = 0;
  for (std::size_t j = 0; j < stairs.size(); ++j) {
    const bool last = j + 1 == stairs.size();
    const long double next =
        last ? 1 : stairs[j + 1].top() * stairs[j + 1].length.MaxGrowth();
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

// Step 5: the reverse direction, where a law falls faster than it may.
long double FallExcess(const MirrorLaw& law, long double keep,
                       long double bound) {
  long double sum = 0;
  for (std::uint64_t k = law.first(); k <= law.last(); ++k) {
    sum += std::max(0.0L, law.Probability(k) * (1 - bound * keep) -
                              bound * (1 - keep) * law.Probability(k + 1));
  }
  return sum;
}

double RoundUp(long double x) {
  return static_cast<double>(x) * (1 + 0x1p-50) + kMirrorRoundOff;
}

}  // namespace

double Staircase::ExpectedMistakes() const {
  double sum = silence.Mean();
  for (const Stair& stair : stairs) {
    sum += stair.length.Mean() * static_cast<double>(1 / stair.top() - 1);
  }
  return sum;
}

StaircaseDeltas DeltaOf(const Staircase& staircase, double epsilon) {
  const long double bound = ExpDown(epsilon);
  const std::vector<Stair>& stairs = staircase.stairs;
  // Without stairs the step goes straight to "top for ever": theta = x = 1.
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

StaircaseMirror::StaircaseMirror(Staircase staircase, Guarantee guarantee)
    : staircase_(std::move(staircase)), guarantee_(std::move(guarantee)) {}

Result<StaircaseMirror> StaircaseMirror::Create(const Params& params) {
  if (auto valid =
          CheckMirrorTarget(params.epsilon, params.delta, params.delay);
      !valid) {
    return valid.error();
  }
  auto staircase = FindStaircase(params.epsilon, params.delta, params.delay);
  if (!staircase) return staircase.error();
  const StaircaseDeltas deltas = DeltaOf(*staircase, params.epsilon);
  const double certified = std::max(deltas.one_over_zero, deltas.zero_over_one);
  auto guarantee = MirrorPromise(params.epsilon, params.delta, certified);
  if (!guarantee) return guarantee.error();
  return StaircaseMirror(std::move(*staircase), std::move(*guarantee));
}

void StaircaseMirror::Enter(std::uint64_t stair, Rng& rng) {
  stair_ = stair;
  const std::vector<Stair>& stairs = staircase_.stairs;
  if (stair == 0) {
    left_ = staircase_.silence.Draw(rng);
  } else if (stair <= stairs.size()) {
    left_ = stairs[stair - 1].length.Draw(rng);
  } else {
    left_ = 0;
  }
}

bool StaircaseMirror::Next(bool one, Rng& rng) {
  if (!one) return false;
  if (!drawn_) {
    drawn_ = true;
    Enter(0, rng);
  }
  if (stair_ > staircase_.stairs.size()) return true;
  const bool top =
      stair_ > 0 && rng.Next() < staircase_.stairs[stair_ - 1].threshold;
  const bool counts = stair_ == 0 || top;
  if (counts && --left_ == 0) Enter(stair_ + 1, rng);
  return top;
}

void StaircaseMirror::Save(ByteWriter& writer) const {
  writer.Number(static_cast<std::uint8_t>(drawn_));
  writer.Number(stair_);
  writer.Number(left_);
}

Result<StaircaseMirror> StaircaseMirror::Load(const Params& params,
                                              ByteReader& reader) {
  auto mirror = Create(params);
  if (!mirror) return mirror;
  const auto drawn = reader.Number<std::uint8_t>();
  mirror->drawn_ = drawn == 1;
  mirror->stair_ = reader.Number<std::uint64_t>();
  mirror->left_ = reader.Number<std::uint64_t>();
  const Staircase& staircase = mirror->staircase_;
  const std::uint64_t stair = mirror->stair_;
  const bool done = stair == staircase.stairs.size() + 1;
  std::uint64_t most = staircase.silence.last();
  if (stair > 0 && stair <= staircase.stairs.size()) {
    most = staircase.stairs[stair - 1].length.last();
  }
  const bool idle = drawn == 0 && stair == 0 && mirror->left_ == 0;
  const bool running =
      drawn == 1 && stair <= staircase.stairs.size() + 1 &&
      (done ? mirror->left_ == 0 : mirror->left_ >= 1 && mirror->left_ <= most);
  if (reader.failed() || !(idle || running)) {
    return Error{ErrorCode::kCorruption, "no state of a StaircaseMirror"};
  }
  return mirror;
}

}  // namespace sotto
