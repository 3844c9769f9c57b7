#include "sotto/mechanisms/replay_test_worlds.h"

#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/mechanisms/counters/counter.h"
#include "sotto/mechanisms/counters/sparse_counter.h"
#include "sotto/mechanisms/counters/square_root_counter.h"
#include "sotto/mechanisms/counters/tree_counter.h"
#include "sotto/mechanisms/counters/unknown_horizon_counter.h"
#include "sotto/mechanisms/mirrors/jdp_mirror.h"
#include "sotto/mechanisms/mirrors/mirror.h"
#include "sotto/mechanisms/mirrors/random_step.h"
#include "sotto/mechanisms/mirrors/soft_mirror.h"
#include "sotto/mechanisms/mirrors/staircase_mirror.h"
#include "sotto/mechanisms/ranges/range_histogram.h"
#include "sotto/mechanisms/ranges/range_quantiles.h"
#include "sotto/mechanisms/ranges/range_total.h"
#include "sotto/mechanisms/ranges/running_histogram.h"
#include "sotto/mechanisms/ranges/running_total.h"
#include "sotto/mechanisms/ranks/online_thresholds.h"
#include "sotto/mechanisms/selection/exponential_mechanism.h"
#include "sotto/mechanisms/selection/permute_and_flip.h"
#include "sotto/mechanisms/selection/selection.h"
#include "sotto/mechanisms/selection/sparse_histogram.h"
#include "sotto/mechanisms/selection/sparse_sample.h"
#include "sotto/mechanisms/slicing/reorder_slice_compute.h"
#include "sotto/mechanisms/thresholds/above_threshold.h"
#include "sotto/mechanisms/thresholds/asked_between_thresholds.h"
#include "sotto/mechanisms/thresholds/between_thresholds.h"
#include "sotto/mechanisms/thresholds/challenge_above_threshold.h"
#include "sotto/mechanisms/thresholds/challenge_between_thresholds.h"
#include "sotto/mechanisms/thresholds/counter_above_threshold.h"
#include "sotto/mechanisms/thresholds/exact_stopper.h"
#include "sotto/mechanisms/thresholds/laplace_stopper.h"
#include "sotto/mechanisms/thresholds/multi_above_threshold.h"
#include "sotto/mechanisms/thresholds/sparse_vector.h"
#include "sotto/mechanisms/thresholds/sparse_vector_stream.h"
#include "sotto/mechanisms/thresholds/stopper.h"
#include "sotto/mechanisms/thresholds/threshold_monitor.h"

