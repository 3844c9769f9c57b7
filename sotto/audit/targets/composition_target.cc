// CompositionGame: copies of one mechanism that share the secret bit, against
// Theorem 3.3 and against the tight bound.
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/accounting/composition.h"
#include "sotto/accounting/privacy_loss.h"
#include "sotto/accounting/tight_composition.h"
#include "sotto/audit/composition_pair.h"
#include "sotto/audit/games/rules.h"
#include "sotto/audit/players.h"
#include "sotto/audit/targets.h"
#include "sotto/audit/variants.h"
#include "sotto/base/rational.h"
#include "sotto/mechanisms/thresholds/challenge_above_threshold.h"
#include "sotto/random/fixed_work_laplace.h"

namespace sotto {
namespace {

constexpr const char* kAdversary = "chosen-games";
constexpr double kResponse = 0.1;  // epsilon of a copy
constexpr double kTest = 0.25;
constexpr double kTestDelta = 2e-3;
constexpr double kSlack = 0.05;  // delta' of Theorem 3.3
constexpr std::uint64_t kResponses = 64;
constexpr std::uint64_t kTests = 8;
constexpr std::uint64_t kRoundsOfATest = 12;

// Randomised response: a bit with discrete Laplace noise, rounded to a bit, is
// right e^epsilon times as often as it is wrong.
struct Response {
  FixedWorkLaplace noise;
  bool done = false;

  Result<std::int64_t> Step(std::int64_t bit, Rng& rng) {
    done = true;
    return rng.Private("bit", bit, 1) + noise.Sample(rng) >= 1 ? 1 : 0;
  }
  bool halted() const { return done; }
};

// The same in all games, or the other way round after a 1.
std::vector<TwoTactics<Parking>> ResponseTactics() {
  const Parking up{0, 1};
  return {{up, up}, {up, {1, -1}}};
}

// Queries at one place, or nearer to the threshold after a report.
std::vector<TwoTactics<HiddenQuery>> TestTactics(double rate) {
  const std::vector<HiddenQuery> all = HiddenQueries(rate);
  std::vector<TwoTactics<HiddenQuery>> tactics;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].at >= kRoundsOfATest) continue;
    tactics.push_back({all[i], all[i]});
    tactics.push_back({all[i], all[all.size() / 2]});
  }
  return tactics;
}

// No composition of mechanisms with this guarantee costs more, and randomised
// response with a failure of delta costs this.
Result<double> ComputeTightEpsilon(const ApproximateDp& each,
                                   std::uint64_t copies, double delta) {
  SOTTO_TRY_ASSIGN(const auto loss,
                   each.delta > 0
                       ? PrivacyLoss::ApproximateDp(each.epsilon, each.delta)
                       : PrivacyLoss::RandomizedResponse(each.epsilon));
  const std::array terms = {LossTerm{loss, copies}};
  return TightEpsilon(terms, delta);
}

// The two claims of the same games, at the delta of Theorem 3.3.
template <typename MakePair>
Status AddClaims(const std::string& copies_name, const ApproximateDp& each,
                 std::uint64_t copies, double slack, const MakePair& make_pair,
                 AuditSubject& subject) {
  SOTTO_TRY_ASSIGN(const auto printed,
                   AdvancedComposition(each, copies, slack));
  SOTTO_TRY_ASSIGN(const double tight,
                   ComputeTightEpsilon(each, copies, printed.delta));
  const std::string name = std::to_string(copies) + " " + copies_name;
  subject.cases.push_back(
      {kAdversary, name + ", Theorem 3.3", printed, make_pair()});
  subject.cases.push_back(
      {kAdversary, name + ", tight", {tight, printed.delta}, make_pair()});
  return Ok();
}

Status AddResponses(double epsilon, std::uint64_t copies, double slack,
                    AuditSubject& subject) {
  SOTTO_TRY_ASSIGN(const auto rate, RationalBelow(epsilon));
  SOTTO_TRY_ASSIGN(const auto noise, FixedWorkLaplace::Create(rate));
  return AddClaims(
      "responses", {epsilon, 0}, copies, slack,
      [&] {
        return MakeCompositionPair(
            copies, game::AdaptiveQuery{.rounds = 1},
            [noise] { return Response{noise}; }, ResponseTactics());
      },
      subject);
}

Status AddTests(double epsilon, std::uint64_t copies, double slack,
                AuditSubject& subject) {
  SOTTO_TRY_ASSIGN(const auto test,
                   ChallengeAboveThreshold::Create({.epsilon = epsilon,
                                                    .delta = kTestDelta,
                                                    .reports = 1,
                                                    .rounds = kRoundsOfATest}));
  const ApproximateDp each{test.guarantee().epsilon(),
                           test.guarantee().delta()};
  return AddClaims(
      "tests", each, copies, slack,
      [&] {
        return MakeCompositionPair(
            copies, game::ChallengeThreshold{.rounds = kRoundsOfATest},
            [test] { return ThresholdPlayer(test); },
            TestTactics(test.noise().rate));
      },
      subject);
}

// --epsilon is that of one copy, --delta the slack of the theorem, --rounds the
// number of copies.
Result<AuditSubject> CompositionSubject(const AuditRequest& request) {
  const double slack = request.delta.value_or(kSlack);
  const auto copies = [&](std::uint64_t fallback) {
    return request.rounds == 0 ? fallback : request.rounds;
  };
  AuditSubject subject{"composition", {}};
  SOTTO_TRY(AddResponses(request.epsilon.value_or(kResponse),
                         copies(kResponses), slack, subject));
  SOTTO_TRY(AddTests(request.epsilon.value_or(kTest), copies(kTests), slack,
                     subject));
  return subject;
}

}  // namespace

AuditTarget CompositionTarget() {
  return {"composition",
          "copies of randomised response and of ChallengeAT, chosen one after "
          "the other; --epsilon is that of a copy, --rounds how many",
          "CompositionGame",
          {kAdversary},
          CompositionSubject};
}

}  // namespace sotto
