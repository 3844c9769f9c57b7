// Threshold tests: AdaptiveQuery and ChallengeAT-Game.
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/audit/games/rules.h"
#include "sotto/audit/players.h"
#include "sotto/audit/targets.h"
#include "sotto/audit/variants.h"
#include "sotto/mechanisms/thresholds/above_threshold.h"
#include "sotto/mechanisms/thresholds/asked_between_thresholds.h"
#include "sotto/mechanisms/thresholds/between_thresholds.h"
#include "sotto/mechanisms/thresholds/challenge_above_threshold.h"
#include "sotto/mechanisms/thresholds/challenge_between_thresholds.h"
#include "sotto/mechanisms/thresholds/counter_above_threshold.h"
#include "sotto/mechanisms/thresholds/sparse_vector.h"

namespace sotto {
namespace {

constexpr std::uint64_t kRounds = 100;
constexpr std::size_t kTrees = 16;
constexpr double kDelta = 0.01;

std::uint64_t MakeRounds(const AuditRequest& request) {
  return request.rounds == 0 ? kRounds : request.rounds;
}

ApproximateDp GetClaim(const Guarantee& guarantee) {
  return {guarantee.epsilon(), guarantee.delta()};
}

// The public centre of one-sided noise of these rates.
std::int64_t Centre(double threshold_rate, double query_rate) {
  const auto mean = [](double rate) { return 1 / std::expm1(rate); };
  return std::llround(mean(query_rate) - mean(threshold_rate));
}

// The cases that all tests of integer queries have.
template <typename Fresh>
void AddQueryCases(const std::string& mechanism, const ApproximateDp& claim,
                   std::int64_t centre, double scale, std::uint64_t rounds,
                   const Fresh& fresh, AuditSubject& subject) {
  const game::AdaptiveQuery rules{.rounds = rounds};
  const auto spread = static_cast<std::int64_t>(std::ceil(2 * scale)) + 1;
  subject.cases.push_back(
      {"threshold-parking", mechanism, claim,
       MakeGamePair<std::int64_t>(rules, fresh, ParkingAround(0, scale))});
  subject.cases.push_back(
      {"extremal-pair", mechanism, claim,
       MakeGamePair<std::int64_t>(rules, fresh, PairsAround(centre))});
  subject.cases.push_back(
      {"random-trees", mechanism, claim,
       MakeGamePair<std::int64_t>(
           rules, fresh,
           RandomTrees({.low = centre - spread, .high = centre + spread},
                       kTrees))});
}

Result<AuditSubject> AboveThresholdSubject(const AuditRequest& request) {
  AuditSubject subject{"above-threshold", {}};
  for (const bool monotone : {false, true}) {
    const auto test = AboveThreshold::Create(
        {.epsilon = request.epsilon.value_or(1), .monotone = monotone});
    if (!test) return test.error();
    // Monotone queries move the same way in all rounds, so the extremal pair
    // does not apply: they are parked.
    const auto fresh = [test = *test] { return ThresholdPlayer(test); };
    const double scale = 1 / test->query_rate();
    const std::int64_t centre =
        Centre(test->threshold_rate(), test->query_rate());
    if (!monotone) {
      AddQueryCases("one report", GetClaim(test->guarantee()), centre, scale,
                    MakeRounds(request), fresh, subject);
      continue;
    }
    std::vector<Parking> up = ParkingAround(centre, scale);
    std::erase_if(up, [](const Parking& parking) { return parking.step < 0; });
    subject.cases.push_back(
        {"threshold-parking", "one report, monotone",
         GetClaim(test->guarantee()),
         MakeGamePair<std::int64_t>(
             game::MonotoneQuery{.rounds = MakeRounds(request)}, fresh, up)});
  }
  return subject;
}

Result<AuditSubject> SparseVectorSubject(const AuditRequest& request) {
  AuditSubject subject{"sparse-vector", {}};
  for (const auto form : {SparseVector::Form::kNoisyThreshold,
                          SparseVector::Form::kRedrawnThreshold,
                          SparseVector::Form::kFreshNoise}) {
    SOTTO_TRY_ASSIGN(
        const auto test,
        SparseVector::Create({.epsilon = request.epsilon.value_or(1),
                              .delta = request.delta.value_or(kDelta),
                              .reports = 3,
                              .form = form}));
    const auto shared = std::make_shared<const SparseVector>(test);
    AddQueryCases(
        std::string(ToString(form)), GetClaim(test.guarantee()), 0,
        1 / test.query_rate(), MakeRounds(request),
        [shared] { return ThresholdPlayer(*shared); }, subject);
  }
  return subject;
}

Result<AuditSubject> BetweenThresholdsSubject(const AuditRequest& request) {
  AuditSubject subject{"between-thresholds", {}};
  for (const std::int64_t band : {1, 8}) {
    const auto test =
        BetweenThresholds::Create({.epsilon = request.epsilon.value_or(1),
                                   .delta = request.delta.value_or(kDelta),
                                   .low = 0,
                                   .high = band + 1,
                                   .reports = 2});
    if (!test) return test.error();
    AddQueryCases(
        "a band of " + std::to_string(band), GetClaim(test->guarantee()), 0,
        1 / test->rate(), MakeRounds(request),
        [test = *test] { return BandPlayer(test, 0); }, subject);
  }
  return subject;
}

Result<AuditSubject> ChallengeSubject(const AuditRequest& request) {
  const auto test =
      ChallengeAboveThreshold::Create({.epsilon = request.epsilon.value_or(1),
                                       .delta = request.delta.value_or(kDelta),
                                       .reports = 3,
                                       .rounds = MakeRounds(request)});
  if (!test) return test.error();
  AuditSubject subject{"challenge-above-threshold", {}};
  subject.cases.push_back(
      {"hidden-query", "a Stopper", GetClaim(test->guarantee()),
       MakeGamePair<std::int64_t>(
           game::ChallengeThreshold{.rounds = MakeRounds(request)},
           [test = *test] { return ThresholdPlayer(test); },
           HiddenQueries(test->noise().rate))});
  const auto counted =
      CounterAboveThreshold::Create({.epsilon = request.epsilon.value_or(1),
                                     .delta = request.delta.value_or(kDelta),
                                     .reports = 3,
                                     .horizon = MakeRounds(request)});
  if (!counted) return counted.error();
  subject.cases.push_back(
      {"hidden-query", "a counter", GetClaim(counted->guarantee()),
       MakeGamePair<std::int64_t>(
           game::ChallengeThreshold{.rounds = MakeRounds(request)},
           [test = *counted] { return ThresholdPlayer(test); },
           HiddenQueries(counted->noise().rate))});
  return subject;
}

// ChallengeBT as printed. A round is a stopping query and a test.
class AskedPlayer {
 public:
  explicit AskedPlayer(AskedBetweenThresholds test) : test_(std::move(test)) {}

