// How far off are the counters, over all of 10^6 steps at epsilon = 1, beside
// what is proved? The largest error of each of 200 runs, and its 95 % point.
//
//   counter_error_bench [--runs=200]      JSON on standard output

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "bench/harness/flags.h"
#include "bench/harness/measure.h"
#include "sotto/mechanisms/counters/counter.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::bench {
namespace {

constexpr std::size_t kSteps = 1'000'000;
constexpr std::uint64_t kEvents = 1000;

struct Case {
  const char* name;
  Counter::Params params;
  double target;  // largest 95 % error allowed
};

// kEvents events at random steps: few, so that the sparse counter may be used;
// the error of the others does not depend on the data.
std::vector<std::uint64_t> RandomCounts(Rng& rng) {
  std::vector<std::uint64_t> counts(kSteps, 0);
  for (std::uint64_t i = 0; i < kEvents; ++i) ++counts[rng.Next() % kSteps];
  return counts;
}

double LargestError(Counter counter, std::uint64_t seed) {
  testing::SeededRng rng(seed);
  const auto counts = RandomCounts(rng);
  std::vector<std::int64_t> estimates(kSteps);
  const auto added = counter.AddBatch(counts, estimates, rng);
  if (!added) return HUGE_VAL;
  std::int64_t total = 0;
  std::int64_t worst = 0;
  for (std::size_t t = 0; t < kSteps; ++t) {
    total += static_cast<std::int64_t>(counts[t]);
    worst = std::max(worst, std::abs(estimates[t] - total));
  }
  return static_cast<double>(worst);
}

nlohmann::json Measure(const Case& c, std::uint64_t runs) {
  const auto counter = Counter::Create(c.params);
  if (!counter) return {{"name", c.name}, {"error", counter.error().message}};
  std::vector<double> errors;
  for (std::uint64_t run = 0; run < runs; ++run) {
    errors.push_back(LargestError(*counter, 7'000'000 + run));
  }
  std::sort(errors.begin(), errors.end());
  const auto at = [&](double share) {
    const double rank = std::ceil(share * static_cast<double>(runs));
    return errors[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
  };
  double proved = counter->ErrorBound();
  if (c.params.horizon == 0) {
    Counter used = *counter;
    testing::SeededRng rng(1);
    std::vector<std::int64_t> estimates(kSteps);
    const std::vector<std::uint64_t> counts(kSteps, 0);
    if (used.AddBatch(counts, estimates, rng)) proved = used.ErrorBound();
  }
  return {{"name", c.name},
          {"mechanism", ToString(counter->mechanism())},
          {"runs", runs},
          {"median_error", at(0.5)},
          {"error_95", at(0.95)},
          {"largest_error", errors.back()},
          {"proved_95", proved},
          {"target", c.target},
          {"delta", counter->guarantee().delta()}};
}

std::vector<Case> Cases() {
  using Mechanism = Counter::Mechanism;
  return {{"tree",
           {.epsilon = 1, .horizon = kSteps, .mechanism = Mechanism::kTree},
           400},
          {"square-root",
           {.epsilon = 1,
            .delta = 1e-6,
            .horizon = kSteps,
            .mechanism = Mechanism::kSquareRoot},
           135},
          {"sparse",
           {.epsilon = 1,
            .horizon = kSteps,
            .expected_events = kEvents,
            .mechanism = Mechanism::kSparse},
           250},
          {"unknown-horizon", {.epsilon = 1}, 500}};
}

void Run(const Flags& flags) {
  nlohmann::json report = {{"steps", kSteps}, {"epsilon", 1}};
  for (const Case& c : Cases()) {
    report["counters"].push_back(
        Measure(c, std::max<std::uint64_t>(flags.Count("runs"), 1)));
  }
  PrintJson(report);
}

}  // namespace
}  // namespace sotto::bench

int main(int argc, char** argv) {
  sotto::bench::Run({argc, argv, {{"runs", "200"}}});
}
