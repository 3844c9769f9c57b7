// Every mechanism in two neighbouring worlds with one and the same randomness:
// the sites at which noise is added are the same, the numbers there are within
// the declared sensitivity, and as many words are drawn. A header that takes an
// Rng and has no replay here fails the last test.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <numeric>
#include <set>
#include <string>
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
#include "sotto/mechanisms/ranks/online_thresholds.h"
#include "sotto/mechanisms/selection/exponential_mechanism.h"
#include "sotto/mechanisms/selection/permute_and_flip.h"
#include "sotto/mechanisms/selection/selection.h"
#include "sotto/mechanisms/selection/sparse_histogram.h"
#include "sotto/mechanisms/selection/sparse_sample.h"
#include "sotto/mechanisms/slicing/reorder_slice_compute.h"
#include "sotto/mechanisms/thresholds/above_threshold.h"
#include "sotto/mechanisms/thresholds/between_thresholds.h"
#include "sotto/mechanisms/thresholds/challenge_above_threshold.h"
#include "sotto/mechanisms/thresholds/challenge_between_thresholds.h"
#include "sotto/mechanisms/thresholds/exact_stopper.h"
#include "sotto/mechanisms/thresholds/laplace_stopper.h"
#include "sotto/mechanisms/thresholds/multi_above_threshold.h"
#include "sotto/mechanisms/thresholds/sparse_vector.h"
#include "sotto/mechanisms/thresholds/sparse_vector_stream.h"
#include "sotto/mechanisms/thresholds/stopper.h"
#include "sotto/mechanisms/thresholds/threshold_monitor.h"
#include "sotto/testing/replay_rng.h"

namespace sotto {
namespace {

using testing::FirstDifference;
using testing::ReplayDifference;
using testing::ReplayRng;

// The visible answers of one world, one a round; each begins with BeginRound.
using Answers = std::vector<std::int64_t>;
using World = std::function<Answers(bool one, Rng& rng)>;

constexpr std::uint64_t kRounds = 40;

// Queries that are one apart, up and down in turn.
template <typename Test>
World Queries(Test test) {
  return [test](bool one, Rng& rng) {
    Test fresh = test;
    Answers answers;
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      rng.BeginRound(round, false);
      const std::int64_t step = round % 3 == 0 ? -1 : 1;
      const auto answer = fresh.Test(one ? step : 0, rng);
      if constexpr (requires { answer.zone; }) {
        answers.push_back(100 * static_cast<std::int64_t>(answer.zone) +
                          answer.noisy);
      } else {
        answers.push_back(static_cast<std::int64_t>(answer));
      }
    }
    return answers;
  };
}

// One query is hidden and far away in one world.
template <typename Test>
World WithHidden(Test test) {
  return [test](bool one, Rng& rng) {
    Test fresh = test;
    Answers answers;
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      const bool hidden = round == 7;
      rng.BeginRound(round, hidden);
      const auto answer =
          fresh.Test(hidden ? (one ? 10'000 : -10'000) : (one ? 1 : 0), rng);
      if (hidden) continue;
      if constexpr (requires { answer.zone; }) {
        answers.push_back(100 * static_cast<std::int64_t>(answer.zone) +
                          answer.noisy);
      } else {
        answers.push_back(static_cast<std::int64_t>(answer));
      }
    }
    return answers;
  };
}

// A count of 1 a step, and one more in the fifth.
std::uint64_t Added(bool one, std::uint64_t round) {
  return round == 5 && one ? 2 : 1;
}

template <typename Counter>
World Counts(Counter counter) {
  return [counter](bool one, Rng& rng) {
    Counter fresh = counter;
    Answers answers;
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      rng.BeginRound(round, false);
      const auto answer = fresh.Add(Added(one, round), rng);
      if (!answer) break;  // a monitor that has reported
      answers.push_back(static_cast<std::int64_t>(*answer));
    }
    return answers;
  };
}

template <typename Stop>
World Stops(Stop stopper) {
  return [stopper](bool one, Rng& rng) {
    Stop fresh = stopper;
    Answers answers;
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      rng.BeginRound(round, false);
      const auto added = static_cast<std::uint32_t>(Added(one, round));
      answers.push_back(fresh.Tick(added, rng) ? 1 : 0);
    }
    return answers;
  };
}

World ExactStops(const ExactStopper& stopper) {
  return [stopper](bool one, Rng& rng) {
    ExactStopper fresh = stopper;
    fresh.Begin(rng);
    Answers answers;
    std::int64_t count = -20;
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      rng.BeginRound(round, false);
      count += static_cast<std::int64_t>(Added(one, round));
      answers.push_back(fresh.Check(count, rng) ? 1 : 0);
    }
    return answers;
  };
}

