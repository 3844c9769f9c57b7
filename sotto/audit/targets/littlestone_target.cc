// A learner of points that publishes its hypothesis, for which Theorem 1.11 was
// proved: OnlineGame in which the hypothesis is seen in every round.
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/audit/games/rules.h"
#include "sotto/audit/games/view.h"
#include "sotto/audit/hard_points.h"
#include "sotto/audit/point_input.h"
#include "sotto/audit/targets.h"
#include "sotto/learners/classes/finite_class.h"
#include "sotto/models/littlestone/finite_class_learner.h"
#include "sotto/models/littlestone/finite_class_plan.h"

namespace sotto {
namespace {

// Points of the class: those of the first phase of the hard stream, and 0.
constexpr std::uint64_t kPoints = 31;
constexpr std::uint64_t kRounds = 64;

// The public view: the sum of the points predicted 1, and the number of
// changes.
class ClassPlayer {
 public:
  explicit ClassPlayer(FiniteClassLearner learner)
      : learner_(std::move(learner)) {}

  Result<std::int64_t> Step(const PointInput& input, Rng& rng) {
    if (input.absent) {
      learner_.PlayEmptyRound(rng);
    } else {
      const auto round =
          learner_.Open(static_cast<std::uint32_t>(input.point), rng);
      // Delayed labels are ignored.
      if (input.label && input.delay == 0) learner_.Close(round, *input.label);
    }
    const auto& published = learner_.hypothesis();
    std::int64_t shown = 1000 * static_cast<std::int64_t>(learner_.changes());
    for (std::size_t x = 0; x < published.size(); ++x) {
      shown += published[x] ? static_cast<std::int64_t>(x) + 1 : 0;
    }
    return shown;
  }
  bool halted() const { return false; }

  Result<bool> Says(std::int64_t point, Rng&) const {
    const auto& published = learner_.hypothesis();
    const auto x = static_cast<std::size_t>(point);
    return x < published.size() && published[x];
  }

 private:
  FiniteClassLearner learner_;
};

// All users bring the same point with label 1; one brings another label or
// another point, or is absent.
struct OneExample {
  std::uint64_t lead = 0;
  PointInput one = {};

  std::optional<Move<PointInput>> Next(const View& view) const {
    const PointInput usual{.point = 1, .label = true};
    if (view.rounds() == lead) return Challenge(usual, one);
    return Same(usual);
  }
};

std::vector<OneExample> Examples() {
  std::vector<OneExample> variants;
  for (const std::uint64_t lead : {0u, 2u, 6u}) {
    for (const PointInput& one :
         {PointInput{.point = 1, .label = false},
          PointInput{.point = 2, .label = true}, PointInput{.absent = true}}) {
      variants.push_back({lead, one});
    }
  }
  return variants;
}

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
  subject.cases.push_back({"extremal-pair", "points, published", claim,
                           MakeGamePair<PointInput>(rules, fresh, Examples())});
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
