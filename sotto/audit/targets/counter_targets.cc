// Counters and the threshold monitor: AdaptiveInput.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sotto/audit/games/hard_instance.h"
#include "sotto/audit/games/oblivious.h"
#include "sotto/audit/games/rules.h"
#include "sotto/audit/players.h"
#include "sotto/audit/targets.h"
#include "sotto/audit/variants.h"
#include "sotto/mechanisms/counters/counter.h"
#include "sotto/mechanisms/counters/unknown_horizon_counter.h"
#include "sotto/mechanisms/thresholds/threshold_monitor.h"
#include "sotto/random/chacha_rng.h"

namespace sotto {
namespace {

constexpr std::uint64_t kRounds = 62;  // of a hard instance with five ones
constexpr int kOnes = 5;
constexpr int kSamples = 200;

ApproximateDp GetClaim(const Guarantee& guarantee) {
  return {guarantee.epsilon(), guarantee.delta()};
}

// A monitor built from a counter: above at three quarters of the ones.
template <typename Counter>
struct CounterMonitor {
  CounterPlayer<Counter> counter;

  Result<std::int64_t> Step(std::int64_t bit, Rng& rng) {
    auto estimate = counter.Step(bit, rng);
    if (!estimate) return estimate;
    return 4 * *estimate >= 3 * kOnes ? 1 : 0;
  }
};

// The neighbours of a hard instance, one variant for each insertion.
template <typename Fresh>
std::vector<Oblivious<std::int64_t>> HardNeighbours(const Fresh& fresh) {
  const std::array<std::byte, Key::kBytes> zeros{};
  ChaChaRng rng(Key::FromBytes(zeros).Derive("audit-v1", "hard-instance", {}));
  const HardInstance hard = BuildHardInstance(kOnes, kSamples, fresh, rng);
  std::vector<Oblivious<std::int64_t>> variants;
  for (std::size_t i = 0; i < hard.inserted.size(); ++i) {
    variants.emplace_back(hard.Neighbours(i));
  }
  return variants;
}

Result<AuditSubject> CountersSubject(const AuditRequest& request) {
  const std::uint64_t rounds =
      request.rounds == 0 ? kRounds : std::max(request.rounds, kRounds);
  AuditSubject subject{"counters", {}};
  for (const auto mechanism :
       {Counter::Mechanism::kTree, Counter::Mechanism::kSquareRoot,
        Counter::Mechanism::kSparse}) {
    SOTTO_TRY_ASSIGN(const auto counter,
                     Counter::Create({.epsilon = request.epsilon.value_or(1),
                                      .delta = request.delta.value_or(0.01),
                                      .horizon = rounds,
                                      .expected_events = 4,
                                      .mechanism = mechanism}));
    const auto fresh = [c = counter] { return CounterPlayer(c); };
    const std::string name(ToString(mechanism));
    const ApproximateDp claim = GetClaim(counter.guarantee());
    const game::AdaptiveInput rules{.rounds = rounds};
    std::vector<SingleStep> steps;
    for (const std::uint64_t lead : {0u, 1u, 7u}) {
      for (const std::int64_t after : {0, 2}) {
        steps.push_back({.lead = lead, .after = after});
      }
    }
    subject.cases.push_back({"extremal-pair", name, claim,
                             MakeGamePair<std::int64_t>(rules, fresh, steps)});
    subject.cases.push_back(
        {"hard-instance", name, claim,
         MakeGamePair<std::int64_t>(rules, fresh, HardNeighbours([&fresh] {
                                      return CounterMonitor<Counter>{fresh()};
                                    }))});
  }
  return subject;
}

Result<AuditSubject> UnknownHorizonSubject(const AuditRequest& request) {
  const std::uint64_t rounds = request.rounds == 0 ? 14 : request.rounds;
  AuditSubject subject{"unknown-horizon-counter", {}};
  for (const bool totals : {true, false}) {
    SOTTO_TRY_ASSIGN(
        const auto counter,
        UnknownHorizonCounter::Create({.epsilon = request.epsilon.value_or(1),
                                       .first_epoch = 2,
                                       .with_totals = totals}));
    // In the first epoch, in its last step, and in later ones.
    std::vector<SingleStep> steps;
    for (const std::uint64_t lead : {0u, 1u, 2u, 5u}) {
      steps.push_back({.lead = lead});
    }
    subject.cases.push_back(
        {"extremal-pair", totals ? "epochs with totals" : "epochs",
         GetClaim(counter.guarantee()),
         MakeGamePair<std::int64_t>(
             game::AdaptiveInput{.rounds = rounds},
             [c = counter] { return CounterPlayer(c); }, std::move(steps))});
  }
  return subject;
}

// A monitor: 1 in the step of the report.
class MonitorPlayer {
 public:
  explicit MonitorPlayer(ThresholdMonitor monitor)
      : monitor_(std::move(monitor)) {}

