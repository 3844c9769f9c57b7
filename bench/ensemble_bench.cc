// Cost of a round of an ensemble of k thresholds: one vote of all copies and
// one example to a random one. Compared with the plain loop over the copies in
// the same run.
//
//   ensemble_bench --benchmark_out=ensemble.json --benchmark_out_format=json
//
// A stream of uniform values and one fixed threshold, so that the copies start
// together, spread and come together again. BM_*Early measures from the first
// round on, where most rounds move a copy; BM_*Late after 32 examples a copy.
// Times are those of the processor. Before anything is timed, the structures
// play 20,000 rounds and must agree vote for vote.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <span>
#include <vector>

#include "bench/harness/timed_main.h"
#include "sotto/learners/ensembles/naive_ensemble.h"
#include "sotto/learners/ensembles/threshold_ensemble.h"
#include "sotto/learners/threshold_learner.h"

namespace sotto {
namespace {

constexpr std::size_t kRounds = std::size_t{1} << 20;
constexpr std::int64_t kLateExamples = 32;

using Fast = ThresholdEnsemble<ThresholdLearner>;
using Naive = NaiveEnsemble<ThresholdLearner>;

class Stream {
 public:
  Stream(std::size_t rounds, std::int64_t copies, std::uint64_t seed)
      : values_(rounds), steps_(rounds) {
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < rounds; ++i) {
      values_[i].value = static_cast<double>(random() >> 11) * 0x1p-53;
      const auto copy = random() % static_cast<std::uint64_t>(copies);
      steps_[i] = {.x = FeatureView(&values_[i], 1),
                   .copy = static_cast<std::int64_t>(copy),
                   .y = values_[i].value >= 0.61803398874989};
    }
  }
  std::span<const Ensemble::Step> steps() const { return steps_; }

 private:
  std::vector<Feature> values_;
  std::vector<Ensemble::Step> steps_;
};

void PlayAll(Ensemble& ensemble, std::span<const Ensemble::Step> steps) {
  const std::size_t batch = ensemble.preferred_batch_size();
  std::vector<std::int64_t> votes(batch);
  for (std::size_t i = 0; i < steps.size(); i += batch) {
    const std::size_t n = std::min(batch, steps.size() - i);
    benchmark::DoNotOptimize(
        ensemble.Play(steps.subspan(i, n), std::span(votes).first(n)));
    benchmark::DoNotOptimize(votes.data());
  }
}

void CallAll(Ensemble& ensemble, std::span<const Ensemble::Step> steps) {
  for (const auto& step : steps) {
    benchmark::DoNotOptimize(ensemble.Votes(step.x));
    benchmark::DoNotOptimize(ensemble.Update(step.copy, step.x, step.y));
  }
}

double BytesPerCopy(const Fast& ensemble) {
  return static_cast<double>(ensemble.memory_bytes()) /
         static_cast<double>(ensemble.copies());
}

void Report(benchmark::State& state, double bytes_per_copy) {
  state.SetItemsProcessed(static_cast<std::int64_t>(kRounds) *
                          state.iterations());
  state.counters["bytes_per_copy"] = bytes_per_copy;
}

// Each iteration is a fresh ensemble over the first rounds of a stream.
template <auto kPlay>
void BM_ThresholdsEarly(benchmark::State& state) {
  const Stream stream(kRounds, state.range(0), 1);
  double bytes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    {
      Fast ensemble(ThresholdLearner(), state.range(0));
      state.ResumeTiming();
      kPlay(ensemble, stream.steps());
      state.PauseTiming();
      bytes = BytesPerCopy(ensemble);
    }
    state.ResumeTiming();
  }
  Report(state, bytes);
}

template <auto kPlay>
void BM_ThresholdsLate(benchmark::State& state) {
  const std::int64_t copies = state.range(0);
  Fast ensemble(ThresholdLearner(), copies);
  for (std::uint64_t taught = 0;
       taught < static_cast<std::uint64_t>(kLateExamples * copies);
       taught += kRounds) {
    PlayAll(ensemble, Stream(kRounds, copies, taught + 2).steps());
  }
  const Stream stream(kRounds, copies, 1);
  for (auto _ : state) kPlay(ensemble, stream.steps());
  Report(state, BytesPerCopy(ensemble));
}

void BM_ThresholdsLoop(benchmark::State& state) {
  const Stream stream(kRounds, state.range(0), 1);
  Naive ensemble(ThresholdLearner(), state.range(0));
  std::size_t i = 0;
  for (auto _ : state) {
    CallAll(ensemble, stream.steps().subspan(i++ % kRounds, 1));
  }
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(BM_ThresholdsEarly<PlayAll>)
    ->Name("BM_ThresholdsEarly/batch")
    ->Arg(32'000)
    ->Arg(1'000'000);
BENCHMARK(BM_ThresholdsEarly<CallAll>)
    ->Name("BM_ThresholdsEarly/single")
    ->Arg(32'000)
    ->Arg(1'000'000);
BENCHMARK(BM_ThresholdsLate<PlayAll>)
    ->Name("BM_ThresholdsLate/batch")
    ->Arg(32'000)
    ->Arg(1'000'000)
    ->Iterations(2);
BENCHMARK(BM_ThresholdsLate<CallAll>)
    ->Name("BM_ThresholdsLate/single")
    ->Arg(32'000)
    ->Arg(1'000'000)
    ->Iterations(2);
BENCHMARK(BM_ThresholdsLoop)->Arg(32'000)->Arg(1'000'000);

bool StructuresAgree() {
  constexpr std::int64_t kCopies = 1000;
  const Stream stream(20'000, kCopies, 3);
  Fast fast(ThresholdLearner(), kCopies);
  Naive naive(ThresholdLearner(), kCopies);
  std::vector<std::int64_t> votes(stream.steps().size());
  std::vector<std::int64_t> expected(votes.size());
  return fast.Play(stream.steps(), votes) &&
         naive.Play(stream.steps(), expected) && votes == expected;
}

}  // namespace
}  // namespace sotto

int main(int argc, char** argv) {
  return sotto::bench::RunTimed(argc, argv, sotto::StructuresAgree,
                                "the structures do not agree");
}
