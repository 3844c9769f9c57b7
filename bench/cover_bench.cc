// How long does a private list take? 1e5 rows of 100 Booleans with all
// conjunctions of up to two literals, and 1e6 rows with single literals, after
// reading; and the calibration, which needs no data.

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sotto/models/fits/greedy_cover/greedy_cover.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

constexpr std::size_t kColumns = 100;

RuleSpace Booleans(std::uint32_t literals) {
  return *RuleSpace::Create(FitColumns(std::vector<FitColumn>(
                                kColumns, {.kind = FitColumn::Kind::kBoolean})),
                            literals);
}

// A hidden list of ten rules on single columns.
CoverData Rows(const RuleSpace& space, std::int64_t rows) {
  testing::SeededRng rng(1);
  CoverData data(space);
  std::vector<std::uint32_t> row(kColumns);
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::array<std::uint64_t, 2> words = {rng.Next(), rng.Next()};
    bool label = false;
    bool found = false;
    for (std::size_t c = 0; c < kColumns; ++c) {
      const bool bit = ((words[c / 64] >> (c % 64)) & 1) != 0;
      row[c] = bit ? 1 : 0;
      if (!found && bit && c < 10) {
        found = true;
        label = c % 2 == 0;
      }
    }
    data.Add(row, label);
  }
  return data;
}

void BM_Fit(benchmark::State& state) {
  const RuleSpace space = Booleans(static_cast<std::uint32_t>(state.range(1)));
  const CoverData data = Rows(space, state.range(0));
  const auto learner =
      GreedyCover::Create({.epsilon = 1, .delta = 1e-6}, space);
  testing::SeededRng rng(2);
  for (auto _ : state) {
    benchmark::DoNotOptimize(learner->Fit(data, rng));
  }
  state.counters["conjunctions"] =
      static_cast<double>(space.conjunctions().size());
}
BENCHMARK(BM_Fit)
    ->Args({100'000, 2})
    ->Args({1'000'000, 1})
    ->Unit(benchmark::kMillisecond);

void BM_Calibrate(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(CoverCalibration::Create(
        {.epsilon = 1,
         .delta = 1e-6,
         .penalty = 5,
         .reward = 1,
         .rounds = static_cast<std::uint32_t>(state.range(0)),
         .candidates = 500}));
  }
}
BENCHMARK(BM_Calibrate)
    ->Arg(20)
    ->Arg(41)
    ->Arg(1000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sotto

BENCHMARK_MAIN();
