#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/audit/audit.h"
#include "sotto/audit/games/adversaries.h"
#include "sotto/audit/games/rules.h"
#include "sotto/base/rational.h"
#include "sotto/random/fixed_work_laplace.h"

namespace sotto {

// Numbers with noise of a rate, for a few rounds; may fail in one of them.
struct NoisyNumbers {
  FixedWorkLaplace noise;
  std::uint64_t fails = 0;
  std::uint64_t steps = 0;

  Result<std::int64_t> Step(std::int64_t value, Rng& rng) {
    if (++steps == fails) return InvalidArgument("out of order");
    return value + noise.Sample(rng);
  }
  bool halted() const { return false; }
};

// One release of that rate, with a claimed epsilon of `claim`.
inline AuditSubject NoisySubject(double rate, double claim,
                                 std::uint64_t fails = 0) {
  const auto noise = *FixedWorkLaplace::Create(*RationalBelow(rate));
  AuditSubject subject{"noisy", {}};
  subject.cases.push_back(
      {"parking",
       "release",
       {claim, 0},
       MakeGamePair<std::int64_t>(
           game::AdaptiveQuery{.rounds = fails == 0 ? 1 : fails},
           [noise, fails] {
             return NoisyNumbers{noise, fails};
           },
           std::vector<Parking>{{0, 1}, {0, -1}})});
  return subject;
}

}  // namespace sotto
