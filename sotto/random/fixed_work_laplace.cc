#include "sotto/random/fixed_work_laplace.h"

namespace sotto {
namespace {

// G if the sign bit is clear, -1 - G if it is set (fixed_work_laplace.md,
// step 1).
std::int64_t Fold(std::int64_t drawn, unsigned bits) {
  const std::int64_t magnitude = drawn & ((std::int64_t{1} << bits) - 1);
  return magnitude ^ -(drawn >> bits);
}

}  // namespace

Result<FixedWorkLaplace> FixedWorkLaplace::Create(
    const Rational& inverse_scale) {
  using internal::GeometricDigits;
  SOTTO_TRY_ASSIGN(auto digits,
                   GeometricDigits::Create(
                       inverse_scale, GeometricDigits::Sign::kAboveTheTop));
  return FixedWorkLaplace(std::move(digits));
}

std::int64_t FixedWorkLaplace::Sample(Rng& rng) const {
  return Fold(digits_.Draw(rng), digits_.bits());
}

void FixedWorkLaplace::Fill(Rng& rng, std::span<std::int64_t> values) const {
  digits_.Fill(rng, values);
  for (std::int64_t& value : values) value = Fold(value, digits_.bits());
}

}  // namespace sotto
