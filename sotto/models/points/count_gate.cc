#include "sotto/models/points/count_gate.h"

#include <algorithm>
#include <vector>

namespace sotto {
namespace {

// Steps 2 and 3: the fastest rise from surely no to surely yes. Empty where it
// takes too long.
std::vector<long double> FastestRise(long double bound, long double delta) {
  std::vector<long double> weights;
  long double yes = 0;
  long double no = 1;
  while (no > 0 && weights.size() < MirrorDistribution::kMaxSize) {
    const long double more_yes = bound * yes + delta;
    const long double less_no = std::max((no - delta) / bound, 0.0L);
    if (1 - more_yes > less_no) {
      weights.push_back(more_yes - yes);
      yes = more_yes;
      no = 1 - yes;
    } else {
      weights.push_back(no - less_no);
      no = less_no;
      yes = 1 - no;
    }
  }
  if (no > 0) weights.clear();
  return weights;
}

}  // namespace

Result<CountGate> CountGate::Create(const Params& params) {
  if (!(params.epsilon >= 0x1p-10 && params.epsilon <= 10)) {
    return InvalidArgument("a gate needs epsilon in [2^-10, 10]");
  }
  if (!(params.delta >= 1e-12 && params.delta <= 0.1)) {
    return InvalidArgument("a gate needs delta in [1e-12, 0.1]");
  }
  const long double bound = ExpDown(params.epsilon) * (1 - 1e-12L);
  const auto weights = FastestRise(bound, MirrorDesignDelta(params.delta));
  if (weights.empty()) return InvalidArgument("the gate would be too long");
  SOTTO_TRY_ASSIGN(auto distribution,
                   MirrorDistribution::Create(/*first=*/1, weights));
  const double certified = ComputeDelta(distribution, params.epsilon);
  if (!(certified <= params.delta)) {
    return NotConverged("the gate's delta could not be certified");
  }
  SOTTO_TRY_ASSIGN(auto guarantee,
                   Guarantee::Create({.notion = Notion::kDp,
                                      .relation = Relation::kChangeByOne,
                                      .epsilon = params.epsilon,
                                      .delta = certified,
                                      .protects = "one unit of the count"}));
  return CountGate(std::move(distribution), std::move(guarantee));
}

// Step 4. Sums of units are exact; of "no" from the end, of "yes" from the
// beginning, so that none is 2^128.
double CountGate::ComputeDelta(const MirrorDistribution& distribution,
                               double epsilon) {
  const long double bound = ExpDown(epsilon);
  const auto worst = [&](auto unit) {
    long double excess = 0;
    Uint128 sum = 0;
    for (std::uint64_t i = 0; i + distribution.first() < distribution.last();
         ++i) {
      const auto less = static_cast<long double>(sum);
      sum += unit(i);
      excess = std::max(excess, static_cast<long double>(sum) - bound * less);
    }
    // The last step, to 2^128.
    excess = std::max(excess, 0x1p128L - bound * static_cast<long double>(sum));
    return excess * 0x1p-128L;
  };
  const long double yes = worst([&](std::uint64_t i) {
    return distribution.Units(distribution.first() + i);
  });
  const long double no = worst([&](std::uint64_t i) {
    return distribution.Units(distribution.last() - i);
  });
  return static_cast<double>(std::max(yes, no)) * kMirrorSumsUp +
         kMirrorRoundOff;
}

}  // namespace sotto
