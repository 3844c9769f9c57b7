// Does the time of a draw tell what was drawn?
//
// The test of dudect: measure one operation at a time on inputs of two classes
// in random order, and compare the two sets of times by Welch's t, on all times
// and on those below several percentiles. Class "fixed" always sees the same
// random words, which give the value 0; class "random" sees fresh words.
// t is the largest |t|: below 4.5 there is no evidence of a leak. The exact
// rational sampler is measured too, to show that the test can see one.

#include <benchmark/benchmark.h>
#include <x86intrin.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/random/exact_samplers.h"
#include "sotto/random/exponential_selection.h"
#include "sotto/random/fixed_work_laplace.h"
#include "sotto/testing/seeded_rng.h"

namespace {

using sotto::Rational;
using sotto::Rng;
using sotto::testing::SeededRng;

constexpr int kDrawsPerClass = 1'000'000;
constexpr std::size_t kScriptWords = 64 * 8;
using Script = std::array<std::uint64_t, kScriptWords>;

// Gives a script over and over, at the same cost whatever it holds.
class ScriptRng final : public Rng {
 public:
  explicit ScriptRng(const Script& script) : script_(script) {}

 private:
  void Produce(std::span<std::uint64_t> words) override {
    for (std::uint64_t& word : words) {
      word = script_[next_ % kScriptWords];
      ++next_;
    }
  }

  const Script& script_;
  std::size_t next_ = 0;
};

Script RandomScript(Rng& rng) {
  Script script;
  rng.Fill(script);
  return script;
}

class Moments {
 public:
  void Add(double x) {
    ++count_;
    const double delta = x - mean_;
    mean_ += delta / count_;
    squares_ += delta * (x - mean_);
  }
  double count() const { return count_; }
  double mean() const { return mean_; }
  double variance() const { return squares_ / (count_ - 1); }

 private:
  double count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

struct Sample {
  bool fixed;
  double cycles;
};

double WelchT(const std::vector<Sample>& samples, double crop) {
  Moments fixed;
  Moments random;
  for (const Sample& sample : samples) {
    if (sample.cycles > crop) continue;
    (sample.fixed ? fixed : random).Add(sample.cycles);
  }
  if (fixed.count() < 1000 || random.count() < 1000) return 0;
  const double error =
      fixed.variance() / fixed.count() + random.variance() / random.count();
  return error == 0 ? 0 : (fixed.mean() - random.mean()) / std::sqrt(error);
}

double LargestT(const std::vector<Sample>& samples) {
  std::vector<double> cycles;
  for (const Sample& sample : samples) cycles.push_back(sample.cycles);
  std::ranges::sort(cycles);
  double largest = std::abs(WelchT(samples, cycles.back()));
  for (const double share : {0.999, 0.99, 0.95, 0.9, 0.75, 0.5}) {
    const auto rank = static_cast<std::size_t>(
        share * static_cast<double>(cycles.size() - 1));
    largest = std::max(largest, std::abs(WelchT(samples, cycles[rank])));
  }
  return largest;
}

// Runs draw(rng) on the fixed script and on fresh ones. Both scripts are
// copied for every measurement, so that neither is warmer in the cache.
template <typename Draw>
void Measure(benchmark::State& state, const Script& fixed, int per_class,
             Draw draw) {
  for (auto _ : state) {
    SeededRng rng(1);
    std::vector<Sample> samples;
    for (int i = 0; i < 2 * per_class; ++i) {
      Script fresh = RandomScript(rng);
      Script script = fixed;
      const bool use_fixed = (rng.Next() & 1) != 0;
      const std::uint64_t keep = use_fixed ? 0 : ~std::uint64_t{0};
      for (std::size_t j = 0; j < kScriptWords; ++j) {
        script[j] = (script[j] & ~keep) | (fresh[j] & keep);
      }
      ScriptRng script_rng(script);
      unsigned processor = 0;
      _mm_lfence();
      const std::uint64_t start = __rdtsc();
      _mm_lfence();
      benchmark::DoNotOptimize(draw(script_rng));
      const std::uint64_t stop = __rdtscp(&processor);
      samples.push_back({use_fixed, static_cast<double>(stop - start)});
    }
    state.counters["t"] = LargestT(samples);
    state.counters["draws_per_class"] = per_class;
  }
}

// A script on which the sampler draws 0.
template <typename Sampler>
Script ScriptForZero(const Sampler& sampler) {
  SeededRng rng(2);
  for (;;) {
    const Script script = RandomScript(rng);
    ScriptRng script_rng(script);
    if (sampler.Sample(script_rng) == 0) return script;
  }
}

Rational InverseScale(const benchmark::State& state) {
  return *Rational::Create(1, static_cast<std::uint64_t>(state.range(0)));
}

void FixedWorkLaplaceSingle(benchmark::State& state) {
  const auto noise = *sotto::FixedWorkLaplace::Create(InverseScale(state));
  Measure(state, ScriptForZero(noise), kDrawsPerClass,
          [&](Rng& rng) { return noise.Sample(rng); });
}

void FixedWorkLaplaceBatch(benchmark::State& state) {
  const auto noise = *sotto::FixedWorkLaplace::Create(InverseScale(state));
  std::array<std::int64_t, 64> draws;
  // The lowest words: all digits and signs are 0 (they are read as signed).
  Script fixed;
  fixed.fill((std::uint64_t{1} << 63) + 1);
  Measure(state, fixed, kDrawsPerClass, [&](Rng& rng) {
    noise.Fill(rng, draws);
    return draws[0];
  });
}

void ExactLaplaceSingle(benchmark::State& state) {
  const auto noise = *sotto::ExactLaplace::Create(InverseScale(state));
  Measure(state, ScriptForZero(noise), kDrawsPerClass / 10,
          [&](Rng& rng) { return noise.Sample(rng); });
}

// Here the secret is in the scores: equal ones, or spread out.
void ExponentialSelectionScores(benchmark::State& state) {
  const auto selection =
      *sotto::ExponentialSelection::Create(InverseScale(state));
  std::vector<std::int64_t> scores(16);
  Script fixed{};
  Measure(state, fixed, kDrawsPerClass / 4, [&](Rng& rng) {
    for (std::int64_t& score : scores) {
      score = static_cast<std::int64_t>(rng.Next() & 0xffff);
    }
    return selection.Select(scores, rng);
  });
}

BENCHMARK(FixedWorkLaplaceSingle)->Arg(10)->Arg(1000)->Iterations(1);
BENCHMARK(FixedWorkLaplaceBatch)->Arg(10)->Arg(1000)->Iterations(1);
BENCHMARK(ExponentialSelectionScores)->Arg(100)->Iterations(1);
BENCHMARK(ExactLaplaceSingle)->Arg(10)->Arg(1000)->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
