#include "sotto/random/fixed_work_bernoulli.h"

#include "sotto/random/internal/rate.h"
#include "sotto/random/internal/real.h"

namespace sotto {

Result<FixedWorkBernoulliExp> FixedWorkBernoulliExp::Create(
    const Rational& rate) {
  if (auto status = internal::CheckRate(rate); !status) return status.error();
  return FixedWorkBernoulliExp(
      ThresholdTable({ExpOfMinus(internal::Real(rate)).Floor128()}));
}

}  // namespace sotto
