// A single release, and the Stoppers.
#include <cstdint>
#include <utility>
#include <vector>

#include "sotto/audit/games/rules.h"
#include "sotto/audit/players.h"
#include "sotto/audit/targets.h"
#include "sotto/audit/variants.h"
#include "sotto/base/rational.h"
#include "sotto/mechanisms/thresholds/exact_stopper.h"
#include "sotto/mechanisms/thresholds/laplace_stopper.h"
#include "sotto/mechanisms/thresholds/stopper.h"
#include "sotto/random/fixed_work_laplace.h"

namespace sotto {
namespace {

constexpr std::int64_t kLimit = 20;
constexpr std::uint64_t kRounds = 20;

// One number with discrete Laplace noise.
struct Release {
  FixedWorkLaplace noise;
  bool done = false;

  Result<std::int64_t> Step(std::int64_t value, Rng& rng) {
    done = true;
    return rng.Private("value", value, 1) + noise.Sample(rng);
  }
  bool halted() const { return done; }
};

Result<AuditSubject> LaplaceSubject(const AuditRequest& request) {
  const double epsilon = request.epsilon.value_or(1);
  SOTTO_TRY_ASSIGN(const auto rate, RationalBelow(epsilon));
  const auto noise = FixedWorkLaplace::Create(rate);
  if (!noise) return noise.error();
  AuditSubject subject{"laplace", {}};
  subject.cases.push_back({"extremal-pair",
                           "one release",
                           {epsilon, 0},
                           MakeGamePair<std::int64_t>(
                               game::AdaptiveQuery{.rounds = 1},
                               [noise = *noise] { return Release{noise}; },
                               std::vector<Parking>{{0, 1}})});
  return subject;
}

// An ExactStopper with a given count.
class ExactPlayer {
 public:
  explicit ExactPlayer(ExactStopper stopper) : stopper_(std::move(stopper)) {}

  Result<std::int64_t> Step(std::int64_t added, Rng& rng) {
    if (!begun_) stopper_.Begin(rng);
    begun_ = true;
    count_ += added;
    halted_ = stopper_.Check(count_ - kLimit, rng);
    return halted_ ? 1 : 0;
  }
  bool halted() const { return halted_; }

 private:
  ExactStopper stopper_;
  std::int64_t count_ = 0;
  bool begun_ = false;
  bool halted_ = false;
};

template <typename Fresh>
void AddCases(const char* mechanism, const ApproximateDp& claim,
              std::uint64_t rounds, const Fresh& fresh, AuditSubject& subject) {
  const game::AdaptiveInput rules{.rounds = rounds};
  subject.cases.push_back(
      {"extremal-pair", mechanism, claim,
       MakeGamePair<std::int64_t>(rules, fresh, StepsAt(kLimit - 6, kLimit))});
  subject.cases.push_back(
      {"random-trees", mechanism, claim,
       MakeGamePair<std::int64_t>(
           rules, fresh,
           RandomTrees({.low = 0, .high = kLimit / 3, .one_challenge = true},
                       12))});
}

Result<AuditSubject> StopperSubject(const AuditRequest& request) {
  const double epsilon = request.epsilon.value_or(1);
  const std::uint64_t rounds = request.rounds == 0 ? kRounds : request.rounds;
  AuditSubject subject{"stopper", {}};
  SOTTO_TRY_ASSIGN(const auto stopper,
                   Stopper::Create({.epsilon = epsilon, .limit = kLimit}));
  AddCases(
      "one-sided noise",
      {stopper.guarantee().epsilon(), stopper.guarantee().delta()}, rounds,
      [s = stopper] { return StopperPlayer(s); }, subject);
  SOTTO_TRY_ASSIGN(const auto exact, ExactStopper::Create(epsilon));
  AddCases(
      "exact weights", {epsilon, 0}, rounds,
      [s = exact] { return ExactPlayer(s); }, subject);
  SOTTO_TRY_ASSIGN(
      const auto laplace,
      LaplaceStopper::Create({.epsilon = epsilon,
                              .delta = request.delta.value_or(0.01),
                              .limit = kLimit}));
  AddCases(
      "as published",
      {laplace.guarantee().epsilon(), laplace.guarantee().delta()}, rounds,
      [s = laplace] { return StopperPlayer(s); }, subject);
  return subject;
}

}  // namespace

AuditTarget LaplaceTarget() {
  return {"laplace",
          "one number with discrete Laplace noise",
          "AdaptiveQuery",
          {"extremal-pair"},
          LaplaceSubject};
}

AuditTarget StopperTarget() {
  return {"stopper",
          "the three stopping rules",
          "AdaptiveInput",
          {"extremal-pair", "random-trees"},
          StopperSubject};
}

}  // namespace sotto
