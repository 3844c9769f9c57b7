// Cost of a private argmax per candidate: the fixed-work forms of the
// exponential mechanism and of permute-and-flip, against the exact rejection
// sampler, whose time depends on the scores. Runs on flat scores (all near the
// best) and on steep ones (a single one near it), in the same run.
// Before anything is timed, each form must find a candidate that no epsilon can
// hide.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/timed_main.h"
#include "sotto/mechanisms/selection/exponential_mechanism.h"
#include "sotto/mechanisms/selection/permute_and_flip.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

constexpr double kEpsilon = 0.1;

// spread = 0: all scores alike.
std::vector<std::int64_t> Scores(std::size_t n, std::int64_t spread) {
  std::vector<std::int64_t> scores(n);
  std::uint64_t state = 1;
  for (std::int64_t& score : scores) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const auto high = static_cast<std::int64_t>(state >> 33);
    score = spread == 0 ? 0 : -(high % spread);
  }
  scores[n / 2] = 0;
  return scores;
}

template <typename Mechanism, typename Choose>
void Measure(benchmark::State& state, std::int64_t spread,
             const Choose& choose) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto mechanism =
      Mechanism::Create({.epsilon = kEpsilon, .candidates = n});
  testing::SeededRng rng(1);
  auto scores = Scores(n, spread);
  scores[n / 2] = 1'000'000;
  if (!mechanism || *choose(*mechanism, scores, rng) != n / 2) {
    state.SkipWithError("the far best candidate was not chosen");
    return;
  }
  scores[n / 2] = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(*choose(*mechanism, scores, rng));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["ns_per_candidate"] = benchmark::Counter(
      static_cast<double>(state.iterations() * state.range(0)) * 1e-9,
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

const auto kFixedWork = [](const auto& mechanism, const auto& scores,
                           Rng& rng) { return mechanism.Select(scores, rng); };

void Exponential(benchmark::State& state, std::int64_t spread) {
  Measure<ExponentialMechanism>(state, spread, kFixedWork);
}

void Flips(benchmark::State& state, std::int64_t spread) {
  Measure<PermuteAndFlip>(state, spread, kFixedWork);
}

void Rejection(benchmark::State& state, std::int64_t spread) {
  Measure<ExponentialMechanism>(
      state, spread, [](const auto& mechanism, const auto& scores, Rng& rng) {
        return mechanism.SelectExactly(scores, rng);
      });
}

bool RegisterAll() {
  const auto add = [](const std::string& name,
                      void (*run)(benchmark::State&, std::int64_t)) {
    for (const auto& [scores, spread] :
         {std::pair("/flat", 0), std::pair("/steep", 1'000'000)}) {
      benchmark::RegisterBenchmark((name + scores).c_str(), run, spread)
          ->RangeMultiplier(10)
          ->Range(1'000, 1'000'000)
          ->Unit(benchmark::kMicrosecond);
    }
  };
  add("exponential/fixed_work", Exponential);
  add("exponential/rejection", Rejection);
  add("permute_and_flip/fixed_work", Flips);
  return true;
}

}  // namespace
}  // namespace sotto

int main(int argc, char** argv) {
  return sotto::bench::RunTimed(argc, argv, sotto::RegisterAll, "");
}
