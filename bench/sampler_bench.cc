// Time of a discrete Laplace draw, keystream included: fixed work, against the
// exact rational sampler and a plain floating-point one.
//
// Every sampler's mean magnitude is compared with the exact distribution before
// it is timed. ns_per_draw is the minimum over the batches of a run, because
// other programs may use the machine; ratio is the exact sampler's ns_per_draw
// over this one's.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/random/exact_samplers.h"
#include "sotto/random/exponential_selection.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/testing/seeded_rng.h"

namespace {

using sotto::ExactLaplace;
using sotto::ExponentialSelection;
using sotto::FixedWorkLaplace;
using sotto::Rational;
using sotto::Rng;
using sotto::testing::SeededRng;

Rational InverseScale(std::int64_t scale) {
  return *Rational::Create(1, static_cast<std::uint64_t>(scale));
}

// The way of most libraries: fast, and neither exact nor constant in time.
class DoubleLaplace {
 public:
  explicit DoubleLaplace(std::int64_t scale)
      : scale_(static_cast<double>(scale)) {}

  std::int64_t Sample(Rng& rng) const {
    for (;;) {
      const std::uint64_t word = rng.Next();
      const double uniform = static_cast<double>((word >> 11) + 1) * 0x1p-53;
      const auto magnitude =
          static_cast<std::int64_t>(-scale_ * std::log(uniform));
      const bool negative = (word & 1) != 0;
      if (negative && magnitude == 0) continue;
      return negative ? -magnitude : magnitude;
    }
  }

 private:
  double scale_;
};

template <typename Sampler>
void OneByOne(const Sampler& sampler, Rng& rng, std::span<std::int64_t> out) {
  for (std::int64_t& value : out) value = sampler.Sample(rng);
}

// Within 6 standard errors of E|Z| = 2t / (1 - t^2)?
template <typename Fill>
bool MeanIsRight(std::int64_t scale, Fill fill) {
  SeededRng rng(1);
  std::vector<std::int64_t> draws(100000);
  fill(rng, std::span(draws));
  double sum = 0;
  for (const std::int64_t z : draws) sum += std::abs(static_cast<double>(z));
  const double rate = 1.0 / static_cast<double>(scale);
  const double t = std::exp(-rate);
  const double mean = 2 * t / -std::expm1(-2 * rate);
  // E Z^2 = 2t / (1 - t)^2.
  const double spread =
      std::sqrt(2 * t / std::pow(std::expm1(-rate), 2) - mean * mean);
  const auto count = static_cast<double>(draws.size());
  return std::abs(sum / count - mean) < 6 * spread / std::sqrt(count);
}

template <typename Fill>
double BatchNanoseconds(Rng& rng, std::span<std::int64_t> draws, Fill& fill) {
  const auto start = std::chrono::steady_clock::now();
  fill(rng, draws);
  benchmark::DoNotOptimize(draws.data());
  const auto stop = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::nano>(stop - start).count() /
         static_cast<double>(draws.size());
}

double ExactNanoseconds(std::int64_t scale) {
  const auto exact = *ExactLaplace::Create(InverseScale(scale));
  auto fill = [&](Rng& rng, std::span<std::int64_t> out) {
    OneByOne(exact, rng, out);
  };
  SeededRng rng(2);
  std::vector<std::int64_t> draws(4096);
  double least = BatchNanoseconds(rng, draws, fill);
  for (int i = 0; i < 20; ++i) {
    least = std::min(least, BatchNanoseconds(rng, draws, fill));
  }
  return least;
}

template <typename Fill>
void Measure(benchmark::State& state, Fill fill) {
  const std::int64_t scale = state.range(0);
  if (!MeanIsRight(scale, fill)) {
    state.SkipWithError("the mean magnitude is not that of the law");
    return;
  }
  SeededRng rng(3);
  std::vector<std::int64_t> draws(4096);
  double least = BatchNanoseconds(rng, draws, fill);
  for (auto _ : state) {
    least = std::min(least, BatchNanoseconds(rng, draws, fill));
  }
  state.counters["ns_per_draw"] = least;
  state.counters["ratio"] = ExactNanoseconds(scale) / least;
}

void FixedWorkBatched(benchmark::State& state) {
  const auto noise = *FixedWorkLaplace::Create(InverseScale(state.range(0)));
  Measure(state,
          [&](Rng& rng, std::span<std::int64_t> out) { noise.Fill(rng, out); });
}

void FixedWorkSingle(benchmark::State& state) {
  const auto noise = *FixedWorkLaplace::Create(InverseScale(state.range(0)));
  Measure(state, [&](Rng& rng, std::span<std::int64_t> out) {
    OneByOne(noise, rng, out);
  });
}

void ExactRational(benchmark::State& state) {
  const auto noise = *ExactLaplace::Create(InverseScale(state.range(0)));
  Measure(state, [&](Rng& rng, std::span<std::int64_t> out) {
    OneByOne(noise, rng, out);
  });
}

void PlainDouble(benchmark::State& state) {
  const DoubleLaplace noise(state.range(0));
  Measure(state, [&](Rng& rng, std::span<std::int64_t> out) {
    OneByOne(noise, rng, out);
  });
}

void TableBuilding(benchmark::State& state) {
  const Rational rate = InverseScale(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(FixedWorkLaplace::Create(rate));
  }
}

void ExponentialSelectionFixedWork(benchmark::State& state) {
  const auto selection = *ExponentialSelection::Create(InverseScale(20));
  std::vector<std::int64_t> scores;
  for (std::int64_t i = 0; i < state.range(0); ++i) scores.push_back(i % 97);
  SeededRng rng(4);
  for (auto _ : state) {
    benchmark::DoNotOptimize(selection.Select(scores, rng));
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void Scales(benchmark::internal::Benchmark* b) {
  for (const int scale : {1, 10, 100, 1000, 10000, 1000000}) b->Arg(scale);
}

BENCHMARK(FixedWorkBatched)->Apply(Scales);
BENCHMARK(FixedWorkSingle)->Apply(Scales);
BENCHMARK(ExactRational)->Apply(Scales);
BENCHMARK(PlainDouble)->Apply(Scales);
BENCHMARK(TableBuilding)->Arg(1000)->Unit(benchmark::kMicrosecond);
BENCHMARK(ExponentialSelectionFixedWork)->Arg(1000);

}  // namespace

BENCHMARK_MAIN();
