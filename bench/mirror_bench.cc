// How many ones does a mirror answer wrongly, and how long does a step take?
//
// mistakes is the mean over runs on an endless stream of ones, formula what the
// mechanism says it expects, certified_delta what it promises at the target
// (epsilon, 1e-6). The simulated mean is checked against the formula before the
// time is believed. create_ms is the time to calibrate.

#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <string>

#include "sotto/mechanisms/mirrors/mirror.h"
#include "sotto/testing/seeded_rng.h"

namespace {

using sotto::Mirror;

constexpr int kRuns = 2000;

struct Sample {
  double mean = 0;
  double standard_error = 0;
};

// Stops a run after a long series of tops only.
double CountMistakes(Mirror mirror, sotto::Rng& rng) {
  double mistakes = 0;
  for (int quiet = 0; quiet < 3000;) {
    const bool top = mirror.Next(true, rng);
    mistakes += top ? 0 : 1;
    quiet = top ? quiet + 1 : 0;
  }
  return mistakes;
}

Sample Simulate(const Mirror& fresh, sotto::Rng& rng) {
  double sum = 0;
  double squares = 0;
  for (int run = 0; run < kRuns; ++run) {
    const double mistakes = CountMistakes(fresh, rng);
    sum += mistakes;
    squares += mistakes * mistakes;
  }
  const double mean = sum / kRuns;
  return {mean, std::sqrt((squares / kRuns - mean * mean) / kRuns)};
}

// A quarter of the stream are zeros; a fresh mirror every 4096 steps.
void TimeSteps(benchmark::State& state, const Mirror& fresh, sotto::Rng& rng) {
  constexpr int kSteps = 4096;
  for (auto unused : state) {
    (void)unused;
    Mirror mirror = fresh;
    for (int i = 0; i < kSteps; ++i) {
      benchmark::DoNotOptimize(mirror.Next(i % 4 != 0, rng));
    }
  }
  state.SetItemsProcessed(state.iterations() * kSteps);
}

void RunMirror(benchmark::State& state, double epsilon) {
  const auto start = std::chrono::steady_clock::now();
  const auto mirror = Mirror::Create({.epsilon = epsilon, .delta = 1e-6});
  const auto stop = std::chrono::steady_clock::now();
  if (!mirror) {
    state.SkipWithError(mirror.error().message.c_str());
    return;
  }
  sotto::testing::SeededRng rng(1);
  const Sample sample = Simulate(*mirror, rng);
  const double formula = mirror->expected_mistakes();
  if (std::abs(sample.mean - formula) > 6 * sample.standard_error) {
    state.SkipWithError("the simulated mistakes contradict the formula");
    return;
  }
  TimeSteps(state, *mirror, rng);
  state.SetLabel(std::string(sotto::ToString(mirror->kind())));
  state.counters["mistakes"] = sample.mean;
  state.counters["standard_error"] = sample.standard_error;
  state.counters["formula"] = formula;
  state.counters["certified_delta"] = mirror->guarantee().delta();
  state.counters["create_ms"] =
      std::chrono::duration<double, std::milli>(stop - start).count();
}

}  // namespace

int main(int argc, char** argv) {
  for (const double epsilon :
       {3.0, 2.0, 1.0, 0.87, 0.75, 0.65, 0.5, 0.4, 0.25, 0.1}) {
    const std::string name = "Mirror/epsilon:" + std::to_string(epsilon);
    benchmark::RegisterBenchmark(name.c_str(), RunMirror, epsilon);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
