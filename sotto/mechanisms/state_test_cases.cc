#include "sotto/mechanisms/state_test_cases.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
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
#include "sotto/mechanisms/ranges/running_histogram.h"
#include "sotto/mechanisms/ranges/running_total.h"
#include "sotto/mechanisms/ranks/online_thresholds.h"
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
#include "sotto/mechanisms/thresholds/stopper.h"
#include "sotto/mechanisms/thresholds/threshold_monitor.h"
#include "sotto/testing/saved_states.h"

namespace sotto {
namespace {

using testing::CheckStates;
using testing::SavedBytes;
using testing::SavedStates;

template <typename... Numbers>
std::string Show(const Numbers&... numbers) {
  std::string text;
  ((text += std::to_string(numbers) + " "), ...);
  return text;
}

template <typename Answer>
std::string ShowAnswer(const Answer& answer) {
  if constexpr (requires { answer.zone; }) {
    return Show(static_cast<int>(answer.zone), answer.noisy);
  } else {
    return Show(static_cast<std::int64_t>(answer));
  }
}

// All that a mechanism says about itself besides its answers.
template <typename T>
std::string ShowRest(const T& thing) {
  std::string text;
  if constexpr (requires { thing.halted(); }) text += Show(thing.halted());
  if constexpr (requires { thing.ticks(); }) text += Show(thing.ticks());
  if constexpr (requires { thing.steps(); }) text += Show(thing.steps());
  if constexpr (requires { thing.rounds(); }) text += Show(thing.rounds());
  if constexpr (requires { thing.rate(); }) text += Show(thing.rate());
  if constexpr (requires { thing.reports_left(); }) {
    text += Show(thing.reports_left());
  }
  if constexpr (requires { thing.guarantee(); }) {
    text += thing.guarantee().Describe();
  }
  return text;
}

// Checks T's states, and that each of the `others` refuses them.
template <typename T, typename Play>
StateCase MakeCase(std::string header, const SavedStates& states,
                   const typename T::Params& params,
                   const std::vector<typename T::Params>& others,
                   const Play& play) {
  return {header, [=] {
            const auto make = [&] { return *T::Create(params); };
            CheckStates(
                states, make,
                [&](ByteReader& reader) { return T::Load(params, reader); },
                [&](T& thing, std::uint64_t round, Rng& rng) {
                  const std::string answer = play(thing, round, rng);
                  return answer.empty() ? answer : answer + ShowRest(thing);
                });
            const std::string bytes = SavedBytes(make());
            for (const auto& other : others) {
              ASSERT_TRUE(T::Create(other)) << "no such parameters";
              ByteReader reader(bytes);
              EXPECT_FALSE(T::Load(other, reader))
                  << "other parameters, number " << &other - others.data();
            }
          }};
}

// Queries on both sides of a threshold near 0, some far away.
std::int64_t MakeQuery(std::uint64_t round) {
  const auto r = static_cast<std::int64_t>(round);
  return round % 5 == 0 ? 40 : round % 5 == 3 ? -60 : r * 7 % 9 - 4;
}

template <typename Test>
StateCase Tests(std::string header, const typename Test::Params& params,
                const std::vector<typename Test::Params>& others) {
  return MakeCase<Test>(std::move(header), {.has_clock = true}, params, others,
                        [](Test& test, std::uint64_t round, Rng& rng) {
                          if (test.halted()) return std::string();
                          return ShowAnswer(test.Test(MakeQuery(round), rng));
                        });
}

// Most rounds have nothing to count.
std::uint32_t Added(std::uint64_t round) { return round % 4 == 1 ? 3 : 0; }

template <typename Stop>
StateCase Stops(std::string header, const typename Stop::Params& params,
                const std::vector<typename Stop::Params>& others) {
  return MakeCase<Stop>(std::move(header), {.has_clock = true}, params, others,
                        [](Stop& stopper, std::uint64_t round, Rng& rng) {
                          if (stopper.halted()) return std::string();
                          return Show(stopper.Advance(Added(round), rng));
                        });
}

template <typename Counting>
StateCase Counts(std::string header, const typename Counting::Params& params,
                 const std::vector<typename Counting::Params>& others) {
  return MakeCase<Counting>(
      std::move(header), {.has_clock = true}, params, others,
      [](Counting& counter, std::uint64_t round, Rng& rng) {
        const auto answer = counter.Add(Added(round), rng);
        return answer ? ShowAnswer(*answer) : std::string();
      });
}

template <typename M>
StateCase Mirrors(std::string header, const typename M::Params& params,
                  const std::vector<typename M::Params>& others) {
  return MakeCase<M>(std::move(header), {}, params, others,
                     [](M& mirror, std::uint64_t round, Rng& rng) {
                       return Show(mirror.Next(round % 6 != 2, rng));
                     });
}

// Parameters that differ in one number.
constexpr auto kEpsilon = [](auto& p) { p.epsilon = 1.5; };
constexpr auto kDelta = [](auto& p) { p.delta *= 1.25; };
constexpr auto kFailure = [](auto& p) { p.failure = 0.1; };
constexpr auto kHorizon = [](auto& p) { ++p.horizon; };
constexpr auto kThreshold = [](auto& p) { ++p.threshold; };
constexpr auto kLow = [](auto& p) { --p.low; };
constexpr auto kHigh = [](auto& p) { ++p.high; };
constexpr auto kReports = [](auto& p) { ++p.reports; };
constexpr auto kLimit = [](auto& p) { ++p.limit; };
constexpr auto kDelay = [](auto& p) { ++p.delay; };
constexpr auto kCharge = [](auto& p) { p.charge = Charge::kBelow; };

template <typename Params, typename... Changes>
std::vector<Params> Others(const Params& params, const Changes&... changes) {
  std::vector<Params> others(sizeof...(changes), params);
  std::size_t next = 0;
  (changes(others[next++]), ...);
  return others;
}

std::vector<StateCase> OneThresholds() {
  const AboveThreshold::Params kept{.epsilon = 1, .reports = 9};
  auto redrawn = kept;
  redrawn.delta = 1e-3;
  redrawn.threshold_noise = AboveThreshold::ThresholdNoise::kRedrawn;
  const MultiAboveThreshold::Params multi{
      .epsilon = 1, .delta = 1e-3, .reports = 9};
  const SparseVector::Params sparse{.epsilon = 1, .delta = 1e-3, .reports = 9};
  const ChallengeAboveThreshold::Params challenge{
      .epsilon = 1, .delta = 1e-3, .reports = 9, .rounds = 100};
  const CounterAboveThreshold::Params counter{
      .epsilon = 1, .delta = 1e-3, .reports = 50, .horizon = 100};
  return {
      Tests<AboveThreshold>("thresholds/above_threshold.h", kept,
                            Others(kept, kThreshold, kReports, kCharge)),
      Tests<AboveThreshold>("thresholds/above_threshold.h", redrawn, {kept}),
      Tests<MultiAboveThreshold>("thresholds/multi_above_threshold.h", multi,
                                 Others(multi, kThreshold, kReports, kCharge)),
      Tests<SparseVector>("thresholds/sparse_vector.h", sparse,
                          Others(sparse, kThreshold, kReports,
                                 [](auto& p) {
                                   p.form = SparseVector::Form::kNoisyThreshold;
                                 })),
      Tests<ChallengeAboveThreshold>("thresholds/challenge_above_threshold.h",
                                     challenge,
                                     Others(challenge, kThreshold, kCharge)),
      Tests<CounterAboveThreshold>(
          "thresholds/counter_above_threshold.h", counter,
          Others(counter, kThreshold, kReports, kHorizon)),
  };
}

std::vector<StateCase> OtherThresholds() {
  const BetweenThresholds::Params between{
      .epsilon = 1, .delta = 1e-3, .low = -3, .high = 3, .reports = 9};
  const ChallengeBetweenThresholds::Params challenge{.epsilon = 1,
                                                     .delta = 1e-3,
                                                     .low = -3,
                                                     .high = 3,
                                                     .reports = 9,
                                                     .rounds = 100};
  const Stopper::Params stopper{.epsilon = 1, .limit = 30};
  const LaplaceStopper::Params laplace{
      .epsilon = 1, .delta = 1e-3, .limit = 400};
  const ThresholdMonitor::Params monitor{
      .epsilon = 1, .threshold = 30, .horizon = 100};
  return {
      Tests<BetweenThresholds>("thresholds/between_thresholds.h", between,
                               Others(between, kLow, kHigh, kReports)),
      Tests<ChallengeBetweenThresholds>(
          "thresholds/challenge_between_thresholds.h", challenge,
          Others(challenge, kLow, kHigh)),
      Stops<Stopper>("thresholds/stopper.h", stopper,
                     Others(stopper, kEpsilon, kLimit)),
      Stops<LaplaceStopper>("thresholds/laplace_stopper.h", laplace,
                            Others(laplace, kEpsilon, kDelta, kLimit,
                                   [](auto& p) { p.rate = 1e-3; })),
      Counts<ThresholdMonitor>(
          "thresholds/threshold_monitor.h", monitor,
          Others(monitor, kEpsilon, kThreshold, kHorizon, kFailure)),
  };
}

// Asked to stop in every round, but for some; tested in every round, also where
// that is ignored.
StateCase Asked(AskedBetweenThresholds::StopperKind kind) {
  const AskedBetweenThresholds::Params params{.epsilon = 1,
                                              .delta = 1e-3,
                                              .low = -3,
                                              .high = 3,
                                              .reports = 9,
                                              .stopper = kind};
  using Kind = AskedBetweenThresholds::StopperKind;
  const auto others = Others(params, kLow, kHigh, kReports, [=](auto& p) {
    p.stopper = kind == Kind::kLaplace ? Kind::kOneSided : Kind::kLaplace;
  });
  return MakeCase<AskedBetweenThresholds>(
      "thresholds/asked_between_thresholds.h", {}, params, others,
      [](AskedBetweenThresholds& test, std::uint64_t round, Rng& rng) {
        if (test.halted()) return std::string();
        const bool halted = round % 4 != 2 && test.Ask(rng);
        if (round % 7 == 1) return Show(halted);
        const auto zone = test.Test(MakeQuery(round), rng);
        return Show(halted, zone ? static_cast<int>(*zone) : -1);
      });
}

StateCase ExactStops() {
  return {"thresholds/exact_stopper.h", [] {
            CheckStates(
                {}, [] { return *ExactStopper::Create(1); },
                [](ByteReader& reader) -> Result<ExactStopper> {
                  auto stopper = *ExactStopper::Create(1);
                  if (!stopper.Load(reader)) return Corruption("no state");
                  return stopper;
                },
                [](ExactStopper& stopper, std::uint64_t round, Rng& rng) {
                  if (round % 10 == 1) stopper.Begin(rng);
                  const auto over = static_cast<std::int64_t>(round % 10) - 5;
                  return Show(stopper.Check(over, rng));
                });
          }};
}

std::vector<StateCase> Counters() {
  const TreeCounter::Params tree{.epsilon = 1, .horizon = 50};
  const SquareRootCounter::Params root{
      .epsilon = 1, .delta = 1e-6, .horizon = 50};
  const SparseCounter::Params sparse{
      .epsilon = 1, .horizon = 100, .expected_events = 10};
  const UnknownHorizonCounter::Params unknown{.epsilon = 1, .first_epoch = 4};
  constexpr auto kEvents = [](auto& p) { ++p.expected_events; };
  std::vector<StateCase> all = {
      Counts<TreeCounter>("counters/tree_counter.h", tree,
                          Others(
                              tree, kEpsilon, kHorizon, kFailure,
                              [](auto& p) { p.with_total = true; },
                              [](auto& p) { p.radices = {2, 2, 2, 2, 2, 2}; })),
      Counts<SquareRootCounter>(
          "counters/square_root_counter.h", root,
          Others(root, kEpsilon, kDelta, kHorizon, kFailure)),
      Counts<SparseCounter>(
          "counters/sparse_counter.h", sparse,
          Others(sparse, kEpsilon, kHorizon, kEvents, kFailure)),
      Counts<UnknownHorizonCounter>(
          "counters/unknown_horizon_counter.h", unknown,
          Others(
              unknown, kEpsilon, kFailure, [](auto& p) { ++p.first_epoch; },
              [](auto& p) { p.with_totals = false; })),
      Counts<Counter>("counters/counter.h", {.epsilon = 1},
                      {{.epsilon = 1, .horizon = 50}})};
  using Mechanism = Counter::Mechanism;
  for (const Mechanism mechanism :
       {Mechanism::kTree, Mechanism::kSquareRoot, Mechanism::kSparse}) {
    const Counter::Params params{.epsilon = 1,
                                 .delta = 1e-6,
                                 .horizon = 50,
                                 .expected_events = 10,
                                 .mechanism = mechanism};
    const auto other = [=](auto& p) {
      p.mechanism = mechanism == Mechanism::kTree ? Mechanism::kSquareRoot
                                                  : Mechanism::kTree;
    };
    all.push_back(Counts<Counter>(
        "counters/counter.h", params,
        Others(params, kEpsilon, kDelta, kHorizon, kEvents, kFailure, other)));
  }
  return all;
}

template <typename M>
StateCase AMirror(std::string header) {
  const typename M::Params params{.epsilon = 1, .delta = 0.01, .delay = 3};
  return Mirrors<M>(std::move(header), params,
                    Others(params, kEpsilon, kDelta, kDelay));
}

std::vector<StateCase> AllMirrors() {
  return {AMirror<JdpMirror>("mirrors/jdp_mirror.h"),
          AMirror<RandomStep>("mirrors/random_step.h"),
          AMirror<SoftMirror>("mirrors/soft_mirror.h"),
          AMirror<StaircaseMirror>("mirrors/staircase_mirror.h"),
          AMirror<Mirror>("mirrors/mirror.h")};
}

StateCase Histogram() {
  const RunningHistogram::Params params{
      .epsilon = 1, .horizon = 50, .grid = *RangeGrid::Create(0, 4, 4)};
  return MakeCase<RunningHistogram>(
      "ranges/running_histogram.h", {.has_clock = true}, params,
      Others(params, kEpsilon, kHorizon),
      [](RunningHistogram& histogram, std::uint64_t round, Rng& rng) {
        const auto counts = histogram.Add(
            round % 5 == 0 ? std::nan("") : static_cast<double>(round % 4),
            rng);
        if (!counts) return std::string();
        std::string text;
        for (const std::int64_t count : *counts) text += Show(count);
        return text;
      });
}

StateCase Total() {
  const RunningTotal::Params params{.epsilon = 1, .horizon = 50, .high = 4096};
  return MakeCase<RunningTotal>(
      "ranges/running_total.h", {.has_clock = true}, params,
      Others(params, kEpsilon, kHorizon),
      [](RunningTotal& total, std::uint64_t round, Rng& rng) {
        const auto answer = total.Add(
            round % 5 == 0 ? std::nan("") : static_cast<double>(round * 70),
            rng);
        return answer ? Show(answer->sum, answer->mean) : std::string();
      });
}

StateCase Ranks() {
  return {"ranks/online_thresholds.h", [] {
            const OnlineThresholds::Params params{
                .epsilon = 1, .delta = 1e-6, .horizon = 50};
            std::vector<double> data(3000);
            std::iota(data.begin(), data.end(), 0);
            const auto make = [&] {
              testing::SeededRng rng(1);
              return *OnlineThresholds::Create(params, data, rng);
            };
            CheckStates(
                {.has_clock = true}, make,
                [&](ByteReader& reader) {
                  return OnlineThresholds::Load(params, data, reader);
                },
                [](OnlineThresholds& ranks, std::uint64_t round, Rng& rng) {
                  const auto answer = ranks.Query(
                      static_cast<double>(round * 1237 % 3000), rng);
                  if (!answer) return std::string();
                  return Show(answer->estimate, answer->error, ranks.queries(),
                              ranks.ErrorBound(), ranks.size()) +
                         ranks.guarantee().Describe();
                });
            const std::string bytes = SavedBytes(make());
            for (const auto& other :
                 Others(params, kEpsilon, kDelta, kHorizon, kFailure)) {
              ByteReader reader(bytes);
              EXPECT_FALSE(OnlineThresholds::Load(other, data, reader));
            }
          }};
}

}  // namespace

std::vector<StateCase> AllStates() {
  using Kind = AskedBetweenThresholds::StopperKind;
  std::vector<StateCase> all = {Asked(Kind::kLaplace),
                                Asked(Kind::kOneSided),
                                ExactStops(),
                                Histogram(),
                                Total(),
                                Ranks()};
  for (auto& cases :
       {OneThresholds(), OtherThresholds(), Counters(), AllMirrors()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

}  // namespace sotto