  Result<std::int64_t> Step(std::int64_t added, Rng& rng) {
    SOTTO_TRY_ASSIGN(const auto count, CountMembers(added));
    SOTTO_TRY_ASSIGN(const auto answer, monitor_.Add(count, rng));
    return answer == ThresholdMonitor::Answer::kAbove ? 1 : 0;
  }
  bool halted() const { return monitor_.halted(); }

 private:
  ThresholdMonitor monitor_;
};

Result<AuditSubject> MonitorSubject(const AuditRequest& request) {
  const std::uint64_t rounds =
      request.rounds == 0 ? kRounds : std::max(request.rounds, kRounds);
  const std::int64_t threshold = 40;
  SOTTO_TRY_ASSIGN(
      const auto monitor,
      ThresholdMonitor::Create({.epsilon = request.epsilon.value_or(1),
                                .threshold = threshold,
                                .horizon = rounds}));
  const auto fresh = [m = monitor] { return MonitorPlayer(m); };
  const ApproximateDp claim = GetClaim(monitor.guarantee());
  const game::AdaptiveInput rules{.rounds = rounds};
  AuditSubject subject{"monitor", {}};
  subject.cases.push_back(
      {"extremal-pair", "threshold monitor", claim,
       MakeGamePair<std::int64_t>(rules, fresh,
                                  StepsAt(threshold / 2, threshold))});
  // With a threshold as low as the ones of the instance.
  SOTTO_TRY_ASSIGN(const auto low, ThresholdMonitor::Create(
                                       {.epsilon = request.epsilon.value_or(1),
                                        .threshold = kOnes,
                                        .horizon = rounds}));
  const auto fresh_low = [m = low] { return MonitorPlayer(m); };
  subject.cases.push_back({"hard-instance", "threshold monitor",
                           GetClaim(low.guarantee()),
                           MakeGamePair<std::int64_t>(
                               rules, fresh_low, HardNeighbours(fresh_low))});
  subject.cases.push_back(
      {"random-trees", "threshold monitor", claim,
       MakeGamePair<std::int64_t>(
           rules, fresh,
           RandomTrees({.low = 0, .high = threshold / 3, .one_challenge = true},
                       12))});
  return subject;
}

}  // namespace

AuditTarget CountersTarget() {
  return {"counters",
          "running counts: tree, square-root, sparse",
          "AdaptiveInput",
          {"extremal-pair", "hard-instance"},
          CountersSubject};
}

AuditTarget UnknownHorizonTarget() {
  return {"unknown-horizon-counter",
          "a running count of unknown length, in epochs",
          "AdaptiveInput",
          {"extremal-pair"},
          UnknownHorizonSubject};
}

AuditTarget MonitorTarget() {
  return {"monitor",
          "the threshold monitor",
          "AdaptiveInput",
          {"extremal-pair", "hard-instance", "random-trees"},
          MonitorSubject};
}

}  // namespace sotto
