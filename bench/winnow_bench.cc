// Cost of a round of PrivateWinnow, releases included, from a hundred dense
// features to a million sparse ones. One iteration is a stream of 100,000
// rounds on a fresh learner, without parsing.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "bench/harness/measure.h"
#include "bench/regret_stream.h"
#include "sotto/models/winnow/private_winnow.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

constexpr std::size_t kRounds = 100'000;
constexpr std::size_t kExamples = 10'000;  // used again and again

void BM_Rounds(benchmark::State& state) {
  const auto features = static_cast<std::uint32_t>(state.range(0));
  const auto present = static_cast<std::uint32_t>(state.range(1));
  testing::SeededRng data(1);
  const RegretStream stream({.features = features, .present = present});
  std::vector<RegretExample> examples;
  for (std::size_t i = 0; i < kExamples; ++i) {
    examples.push_back(stream.Next(data));
  }
  const PrivateWinnow::Params params = {
      .epsilon = 3,
      .delta = 1e-6,
      .features = features,
      .max_nonzeros = features > 1000 ? present : 0U,
      .margin = 0.5,
      .horizon = kRounds,
      .published = features > 100'000 ? 4096U : 0U};
  testing::SeededRng noise(2);
  std::uint64_t mistakes = 0;
  std::uint64_t batches = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto winnow = PrivateWinnow::Create(params);
    if (!winnow) {
      state.SkipWithError(winnow.error().message.c_str());
      return;
    }
    state.ResumeTiming();
    mistakes = 0;
    for (std::size_t t = 0; t < kRounds; ++t) {
      const RegretExample& e = examples[t % kExamples];
      auto round = winnow->Open(e.x, noise);
      mistakes += round->prediction != e.y ? 1 : 0;
      winnow->Close(*std::move(round), e.y);
    }
    batches = winnow->batches();
  }
  state.SetItemsProcessed(
      static_cast<std::int64_t>(state.iterations() * kRounds));
  state.counters["mistakes"] = static_cast<double>(mistakes);
  state.counters["batches"] = static_cast<double>(batches);
  state.counters["peak_MB"] = bench::PeakMegabytes();
}
BENCHMARK(BM_Rounds)
    ->Args({100, 100})
    ->Args({100'000, 100})
    ->Args({1'000'000, 100})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sotto

BENCHMARK_MAIN();
