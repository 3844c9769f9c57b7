// Cost of one threshold test, noise included: one call at a time, with noise
// drawn ahead, and in batches. Compared with the exact rational sampler, whose
// time reveals the noise.
//
//   threshold_bench --benchmark_out=threshold.json --benchmark_out_format=json
//
// Scales are those of (1, 1e-6) with 10, 100 and 10,000 reports. Before
// anything is timed, all variants answer queries at the threshold and must say
// "above" as often as the exact distribution does.

#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "bench/harness/timed_main.h"
#include "sotto/mechanisms/thresholds/above_threshold.h"
#include "sotto/mechanisms/thresholds/between_thresholds.h"
#include "sotto/mechanisms/thresholds/multi_above_threshold.h"
#include "sotto/mechanisms/thresholds/stopper.h"
#include "sotto/random/exact_samplers.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

using Answer = ThresholdAnswer;

constexpr std::int64_t kFarBelow = -10'000'000;
constexpr std::size_t kBatch = 4096;

MultiAboveThreshold Multi(std::int64_t scale) {
  // The guarantee does not matter here; one report keeps Create quick.
  return *MultiAboveThreshold::Create(
      {.epsilon = 1, .rate = 1 / static_cast<double>(scale)});
}

void BM_FreshNoise(benchmark::State& state) {
  testing::SeededRng rng(1);
  auto test = Multi(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(test.Test(kFarBelow, rng));
}

void BM_FreshNoiseAhead(benchmark::State& state) {
  testing::SeededRng rng(1);
  auto test = Multi(state.range(0));
  ThresholdStream stream(test, rng);
  for (auto _ : state) benchmark::DoNotOptimize(stream.Test(kFarBelow));
}

void BM_FreshNoiseBatch(benchmark::State& state) {
  testing::SeededRng rng(1);
  auto test = Multi(state.range(0));
  const std::vector<std::int64_t> values(kBatch, kFarBelow);
  std::vector<Answer> answers(kBatch);
  while (state.KeepRunningBatch(kBatch)) {
    test.TestBatch(values, answers, rng);
    benchmark::DoNotOptimize(answers.data());
  }
}

void BM_NoisyThresholdAhead(benchmark::State& state) {
  testing::SeededRng rng(1);
  auto test = *AboveThreshold::Create(
      {.threshold_rate = 0.1,
       .query_rate = 1 / static_cast<double>(state.range(0))});
  ThresholdStream stream(test, rng);
  for (auto _ : state) benchmark::DoNotOptimize(stream.Test(kFarBelow));
}

void BM_BetweenThresholdsAhead(benchmark::State& state) {
  testing::SeededRng rng(1);
  auto test = *BetweenThresholds::Create(
      {.epsilon = 1,
       .low = 0,
       .high = 2 * state.range(0),
       .rate = 1 / static_cast<double>(state.range(0))});
  ThresholdStream stream(test, rng);
  for (auto _ : state) {
    benchmark::DoNotOptimize(stream.Test(kFarBelow).zone);
  }
}

void BM_StopperTick(benchmark::State& state) {
  testing::SeededRng rng(1);
  auto stopper = *Stopper::Create({.epsilon = 0.1, .limit = 1 << 20});
  for (auto _ : state) benchmark::DoNotOptimize(stopper.Advance(0, rng));
}

// The baseline: the same comparison with the exact sampler's noise.
void BM_ExactRationalSampler(benchmark::State& state) {
  testing::SeededRng rng(1);
  const auto noise = *ExactLaplace::Create(
      *Rational::Create(1, static_cast<std::uint64_t>(state.range(0))));
  for (auto _ : state) {
    benchmark::DoNotOptimize(kFarBelow + noise.Sample(rng) >= 0);
  }
}

BENCHMARK(BM_FreshNoise)->Arg(29)->Arg(70)->Arg(609);
BENCHMARK(BM_FreshNoiseAhead)->Arg(29)->Arg(70)->Arg(609);
BENCHMARK(BM_FreshNoiseBatch)->Arg(29)->Arg(70)->Arg(609);
BENCHMARK(BM_NoisyThresholdAhead)->Arg(23);
BENCHMARK(BM_BetweenThresholdsAhead)->Arg(70);
BENCHMARK(BM_StopperTick);
BENCHMARK(BM_ExactRationalSampler)->Arg(29)->Arg(70)->Arg(609);

// Within six standard deviations of Pr[Z >= 0] = 1 / (1 + e^-1/70)?
bool IsRight(const char* name, int above, int trials) {
  const double share = 1 / (1 + std::exp(-1.0 / 70));
  const double n = trials;
  const double off = (above - n * share) / std::sqrt(n * share * (1 - share));
  std::fprintf(stderr, "%-8s answers above %.4f, law %.4f\n", name, above / n,
               share);
  return std::abs(off) < 6;
}

bool VariantsAgree() {
  constexpr int kTrials = 200'000;
  testing::SeededRng rng(1);
  const auto fresh = Multi(70);
  const auto exact = *ExactLaplace::Create(*Rational::Create(1, 70));
  std::array<int, 4> above{};
  const std::array<std::int64_t, 1> value = {0};
  std::array<Answer, 1> answer{};
  for (int i = 0; i < kTrials; ++i) {
    MultiAboveThreshold test = fresh;
    above[0] += test.Test(0, rng) == Answer::kAbove ? 1 : 0;
    test = fresh;
    above[1] += ThresholdStream(test, rng).Test(0) == Answer::kAbove ? 1 : 0;
    test = fresh;
    test.TestBatch(value, answer, rng);
    above[2] += answer[0] == Answer::kAbove ? 1 : 0;
    above[3] += exact.Sample(rng) >= 0 ? 1 : 0;
  }
  return IsRight("single", above[0], kTrials) &&
         IsRight("ahead", above[1], kTrials) &&
         IsRight("batch", above[2], kTrials) &&
         IsRight("exact", above[3], kTrials);
}

}  // namespace
}  // namespace sotto

int main(int argc, char** argv) {
  return sotto::bench::RunTimed(argc, argv, sotto::VariantsAgree,
                                "a variant does not follow its distribution");
}
