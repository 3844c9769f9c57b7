// How many updates a second do the counters make at a horizon of 10^8 steps,
// with fixed-work noise, and how large is their state? Beside them, in the same
// run: the running sum without privacy, and the binary tree as textbooks write
// it, which keeps one noisy node per level and adds up log2(T) of them in every
// step.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/mechanisms/counters/sparse_counter.h"
#include "sotto/mechanisms/counters/square_root_counter.h"
#include "sotto/mechanisms/counters/tree_counter.h"
#include "sotto/mechanisms/counters/unknown_horizon_counter.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

constexpr std::uint64_t kHorizon = 100'000'000;
constexpr std::size_t kBatch = 1 << 14;

// A time is believed only if the estimates are right.
void CheckEstimate(benchmark::State& state, double estimate, double truth,
                   double bound) {
  if (std::abs(estimate - truth) > 3 * bound) {
    state.SkipWithError("an estimate is far off");
  }
}

template <typename C>
void Run(benchmark::State& state, const C& fresh, double bound, bool batched,
         std::uint64_t count) {
  testing::SeededRng rng(1);
  C counter = fresh;
  const std::vector<std::uint64_t> counts(kBatch, count);
  std::vector<std::int64_t> estimates(kBatch);
  for ([[maybe_unused]] auto _ : state) {
    if (counter.steps() + kBatch > kHorizon) counter = fresh;
    if (batched) {
      const auto added = counter.AddBatch(counts, estimates, rng);
      if (!added) state.SkipWithError(added.error().message.c_str());
    } else {
      for (auto& estimate : estimates) estimate = *counter.Add(count, rng);
    }
    benchmark::DoNotOptimize(estimates.data());
  }
  CheckEstimate(state, static_cast<double>(estimates.back()),
                static_cast<double>(counter.steps() * count), bound);
  ByteWriter writer;
  counter.Save(writer);
  state.counters["state_bytes"] = static_cast<double>(writer.bytes().size());
  state.counters["object_bytes"] = sizeof(C);
  state.counters["error_bound"] = bound;
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(kBatch));
}

void BM_RunningSumWithoutPrivacy(benchmark::State& state) {
  const std::vector<std::uint64_t> counts(kBatch, 1);
  std::vector<std::uint64_t> sums(kBatch);
  std::uint64_t sum = 0;
  for ([[maybe_unused]] auto _ : state) {
    for (std::size_t i = 0; i < kBatch; ++i) sums[i] = sum += counts[i];
    benchmark::DoNotOptimize(sums.data());
  }
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(kBatch));
}
BENCHMARK(BM_RunningSumWithoutPrivacy);

// Chan, Shi, Song: at step t the node of level ctz(t) absorbs all below it.
void BM_TextbookBinaryTree(benchmark::State& state) {
  constexpr int kLevels = 27;
  const auto rate = Rational::Create(1, kLevels);
  const auto noise = FixedWorkLaplace::Create(*rate);
  testing::SeededRng rng(1);
  std::int64_t sums[kLevels] = {};
  std::int64_t noisy[kLevels] = {};
  std::uint64_t t = 0;
  std::int64_t estimate = 0;
  for ([[maybe_unused]] auto _ : state) {
    ++t;
    const int level = std::min(kLevels - 1, __builtin_ctzll(t));
    std::int64_t sum = 1;
    for (int l = 0; l < level; ++l) {
      sum += sums[l];
      sums[l] = noisy[l] = 0;
    }
    sums[level] = sum;
    noisy[level] = sum + noise->Sample(rng);
    estimate = 0;
    for (int l = 0; l < kLevels; ++l) {
      if ((t >> l & 1) != 0) estimate += noisy[l];
    }
    benchmark::DoNotOptimize(estimate);
  }
  CheckEstimate(state, static_cast<double>(estimate), static_cast<double>(t),
                1500);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_TextbookBinaryTree);

void BM_Tree(benchmark::State& state) {
  const auto counter = TreeCounter::Create({.epsilon = 1, .horizon = kHorizon});
  Run(state, *counter, counter->ErrorBound(), state.range(0) != 0, 1);
}
BENCHMARK(BM_Tree)->ArgName("batched")->Arg(1)->Arg(0);

void BM_SquareRoot(benchmark::State& state) {
  const auto counter = SquareRootCounter::Create(
      {.epsilon = 1, .delta = 1e-6, .horizon = kHorizon});
  Run(state, *counter, counter->ErrorBound(), state.range(0) != 0, 1);
}
BENCHMARK(BM_SquareRoot)->ArgName("batched")->Arg(1)->Arg(0);

void BM_SparseWithoutEvents(benchmark::State& state) {
  const auto counter = SparseCounter::Create(
      {.epsilon = 1, .horizon = kHorizon, .expected_events = 1000});
  Run(state, *counter, counter->ErrorBound(), state.range(0) != 0, 0);
}
BENCHMARK(BM_SparseWithoutEvents)->ArgName("batched")->Arg(1)->Arg(0);

void BM_UnknownHorizon(benchmark::State& state) {
  const auto counter = UnknownHorizonCounter::Create({.epsilon = 1});
  Run(state, *counter, *counter->ErrorBound(kHorizon), true, 1);
}
BENCHMARK(BM_UnknownHorizon);

}  // namespace
}  // namespace sotto

BENCHMARK_MAIN();