// Ones for ever, and one hidden step.
template <typename M>
World Mirrors(M mirror) {
  return [mirror](bool one, Rng& rng) {
    M fresh = mirror;
    Answers answers;
    for (std::uint64_t round = 1; round <= 200; ++round) {
      const bool hidden = round == 12;
      rng.BeginRound(round, hidden);
      const bool top = fresh.Next(!hidden || one, rng);
      if (!hidden) answers.push_back(top ? 1 : 0);
    }
    return answers;
  };
}

World Ranks() {
  return [](bool one, Rng& rng) {
    std::vector<double> data(3000);
    std::iota(data.begin(), data.end(), 0);
    if (one) data.push_back(777.5);
    auto ranks = *OnlineThresholds::Create(
        {.epsilon = 1, .delta = 1e-6, .horizon = 100}, std::move(data), rng);
    Answers answers;
    for (std::uint64_t round = 1; round <= 60; ++round) {
      rng.BeginRound(round, false);
      const auto x = static_cast<double>(round * 1237 % 3000);
      answers.push_back(ranks.Query(x, rng)->estimate);
    }
    return answers;
  };
}

template <typename Select>
World Selects(Select select) {
  return [select](bool one, Rng& rng) {
    const std::int64_t more = one ? 1 : 0;
    Answers answers;
    for (std::uint64_t round = 1; round <= 10; ++round) {
      rng.BeginRound(round, false);
      const std::vector<std::int64_t> scores = {3 + more, 4 - more, 4, -more};
      answers.push_back(static_cast<std::int64_t>(*select.Select(scores, rng)));
    }
    return answers;
  };
}

// A record moves from one bin to another that is there anyway.
World Histograms() {
  const auto histogram =
      *SparseHistogram::Create({.epsilon = 1, .delta = 1e-3});
  return [histogram](bool one, Rng& rng) {
    rng.BeginRound(1, false);
    std::vector<std::uint64_t> items = {1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3};
    items.insert(items.end(), 20, 4);
    if (one) items[0] = 4;
    Answers answers;
    for (const auto& bin : histogram.Release(items, rng)) {
      answers.push_back(static_cast<std::int64_t>(bin.item));
      answers.push_back(bin.count);
    }
    return answers;
  };
}

World Samples() {
  const auto sample = *SparseSample::Create(
      {.epsilon = 1, .delta = 1e-3, .list_size = 2, .max_lists = 50});
  return [sample](bool one, Rng& rng) {
    Answers answers;
    for (std::uint64_t round = 1; round <= 10; ++round) {
      rng.BeginRound(round, false);
      std::vector<std::vector<SparseSample::Item>> lists(20, {5, 6});
      if (one) lists.push_back({5, 6});
      const auto drawn = *sample.Sample(lists, rng);
      answers.push_back(drawn ? static_cast<std::int64_t>(*drawn) : -1);
    }
    return answers;
  };
}

// Slices, of each of which a noisy sum is told.
World Slices() {
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
    Answers answers;
    for (std::uint64_t round = 1; round <= 3; ++round) {
      rng.BeginRound(round, false);
      answers.push_back(*slicer.Slice(20, std::less<>(), sum, rng));
    }
    return answers;
  };
}

// By the fast lane, which draws ahead.
World Stream() {
  const auto test =
      *MultiAboveThreshold::Create({.epsilon = 1, .delta = 1e-3, .reports = 5});
  return [test](bool one, Rng& rng) {
    MultiAboveThreshold fresh = test;
    ThresholdStream stream(fresh, rng);
    Answers answers;
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      rng.BeginRound(round, false);
      answers.push_back(static_cast<std::int64_t>(stream.Test(one ? 1 : 0)));
    }
    return answers;
  };
}

struct Replay {
  std::string header;
  World world;
  // Data reach the answers by way of numbers with noise and in no other: the
  // other world, given this one's numbers, says the same. Where a bit meets
  // coins instead there are no such numbers.
  bool by_numbers = true;
};

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
      {"thresholds/challenge_between_thresholds.h",
       WithHidden(*ChallengeBetweenThresholds::Create({.epsilon = 1,
                                                       .delta = kDelta,
                                                       .low = -3,
                                                       .high = 3,
                                                       .reports = 5,
                                                       .rounds = 100}))},
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

