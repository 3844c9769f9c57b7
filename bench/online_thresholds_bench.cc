// How far off is the worst of 100,000 adaptive rank queries over 100,000
// records, add-remove (1, 1e-6), and what does a query cost?
//
// Every order of queries is run kRuns times on fresh noise. max_error is the
// largest error of all queries in a run: its mean, its 95 % quantile and the
// worst over the runs. proved_bound is the mean of ErrorBound(), which holds
// for all queries of a run together with probability 95 %; runs_above_bound
// counts the runs that were above their own.
//
//   random      records drawn with replacement
//   ascending   every record in order
//   descending  every record in reverse order
//   both_ends   from both ends to the middle, in turns
//   reals       evenly spaced reals, ascending, on data crowded near 0
//   chase       an adversary who knows the data: every other query lies within
//               64 records of the worst answer of the last 1,000
//   stretch     the same, and who also reads the public pivots: always in the
//               gap with the most records, at its quarters

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/timed_main.h"
#include "sotto/mechanisms/ranks/online_thresholds.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto {
namespace {

constexpr std::int64_t kRecords = 100'000;
constexpr std::int64_t kQueries = 100'000;
constexpr int kRuns = 20;

enum class Order {
  kRandom,
  kAscending,
  kDescending,
  kBothEnds,
  kReals,
  kChase,
  kStretch
};

// Cubes of uniform numbers: 46 % of the records lie in the first tenth.
std::vector<double> Records(Rng& rng) {
  std::vector<double> data(kRecords);
  for (double& record : data) {
    const double uniform =
        std::ldexp(static_cast<double>(rng.Next() >> 11), -53);
    record = uniform * uniform * uniform;
  }
  std::sort(data.begin(), data.end());
  return data;
}

class Player {
 public:
  Player(Order order, const std::vector<double>& data)
      : order_(order), data_(data) {}

  double Next(std::int64_t t, const OnlineThresholds& ranks, Rng& rng) {
    switch (order_) {
      case Order::kRandom:
        return At(Uniform(rng));
      case Order::kAscending:
        return At(t);
      case Order::kDescending:
        return At(kRecords - 1 - t);
      case Order::kBothEnds:
        return At(t % 2 == 0 ? t / 2 : kRecords - 1 - t / 2);
      case Order::kReals:
        return static_cast<double>(t) / kQueries;
      case Order::kChase:
        if (t % 1000 == 0) worst_ = -1;
        return At(t % 2 == 0 ? Uniform(rng)
                             : center_ - 64 +
                                   static_cast<std::int64_t>(rng.Next() % 129));
      case Order::kStretch:
        return Stretch(t, ranks, rng);
    }
    return 0;
  }

  void Saw(double x, std::int64_t error) {
    if (error <= worst_) return;
    worst_ = error;
    center_ = RankKey(x);
  }

  std::int64_t RankKey(double x) const {
    return std::lower_bound(data_.begin(), data_.end(), x) - data_.begin();
  }

 private:
  double At(std::int64_t rank) const {
    return data_[static_cast<std::size_t>(
        std::clamp<std::int64_t>(rank, 0, kRecords - 1))];
  }
  static std::int64_t Uniform(Rng& rng) {
    return static_cast<std::int64_t>(rng.Next() % kRecords);
  }
  double Stretch(std::int64_t t, const OnlineThresholds& ranks, Rng& rng) {
    const auto& pivots = ranks.line().pivots();
    if (pivots.size() != seen_) {
      seen_ = pivots.size();
      size_ = 0;
      std::int64_t last = 0;
      for (std::size_t i = 1; i < pivots.size(); ++i) {
        const std::int64_t rank = RankKey(pivots[i].at);
        if (rank - last > size_) {
          size_ = rank - last;
          first_ = last;
        }
        last = rank;
      }
    }
    const std::int64_t jitter = static_cast<std::int64_t>(rng.Next() % 21) - 10;
    return At(first_ + size_ * (t % 3 + 1) / 4 + jitter);
  }

