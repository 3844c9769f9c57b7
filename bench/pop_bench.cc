// How many rounds a second does the whole private procedure answer, noise
// included? Thresholds in memory, against the plain loop over k copies.
//
// BM_FromTheFirst: 2^23 rounds from empty copies on, where a large ensemble
// moves a copy in every second round or so. BM_Warm: after 32 examples a copy.
// Times are those of the processor. ratio_to_plain_loop is how many times
// faster than the loop over as many copies, slower_than_32000 how many times
// slower than the same case with 32,000 copies; both against what this run
// measured before, 0 if it did not.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/timed_main.h"
#include "sotto/learners/ensembles/ensemble_factory.h"
#include "sotto/learners/ensembles/naive_ensemble.h"
#include "sotto/learners/threshold_learner.h"
#include "sotto/models/pop/private_online_procedure.h"
#include "sotto/random/chacha_rng.h"

namespace sotto {
namespace {

constexpr std::size_t kStream = 1 << 20;
constexpr std::int64_t kSmall = 32'000;

struct Stream {
  std::vector<Feature> x;
  std::vector<PrivateOnlineProcedure::Example> examples;
};

Stream MakeStream(Rng& rng) {
  Stream stream;
  stream.x.resize(kStream);
  stream.examples.resize(kStream);
  for (std::size_t i = 0; i < kStream; ++i) {
    const double x = static_cast<double>(rng.Next() >> 11) * 0x1p-53;
    stream.x[i] = {0, x};
    stream.examples[i] = {FeatureView(&stream.x[i], 1), x >= 0.37};
  }
  return stream;
}

PopSchedule ScheduleFor(std::int64_t copies) {
  PopPhase phase{.copies = copies | 1,
                 .rate = 1.0 / 400,
                 .gap = 100,
                 .reports = 1'000'000};
  return {.stopper = 0.1, .phases = {phase}};
}

EnsembleFactory NaiveFactory() {
  return [](std::uint64_t,
            std::int64_t copies) -> Result<std::unique_ptr<Ensemble>> {
    return std::unique_ptr<Ensemble>(
        std::make_unique<NaiveEnsemble<ThresholdLearner>>(ThresholdLearner(),
                                                          copies));
  };
}

// Rounds a second by what was measured, for the ratios.
using Measured = std::map<std::pair<std::string, std::int64_t>, double>;

double RatioTo(const Measured& measured, const std::string& name,
               std::int64_t copies, double rounds_per_second) {
  const auto found = measured.find({name, copies});
  return found == measured.end() ? 0 : rounds_per_second / found->second;
}

struct Case {
  std::string name;
  EnsembleFactory factory;
  std::size_t rounds;               // Measured.
  std::int64_t examples_first = 0;  // A copy, before anything is measured.
};

bool Play(benchmark::State& state, const Stream& stream, std::size_t rounds,
          Rng& rng, PrivateOnlineProcedure& pop) {
  std::vector<PrivateOnlineProcedure::Answer> answers(kStream);
  for (std::size_t done = 0; done < rounds;) {
    const std::size_t size = std::min(kStream, rounds - done);
    const auto played = pop.Play(std::span(stream.examples).first(size),
                                 std::span(answers).first(size), rng);
    if (!played) {
      state.SkipWithError(played.error().message.c_str());
      return false;
    }
    benchmark::DoNotOptimize(answers.data());
    done += size;
  }
  return true;
}

double ProcessorSeconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// Each iteration is a separate procedure; the best of them counts for the
// ratios.
void Run(benchmark::State& state, const Case& run, Measured& measured) {
  const std::int64_t copies = state.range(0);
  auto key = Key::Generate();
  ChaChaRng rng(key->Derive("noise-v1", "pop_bench", {}));
  const Stream stream = MakeStream(rng);
  double best = 0;
  for (auto _ : state) {
    // Any guarantee will do: this measures time.
    auto pop = PrivateOnlineProcedure::Create(
        {.epsilon = 16, .schedule = ScheduleFor(copies)}, run.factory);
    if (!pop) return state.SkipWithError(pop.error().message.c_str());
    const auto first = static_cast<std::size_t>(run.examples_first * copies);
    if (!Play(state, stream, first, rng, *pop)) return;
    const double start = ProcessorSeconds();
    if (!Play(state, stream, run.rounds, rng, *pop)) return;
    const double seconds = ProcessorSeconds() - start;
    state.SetIterationTime(seconds);
    best = std::max(best, static_cast<double>(run.rounds) / seconds);
  }
  measured[{run.name, copies}] = best;
  state.counters["rounds_per_second"] = best;
  state.counters["ratio_to_plain_loop"] =
      RatioTo(measured, "BM_PlainLoop", copies, best);
  const double ratio = RatioTo(measured, run.name, kSmall, best);
  state.counters["slower_than_32000"] = ratio == 0 ? 0 : 1 / ratio;
}

void Register(const Case& run, int iterations, Measured& measured) {
  benchmark::RegisterBenchmark(
      run.name.c_str(),
      [run, &measured](benchmark::State& state) { Run(state, run, measured); })
      ->Arg(kSmall)
      ->Arg(1'000'000)
      ->Iterations(iterations)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace sotto

int main(int argc, char** argv) {
  const auto spec = sotto::LearnerSpec::Parse("threshold");
  const auto fast = *sotto::MakeEnsembleFactory(*spec, {});
  constexpr std::size_t kMany = std::size_t{1} << 23;
  sotto::Measured measured;
  const auto add = [&] {
    sotto::Register({"BM_PlainLoop", sotto::NaiveFactory(), 256}, 3, measured);
    sotto::Register({"BM_FromTheFirst", fast, kMany}, 3, measured);
    sotto::Register({"BM_Warm", fast, kMany, 32}, 1, measured);
    return true;
  };
  return sotto::bench::RunTimed(argc, argv, add, "");
}