std::vector<Replay> All() {
  std::vector<Replay> all = Thresholds();
  for (auto& replays : {Counters(), Rest()}) {
    all.insert(all.end(), replays.begin(), replays.end());
  }
  return all;
}

// The round of the first answer that differs; one past the last if none does.
// Hidden rounds have no answer, so this may be a round or two early: sound.
std::uint64_t FirstApart(const Answers& zero, const Answers& one) {
  const auto [p, q] = std::ranges::mismatch(zero, one);
  if (p == zero.end() && q == one.end()) return ~std::uint64_t{0};
  return static_cast<std::uint64_t>(p - zero.begin()) + 1;
}

struct Compared {
  bool equal = true;
  std::size_t sites = 0;
  std::string difference = {};
};

Compared Compare(const World& world, std::uint64_t seed) {
  ReplayRng here(seed);
  const Answers zero = world(false, here);
  here.End();
  ReplayRng there(seed, here);
  const Answers one = world(true, there);
  there.End();
  Compared compared{.equal = zero == one};
  for (const auto& round : here.rounds()) compared.sites += round.sites.size();
  const ReplayDifference apart =
      FirstDifference(here, there, FirstApart(zero, one));
  if (!apart.what.empty()) {
    compared.difference =
        "round " + std::to_string(apart.round) + ": " + apart.what;
  }
  return compared;
}

TEST(ReplayTest, NeighboursDrawTheSameNoiseForNumbersThatAreCloseEnough) {
  for (const Replay& replay : All()) {
    std::size_t sites = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Compared compared = Compare(replay.world, seed);
      EXPECT_EQ(compared.difference, "") << replay.header;
      EXPECT_TRUE(compared.equal || !replay.by_numbers) << replay.header;
      sites += compared.sites;
    }
    EXPECT_EQ(sites > 0, replay.by_numbers) << replay.header;
  }
}

// What is not a mechanism but a part of several.
const std::set<std::string> kParts = {"mirrors/mirror_law.h",
                                      "selection/selection_params.h"};

TEST(ReplayTest, EveryMechanismHasAReplay) {
  std::set<std::string> replayed = kParts;
  for (const Replay& replay : All()) replayed.insert(replay.header);
  const auto folder = std::filesystem::path(__FILE__).parent_path();
  std::size_t headers = 0;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name =
        std::filesystem::relative(file.path(), folder).generic_string();
    if (file.path().extension() != ".h" ||
        name.find("test") != std::string::npos) {
      continue;
    }
    std::ifstream stream(file.path());
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (text.find("Rng& rng") == std::string::npos) continue;
    ++headers;
    EXPECT_TRUE(replayed.contains(name)) << name << " has no replay";
  }
  EXPECT_GT(headers, 20u);
}

// The broken twins.
Compared CompareBroken(
    const std::function<std::int64_t(bool, std::uint64_t, Rng&)>& step) {
  return Compare(
      [&](bool one, Rng& rng) {
        Answers answers;
        for (std::uint64_t round = 1; round <= 5; ++round) {
          rng.BeginRound(round, false);
          answers.push_back(step(one, round, rng));
        }
        return answers;
      },
      1);
}

TEST(ReplayTest, WhatIsTooFarApartOrDrawnInOneWorldOnlyIsSeen) {
  const auto counted = [](std::int64_t factor) {
    return CompareBroken([=](bool one, std::uint64_t round, Rng& rng) {
      const bool more = one && round == 3;
      return rng.Private("count", more ? factor : 0, 1) +
             static_cast<std::int64_t>(rng.Next() % 8);
    });
  };
  EXPECT_EQ(counted(1).difference, "");
  EXPECT_EQ(counted(2).difference,
            "round 3: 'count' is 0 and 2, 1 apart at most");
  const Compared draws =
      CompareBroken([](bool one, std::uint64_t round, Rng& rng) {
        if (one && round == 2) rng.Next();
        return std::int64_t{0};
      });
  EXPECT_EQ(draws.difference, "round 2: not as many words are drawn");
  const Compared sites =
      CompareBroken([](bool one, std::uint64_t round, Rng& rng) {
        if (one && round == 4) rng.Private("extra", 0, 1);
        return std::int64_t{0};
      });
  EXPECT_EQ(sites.difference, "round 4: noise is added 0 and 1 times");
  // Past the noise.
  const Compared leak = CompareBroken([](bool one, std::uint64_t, Rng& rng) {
    rng.Private("count", 0, 1);
    return std::int64_t{one ? 1 : 0};
  });
  EXPECT_FALSE(leak.equal);
}

}  // namespace
}  // namespace sotto
