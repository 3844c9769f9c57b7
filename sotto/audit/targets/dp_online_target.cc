// DP-OL, the online learner of the Littlestone paper: OnlineGame in which the
// published function is seen in every round.
#include <cstdint>
#include <memory>
#include <utility>

#include "sotto/audit/class_player.h"
#include "sotto/audit/games/rules.h"
#include "sotto/audit/targets.h"
#include "sotto/learners/classes/finite_class.h"
#include "sotto/models/papers/dp_online_learner.h"

namespace sotto {
namespace {

constexpr std::uint64_t kRounds = 12;

// The smallest learner: two teachers and one call of the training. It may cost
// any delta; the claim is the delta that it does cost.
DpOnlineLearner::Params SmallParams(const AuditRequest& request,
                                    const FiniteClass& functions) {
  const double epsilon = request.epsilon.value_or(4);
  return {.functions = std::make_shared<const FiniteClass>(functions),
          .user = {epsilon, request.delta.value_or(0.49)},
          .dimension = 1,
          .teachers = 2,
          .p = 1,
          .stages = 2,
          .tolerance = 0.4,
          .list_size = 2,
          .limit = 1,
          .calls = 1,
          .votes = 1,
          .mistake_rate = 0.06 * epsilon,
          .agreement = 0.06 * epsilon,
          .threshold = 1,
          .sample_rate = 0.125 * epsilon,
          .sample_delta = 1e-9};
}

Result<AuditSubject> DpOnlineSubject(const AuditRequest& request) {
  SOTTO_TRY_ASSIGN(const auto functions, FiniteClass::Parse("100\n010\n001\n"));
  const auto params = SmallParams(request, functions);
  SOTTO_TRY_ASSIGN(const auto once, DpOnlineLearner::Create(params));
  const double epsilon = once.guarantee().epsilon();
  AuditSubject subject{"dp-ol", {}};
  subject.cases.push_back(
      {"extremal-pair",
       "three points, published",
       {epsilon, DpOnlineDelta(params, epsilon)},
       MakeGamePair<PointInput>(
           game::Online{.rounds =
                            request.rounds == 0 ? kRounds : request.rounds},
           [params] { return ClassPlayer(*DpOnlineLearner::Create(params)); },
           OneExamples({0, 1, 3}))});
  return subject;
}

}  // namespace

AuditTarget DpOnlineTarget() {
  return {"dp-ol",
          "DP-OL: teachers share the mistakes and train what is published",
          "OnlineGame",
          {"extremal-pair"},
          DpOnlineSubject};
}

}  // namespace sotto