  Result<std::int64_t> Step(std::int64_t value, Rng& rng) {
    if (test_.Ask(rng)) return 3;
    return static_cast<std::int64_t>(*test_.Test(value, rng));
  }
  bool halted() const { return test_.halted(); }

 private:
  AskedBetweenThresholds test_;
};

// A record moves all queries, or one query is hidden: each has the whole
// budget, so they are not played together.
Status AddAskedCases(const AuditRequest& request, AuditSubject& subject) {
  constexpr std::int64_t kHigh = 1000;
  SOTTO_TRY_ASSIGN(
      const auto test,
      AskedBetweenThresholds::Create({.epsilon = request.epsilon.value_or(1),
                                      .delta = request.delta.value_or(kDelta),
                                      .low = 0,
                                      .high = kHigh,
                                      .reports = 3}));
  const auto fresh = [test] { return AskedPlayer(test); };
  const game::ChallengeThreshold rules{.rounds = MakeRounds(request)};
  std::vector<HiddenQuery> moved = HiddenQueries(test.noise().rate);
  for (HiddenQuery& query : moved) query.at = rules.rounds;
  std::vector<HiddenQuery> hidden = HiddenQueries(test.noise().rate);
  for (HiddenQuery& query : hidden) {
    query.step = 0;
    query.hidden = kHigh / 2;
  }
  const ApproximateDp claim = GetClaim(test.guarantee());
  subject.cases.push_back({"hidden-query", "as printed, a record", claim,
                           MakeGamePair<std::int64_t>(rules, fresh, moved)});
  subject.cases.push_back({"hidden-query", "as printed, a query", claim,
                           MakeGamePair<std::int64_t>(rules, fresh, hidden)});
  return Ok();
}

Result<AuditSubject> ChallengeBandSubject(const AuditRequest& request) {
  AuditSubject subject{"challenge-between-thresholds", {}};
  for (const std::int64_t band : {1, 8}) {
    const auto test = ChallengeBetweenThresholds::Create(
        {.epsilon = request.epsilon.value_or(1),
         .delta = request.delta.value_or(kDelta),
         .low = 0,
         .high = band + 1,
         .reports = 2,
         .rounds = MakeRounds(request)});
    if (!test) return test.error();
    subject.cases.push_back(
        {"hidden-query", "a band of " + std::to_string(band),
         GetClaim(test->guarantee()),
         MakeGamePair<std::int64_t>(
             game::ChallengeThreshold{.rounds = MakeRounds(request)},
             [test = *test] { return BandPlayer(test, 0); },
             HiddenQueries(test->noise().rate))});
  }
  SOTTO_TRY(AddAskedCases(request, subject));
  return subject;
}

}  // namespace

AuditTarget AboveThresholdTarget() {
  return {"above-threshold",
          "AboveThreshold with a noisy threshold",
          "AdaptiveQuery",
          {"threshold-parking", "extremal-pair", "random-trees"},
          AboveThresholdSubject};
}

AuditTarget SparseVectorTarget() {
  return {"sparse-vector",
          "the three forms of the sparse vector technique",
          "AdaptiveQuery",
          {"threshold-parking", "extremal-pair", "random-trees"},
          SparseVectorSubject};
}

AuditTarget BetweenThresholdsTarget() {
  return {"between-thresholds",
          "a band between two thresholds, values in it "
          "released",
          "AdaptiveQuery",
          {"threshold-parking", "extremal-pair", "random-trees"},
          BetweenThresholdsSubject};
}

AuditTarget ChallengeThresholdTarget() {
  return {"challenge-above-threshold",
          "AboveThreshold for a stream of users, one of whom is hidden",
          "ChallengeAT-Game",
          {"hidden-query"},
          ChallengeSubject};
}

AuditTarget ChallengeBetweenThresholdsTarget() {
  return {"challenge-between-thresholds",
          "a band between two thresholds for a stream of users, one of whom is "
          "hidden",
          "ChallengeAT-Game",
          {"hidden-query"},
          ChallengeBandSubject};
}

}  // namespace sotto
