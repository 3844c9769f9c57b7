#include "sotto/mechanisms/thresholds/exact_stopper.h"

#include <algorithm>
#include <cmath>

#include "sotto/random/noise_observer.h"
#include "sotto/random/wide_uniform.h"

namespace sotto {

Result<ExactStopper> ExactStopper::Create(double epsilon) {
  if (!(epsilon >= 0x1p-16) || epsilon > 16) {
    return InvalidArgument("a stopper takes an epsilon from 2^-16 to 16");
  }
  SOTTO_TRY_ASSIGN(const auto rate, RationalBelow(epsilon));
  SOTTO_TRY_ASSIGN(auto weights, LossWeights::Create(rate, kBits));
  return ExactStopper(epsilon, std::move(weights));
}

void ExactStopper::Begin(Rng& rng) {
  ReportSelection(rng, weights_, kThresholds);
  const std::size_t flat = weights_.flat();
  Uint128 steep = 0;
  for (std::size_t x = 0; x < flat; ++x) steep += weights_(x);
  const Uint128 total = steep + weights_.least() * (kThresholds - flat);
  const Uint128 target = WideUniformBelow(total, rng);
  std::uint64_t threshold = 0;
  Uint128 passed = 0;
  for (std::size_t x = 0; x < flat; ++x) {
    passed += weights_(x);
    threshold += static_cast<std::uint64_t>(passed <= target);
  }
  if (target >= steep) {  // once in 2^20 at most: exact_stopper.md
    threshold += Low64((target - steep) / weights_.least());
  }
  threshold_ = static_cast<std::int64_t>(threshold);
}

bool ExactStopper::Check(std::int64_t over, Rng& rng) const {
  const std::int64_t seen = rng.Private("exact stopper count", over, 1);
  const std::int64_t missing = threshold_ - std::min(seen, kMostOver);
  const Uint128 weight =
      weights_(static_cast<std::uint64_t>(std::max<std::int64_t>(0, missing)));
  return (rng.Next() >> (64 - kBits)) < weight;
}

std::int64_t ExactStopper::EarlySlack(double failure) const {
  return static_cast<std::int64_t>(std::ceil(-std::log(failure) / rate_));
}

bool ExactStopper::Load(ByteReader& reader) {
  threshold_ = reader.Number<std::int64_t>();
  return threshold_ >= 0 && threshold_ < static_cast<std::int64_t>(kThresholds);
}

}  // namespace sotto