namespace sotto {
namespace {

// A number for any answer.
template <typename Answer>
std::int64_t ExitCode(const Answer& answer) {
  if constexpr (requires { answer.zone; }) {
    return 100 * static_cast<std::int64_t>(answer.zone) + answer.noisy;
  } else {
    return static_cast<std::int64_t>(answer);
  }
}

constexpr std::uint64_t kRounds = 40;

// Queries that are one apart, up and down in turn.
template <typename Test>
ReplayWorld Queries(Test test) {
  return [test](bool one, Rng& rng) {
    Test fresh = test;
    return PlayRounds(kRounds, rng, [&](std::uint64_t round) {
      const std::int64_t step = round % 3 == 0 ? -1 : 1;
      return ExitCode(fresh.Test(one ? step : 0, rng));
    });
  };
}

// One query is hidden and far away in one world.
template <typename Test>
ReplayWorld WithHidden(Test test) {
  return [test](bool one, Rng& rng) {
    Test fresh = test;
    constexpr std::uint64_t kHidden = 7;
    const auto step = [&](std::uint64_t round) {
      const std::int64_t far = one ? 10'000 : -10'000;
      return ExitCode(fresh.Test(round == kHidden ? far : (one ? 1 : 0), rng));
    };
    return PlayRounds(kRounds, rng, step, kHidden);
  };
}

// One stopping query a round, then a test; one query is hidden and far away in
// one world.
ReplayWorld Asked(const AskedBetweenThresholds& test) {
  return [test](bool one, Rng& rng) {
    AskedBetweenThresholds fresh = test;
    constexpr std::uint64_t kHidden = 7;
    const auto step = [&](std::uint64_t round) {
      const std::int64_t far = one ? 0 : 10'000;
      const bool halted = fresh.Ask(rng);
      const auto zone = fresh.Test(round == kHidden ? far : (one ? 1 : 0), rng);
      return 2 * (zone ? ExitCode(*zone) : -1) + (halted ? 1 : 0);
    };
    return PlayRounds(kRounds, rng, step, kHidden);
  };
}

// A count of 1 a step, and one more in the fifth.
std::uint32_t Added(bool one, std::uint64_t round) {
  return round == 5 && one ? 2 : 1;
}

template <typename Counter>
ReplayWorld Counts(Counter counter) {
  return [counter](bool one, Rng& rng) {
    Counter fresh = counter;
    return PlayRounds(kRounds, rng,
                      [&](std::uint64_t round) -> std::optional<std::int64_t> {
                        const auto answer = fresh.Add(Added(one, round), rng);
                        if (!answer) return {};  // a monitor that has reported
                        return ExitCode(*answer);
                      });
  };
}

template <typename Stop>
ReplayWorld Stops(Stop stopper) {
  return [stopper](bool one, Rng& rng) {
    Stop fresh = stopper;
    return PlayRounds(kRounds, rng, [&](std::uint64_t round) {
      return ExitCode(fresh.Advance(Added(one, round), rng));
    });
  };
}

ReplayWorld ExactStops(const ExactStopper& stopper) {
  return [stopper](bool one, Rng& rng) {
    ExactStopper fresh = stopper;
    fresh.Begin(rng);
    std::int64_t count = -20;
    return PlayRounds(kRounds, rng, [&](std::uint64_t round) {
      count += Added(one, round);
      return ExitCode(fresh.Check(count, rng));
    });
  };
}

// An endless stream of ones, and one hidden step.
template <typename M>
ReplayWorld Mirrors(M mirror) {
  return [mirror](bool one, Rng& rng) {
    M fresh = mirror;
    constexpr std::uint64_t kHidden = 12;
    const auto step = [&](std::uint64_t round) {
      return ExitCode(fresh.Next(round != kHidden || one, rng));
    };
    return PlayRounds(200, rng, step, kHidden);
  };
}

ReplayWorld Ranks() {
  return [](bool one, Rng& rng) {
    std::vector<double> data(3000);
    std::iota(data.begin(), data.end(), 0);
    if (one) data.push_back(777.5);
    auto ranks = *OnlineThresholds::Create(
        {.epsilon = 1, .delta = 1e-6, .horizon = 100}, std::move(data), rng);
    return PlayRounds(60, rng, [&](std::uint64_t round) {
      const auto x = static_cast<double>(round * 1237 % 3000);
      return ExitCode(ranks.Query(x, rng)->estimate);
    });
  };
}

template <typename Select>
ReplayWorld Selects(Select select) {
  return [select](bool one, Rng& rng) {
    const std::int64_t more = one ? 1 : 0;
    const std::vector<std::int64_t> scores = {3 + more, 4 - more, 4, -more};
    return PlayRounds(10, rng, [&](std::uint64_t) {
      return ExitCode(*select.Select(scores, rng));
    });
  };
}

// A record moves from one bin to another that is there anyway.
ReplayWorld Histograms() {
  const auto histogram =
      *SparseHistogram::Create({.epsilon = 1, .delta = 1e-3});
  return [histogram](bool one, Rng& rng) {
    rng.BeginRound(1, false);
    std::vector<std::uint64_t> items = {1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3};
    items.insert(items.end(), 20, 4);
    if (one) items[0] = 4;
    ReplayAnswers answers;
    for (const auto& bin : histogram.Release(items, rng)) {
      answers.push_back(static_cast<std::int64_t>(bin.item));
      answers.push_back(bin.count);
    }
    return answers;
  };
}

ReplayWorld Samples() {
  const auto sample = *SparseSample::Create(
      {.epsilon = 1, .delta = 1e-3, .list_size = 2, .max_lists = 50});
  return [sample](bool one, Rng& rng) {
    std::vector<std::vector<SparseSample::Item>> lists(20, {5, 6});
    if (one) lists.push_back({5, 6});
    return PlayRounds(10, rng, [&](std::uint64_t) {
      const auto drawn = *sample.Sample(lists, rng);
      return drawn ? ExitCode(*drawn) : -1;
    });
  };
}

// Slices, each of which releases a noisy sum.
ReplayWorld Slices() {
  return [](bool one, Rng& rng) {
    const auto noise = *FixedWorkLaplace::Create(*RationalBelow(0.1));
    const SliceFunction sum(
        *Guarantee::Create({.relation = Relation::kAddRemove,
                            .epsilon = 0.1,
                            .protects = "one element"}),
        [&](const std::vector<int>& slice, Rng& inner) {
          const auto size = static_cast<std::int64_t>(slice.size());
          return inner.Private("slice", size, 1) + noise.Sample(inner);
        });
    std::vector<int> data(100);
    std::iota(data.begin(), data.end(), 0);
    if (one) data.push_back(55);
    auto slicer = *ReorderSliceCompute<int>::Create(
        {.slice_epsilon = 0.1, .slices = 3, .failure = 1e-6}, data);
    return PlayRounds(3, rng, [&](std::uint64_t) {
      return *slicer.Slice(20, std::less<>(), sum, rng);
    });
  };
}

// By the fast lane, which draws ahead.
ReplayWorld Stream() {
  const auto test =
      *MultiAboveThreshold::Create({.epsilon = 1, .delta = 1e-3, .reports = 5});
  return [test](bool one, Rng& rng) {
    MultiAboveThreshold fresh = test;
    ThresholdStream stream(fresh, rng);
    return PlayRounds(kRounds, rng, [&](std::uint64_t) {
      return ExitCode(stream.Test(one ? 1 : 0));
    });
  };
}

std::vector<Replay> Thresholds() {
  constexpr double kDelta = 1e-3;
  return {
      {"thresholds/above_threshold.h",
       Queries(*AboveThreshold::Create({.epsilon = 1}))},
      {"thresholds/multi_above_threshold.h",
       Queries(*MultiAboveThreshold::Create(
           {.epsilon = 1, .delta = kDelta, .reports = 5}))},
      {"thresholds/sparse_vector.h",
       Queries(*SparseVector::Create(
           {.epsilon = 1, .delta = kDelta, .reports = 5}))},
      {"thresholds/sparse_vector_stream.h", Stream()},
      {"thresholds/between_thresholds.h",
       Queries(*BetweenThresholds::Create({.epsilon = 1,
                                           .delta = kDelta,
                                           .low = -3,
                                           .high = 3,
                                           .reports = 5}))},
      {"thresholds/challenge_above_threshold.h",
       WithHidden(*ChallengeAboveThreshold::Create(
           {.epsilon = 1, .delta = kDelta, .reports = 5, .rounds = 100}))},
      {"thresholds/counter_above_threshold.h",
       WithHidden(*CounterAboveThreshold::Create(
           {.epsilon = 1, .delta = kDelta, .reports = 50, .horizon = 100}))},
      {"thresholds/challenge_between_thresholds.h",
       WithHidden(*ChallengeBetweenThresholds::Create({.epsilon = 1,
                                                       .delta = kDelta,
                                                       .low = -3,
                                                       .high = 3,
                                                       .reports = 5,
                                                       .rounds = 100}))},
      {"thresholds/asked_between_thresholds.h",
       Asked(*AskedBetweenThresholds::Create({.epsilon = 1,
                                              .delta = kDelta,
                                              .low = -3,
                                              .high = 3,
                                              .reports = 5}))},
      {"thresholds/stopper.h",
       Stops(*Stopper::Create({.epsilon = 1, .limit = 20}))},
      {"thresholds/laplace_stopper.h",
       Stops(*LaplaceStopper::Create(
           {.epsilon = 1, .delta = kDelta, .limit = 20}))},
      {"thresholds/exact_stopper.h", ExactStops(*ExactStopper::Create(1))},
      {"thresholds/threshold_monitor.h",
       Counts(*ThresholdMonitor::Create(
           {.epsilon = 1, .threshold = 20, .horizon = 100}))},
  };
}

std::vector<Replay> Counters() {
  return {
      {"counters/tree_counter.h",
       Counts(*TreeCounter::Create({.epsilon = 1, .horizon = 100}))},
      {"counters/square_root_counter.h",
       Counts(*SquareRootCounter::Create(
           {.epsilon = 1, .delta = 1e-6, .horizon = 100}))},
      {"counters/sparse_counter.h",
       Counts(*SparseCounter::Create(
           {.epsilon = 1, .horizon = 100, .expected_events = 10}))},
      {"counters/unknown_horizon_counter.h",
       Counts(
           *UnknownHorizonCounter::Create({.epsilon = 1, .first_epoch = 4}))},
      {"counters/counter.h",
       Counts(*Counter::Create({.epsilon = 1, .delta = 1e-6, .horizon = 100}))},
  };
}

// Numbers over a public range, once: one of them is replaced, or missing.
template <typename T>
void AddNumbers(T& statistic, bool one) {
  for (const double x : {0.5, 1.5, 1.5, 2.5, 3.5}) statistic.Add(x);
  statistic.Add(one ? 0.5 : 3.5);
}

ReplayWorld Quantiles() {
  return [](bool one, Rng& rng) {
    auto quantiles =
        *RangeQuantiles::Create({.epsilon = 1,
                                 .at = *ParseQuantiles("0.25,0.5"),
                                 .grid = *RangeGrid::Create(0, 4, 4)});
    AddNumbers(quantiles, one);
    rng.BeginRound(1, false);
    ReplayAnswers answers;
    for (const double x : quantiles.Release(rng)) {
      answers.push_back(static_cast<std::int64_t>(x));
    }
    return answers;
  };
}

ReplayWorld RangeCounts() {
  return [](bool one, Rng& rng) {
    auto histogram = *RangeHistogram::Create(
        {.epsilon = 1, .grid = *RangeGrid::Create(0, 4, 4)});
    AddNumbers(histogram, one);
    rng.BeginRound(1, false);
    return histogram.Release(rng);
  };
}

ReplayWorld Means() {
  return [](bool one, Rng& rng) {
    auto mean = *RangeTotal::Create(
        {.epsilon = 1, .high = 4, .kind = RangeTotal::Kind::kMean});
    AddNumbers(mean, one);
    rng.BeginRound(1, false);
    return ReplayAnswers{static_cast<std::int64_t>(mean.Release(rng) * 1e9)};
  };
}

// Sums of the cells, at every step. One step's number is in another cell.
ReplayWorld RunningCounts() {
  const auto histogram = *RunningHistogram::Create(
      {.epsilon = 1, .horizon = 20, .grid = *RangeGrid::Create(0, 4, 4)});
  return [histogram](bool one, Rng& rng) {
    RunningHistogram mine = histogram;
    return PlayRounds(20, rng, [&](std::uint64_t round) {
      const double x = one && round == 7 ? 3.5 : 1.5;
      const auto counts = mine.Add(x, rng);
      std::int64_t mixed = 0;
      for (const std::int64_t count : *counts) mixed = 31 * mixed + count;
      return std::optional(mixed);
    });
  };
}

// One step's number is one unit larger: the counters state their cost for it.
ReplayWorld RunningSums() {
  const auto total =
      *RunningTotal::Create({.epsilon = 1, .horizon = 20, .high = 4096});
  return [total](bool one, Rng& rng) {
    RunningTotal mine = total;
    return PlayRounds(20, rng, [&](std::uint64_t round) {
      const double x = one && round == 7 ? 101 : 100;
      return std::optional(
          static_cast<std::int64_t>(mine.Add(x, rng)->sum * 16));
    });
  };
}

std::vector<Replay> Rest() {
  const SelectionParams four{.epsilon = 1, .candidates = 4};
  return {
      {"mirrors/jdp_mirror.h",
       Mirrors(*JdpMirror::Create({.epsilon = 1, .delta = 0.01})), false},
      {"mirrors/mirror.h",
       Mirrors(*Mirror::Create({.epsilon = 1, .delta = 0.01})), false},
      {"mirrors/random_step.h",
       Mirrors(*RandomStep::Create({.epsilon = 1, .delta = 0.01})), false},
      {"mirrors/soft_mirror.h",
       Mirrors(*SoftMirror::Create({.epsilon = 1, .delta = 0.01})), false},
      {"mirrors/staircase_mirror.h",
       Mirrors(*StaircaseMirror::Create({.epsilon = 1, .delta = 0.01})), false},
      {"ranges/range_histogram.h", RangeCounts()},
      {"ranges/range_quantiles.h", Quantiles()},
      {"ranges/range_total.h", Means()},
      {"ranges/running_histogram.h", RunningCounts()},
      {"ranges/running_total.h", RunningSums()},
      {"ranks/online_thresholds.h", Ranks()},
      {"selection/exponential_mechanism.h",
       Selects(*ExponentialMechanism::Create(four))},
      {"selection/permute_and_flip.h", Selects(*PermuteAndFlip::Create(four))},
      {"selection/selection.h",
       Selects(*Selection::Create({.epsilon = 1, .candidates = 4}))},
      {"selection/sparse_histogram.h", Histograms()},
      {"selection/sparse_sample.h", Samples(), false},
      {"slicing/reorder_slice_compute.h", Slices()},
  };
}

}  // namespace

std::vector<Replay> AllReplays() {
  std::vector<Replay> all = Thresholds();
  for (auto& replays : {Counters(), Rest()}) {
    all.insert(all.end(), replays.begin(), replays.end());
  }
  return all;
}

}  // namespace sotto