  Order order_;
  const std::vector<double>& data_;
  std::int64_t worst_ = -1;
  std::int64_t center_ = 0;
  std::size_t seen_ = 0;
  std::int64_t first_ = 0;
  std::int64_t size_ = 0;
};

struct Run {
  std::int64_t max_error = 0;
  std::int64_t bound = 0;
  std::size_t pivots = 0;
  bool broken = false;  // an answer was off by more than it said
};

Run Play(Order order, std::uint64_t seed) {
  testing::SeededRng rng(seed);
  testing::SeededRng players_rng(seed + 1'000'000);
  const std::vector<double> data = Records(players_rng);
  auto ranks = OnlineThresholds::Create(
      {.epsilon = 1, .delta = 1e-6, .horizon = kQueries}, data, rng);
  if (!ranks) std::abort();
  Player player(order, data);
  Run run;
  for (std::int64_t t = 0; t < kQueries; ++t) {
    const double x = player.Next(t, *ranks, players_rng);
    const auto answer = ranks->Query(x, rng);
    if (!answer) std::abort();
    const std::int64_t error = std::abs(answer->estimate - player.RankKey(x));
    player.Saw(x, error);
    run.max_error = std::max(run.max_error, error);
    run.broken |= error > answer->error;
  }
  run.bound = ranks->ErrorBound();
  run.pivots = ranks->line().pivots().size();
  return run;
}

void BmError(benchmark::State& state, Order order) {
  std::vector<double> errors;
  double bound = 0;
  double broken = 0;
  double pivots = 0;
  for ([[maybe_unused]] auto _ : state) {
    for (int i = 0; i < kRuns; ++i) {
      const Run run = Play(order, static_cast<std::uint64_t>(i) + 1001);
      errors.push_back(static_cast<double>(run.max_error));
      bound += static_cast<double>(run.bound) / kRuns;
      pivots += static_cast<double>(run.pivots) / kRuns;
      broken += run.broken ? 1 : 0;
    }
  }
  std::sort(errors.begin(), errors.end());
  double sum = 0;
  for (const double error : errors) sum += error;
  state.counters["max_error_mean"] = sum / kRuns;
  state.counters["max_error_95"] = errors[kRuns * 95 / 100 - 1];
  state.counters["max_error_worst"] = errors.back();
  state.counters["proved_bound"] = bound;
  state.counters["runs_above_bound"] = broken;
  state.counters["pivots"] = pivots;
}

// The queries alone; the data and the order are made before.
void BmQuery(benchmark::State& state) {
  testing::SeededRng rng(1);
  const std::vector<double> data = Records(rng);
  auto ranks = OnlineThresholds::Create(
      {.epsilon = 1,
       .delta = 1e-6,
       .horizon = OnlineThresholdsBudget::kMaxHorizon / 4},
      data, rng);
  if (!ranks) std::abort();
  for (std::int64_t t = 0; t < kQueries; ++t) {
    if (!ranks->Query(data[rng.Next() % kRecords], rng)) std::abort();
  }
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(ranks->Query(data[rng.Next() % kRecords], rng));
  }
}

bool RegisterAll() {
  for (const auto& [name, order] :
       {std::pair("random", Order::kRandom),
        std::pair("ascending", Order::kAscending),
        std::pair("descending", Order::kDescending),
        std::pair("both_ends", Order::kBothEnds),
        std::pair("reals", Order::kReals), std::pair("chase", Order::kChase),
        std::pair("stretch", Order::kStretch)}) {
    benchmark::RegisterBenchmark((std::string("BmError/") + name).c_str(),
                                 BmError, order)
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RegisterBenchmark("BmQuery", BmQuery);
  return true;
}

}  // namespace
}  // namespace sotto

int main(int argc, char** argv) {
  return sotto::bench::RunTimed(argc, argv, sotto::RegisterAll, "");
}
