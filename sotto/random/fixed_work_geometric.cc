#include "sotto/random/fixed_work_geometric.h"

namespace sotto {

Result<FixedWorkGeometric> FixedWorkGeometric::Create(const Rational& rate) {
  using internal::GeometricDigits;
  SOTTO_TRY_ASSIGN(auto digits,
                   GeometricDigits::Create(rate, GeometricDigits::Sign::kNone));
  return FixedWorkGeometric(std::move(digits));
}

}  // namespace sotto
