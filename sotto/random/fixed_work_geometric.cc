#include "sotto/random/fixed_work_geometric.h"

namespace sotto {

Result<FixedWorkGeometric> FixedWorkGeometric::Create(const Rational& rate) {
  using internal::GeometricDigits;
  auto digits = GeometricDigits::Create(rate, GeometricDigits::Sign::kNone);
  if (!digits) return digits.error();
  return FixedWorkGeometric(*std::move(digits));
}

}  // namespace sotto
