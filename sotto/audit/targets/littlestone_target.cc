// A learner of points that publishes its hypothesis, for which Theorem 1.11 was
// proved: OnlineGame in which the hypothesis is seen in every round.
#include <cstdint>
#include <memory>
#include <utility>

#include "sotto/audit/class_player.h"
#include "sotto/audit/games/rules.h"
#include "sotto/audit/hard_points.h"
#include "sotto/audit/targets.h"
#include "sotto/learners/classes/finite_class.h"
#include "sotto/models/littlestone/finite_class_learner.h"
#include "sotto/models/littlestone/finite_class_plan.h"

namespace sotto {
namespace {

// Points of the class: those of the first phase of the hard stream, and 0.
constexpr std::uint64_t kPoints = 31;
constexpr std::uint64_t kRounds = 64;

Result<AuditSubject> LittlestoneSubject(const AuditRequest& request) {
  SOTTO_TRY_ASSIGN(auto functions, FiniteClass::Named("points", kPoints));
  const std::uint64_t rounds = request.rounds == 0 ? kRounds : request.rounds;
  const auto params = ChooseFiniteClass(
      {.functions = std::make_shared<const FiniteClass>(std::move(functions)),
       .user = {request.epsilon.value_or(2), request.delta.value_or(0.01)},
       .horizon = rounds,
       .changes = 2,
       .limit = 3});
  if (!params) return params.error();
  SOTTO_TRY_ASSIGN(const auto once, FiniteClassLearner::Create(*params));
  const ApproximateDp claim{once.guarantee().epsilon(),
                            once.guarantee().delta()};
  const auto fresh = [params = *params] {
    return ClassPlayer(*FiniteClassLearner::Create(params));
  };
  const game::Online rules{.rounds = rounds};
  AuditSubject subject{"littlestone", {}};
  subject.cases.push_back(
      {"extremal-pair", "points, published", claim,
       MakeGamePair<PointInput>(rules, fresh, OneExamples({0, 2, 6}))});
  SOTTO_TRY_ASSIGN(auto hard, HardPoints(rounds, fresh));
  subject.cases.push_back(
      {"hard-points", "points, published", claim,
       MakeGamePair<PointInput>(rules, fresh, std::move(hard))});
  return subject;
}

}  // namespace

AuditTarget LittlestoneTarget() {
  return {"littlestone",
          "a function of a finite class, learned and published",
          "OnlineGame",
          {"extremal-pair", "hard-points"},
          LittlestoneSubject};
}

}  // namespace sotto
