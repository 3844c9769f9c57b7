// Predicts which points have label 1, only to users who bring one: OnlineGame.
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/accounting/spend.h"
#include "sotto/audit/games/rules.h"
#include "sotto/audit/games/view.h"
#include "sotto/audit/hard_points.h"
#include "sotto/audit/point_input.h"
#include "sotto/audit/targets.h"
#include "sotto/models/points/histogram_point_predictor.h"
#include "sotto/models/points/point_design.h"
#include "sotto/models/points/point_predictor.h"

namespace sotto {
namespace {

constexpr std::uint64_t kRounds = 160;

void PlayEmpty(PointPredictor& points, Rng&) { points.PlayEmptyRound(); }
void PlayEmpty(HistogramPointPredictor& points, Rng& rng) {
  points.PlayEmptyRound(rng);
}

// The answer is 1 or 0. Delayed labels are ignored.
template <typename Predictor>
class PointsPlayer {
 public:
  explicit PointsPlayer(Predictor points) : points_(std::move(points)) {}

  Result<std::int64_t> Step(const PointInput& input, Rng& rng) {
    if (input.absent) {
      PlayEmpty(points_, rng);
      return 0;
    }
    const auto opened = points_.Open(GetName(input.point), rng);
    if (input.label && input.delay == 0) {
      points_.Close(opened.round, *input.label);
    }
    return opened.prediction ? 1 : 0;
  }
  bool halted() const { return false; }

  Result<bool> Says(std::int64_t point, Rng& rng) const {
    Predictor copy = points_;
    return copy.Open(GetName(point), rng).prediction;
  }

 private:
  static PointName GetName(std::int64_t point) {
    return {static_cast<std::uint64_t>(point), 0};
  }

  Predictor points_;
};

// Two points get the same labels: `positives` labels 1, then labels 0. Then the
// protected user comes with one of them or something else, and all users ask
// for both in turn.
struct TwoPoints {
  std::uint64_t positives = 0;
  std::uint64_t labelled = 0;  // rounds of each point before the user's
  PointInput one = {};

  std::optional<Move<PointInput>> Next(const View& view) const {
    const std::uint64_t round = view.rounds();
    const auto point = static_cast<std::int32_t>(round % 2) + 1;
    if (round < 2 * labelled) {
      return Same(PointInput{.point = point, .label = round / 2 < positives});
    }
    if (round == 2 * labelled) {
      return Challenge(PointInput{.point = 1, .label = true}, one);
    }
    return Same(PointInput{.point = point});
  }
};

std::vector<TwoPoints> Pairs(std::uint64_t size) {
  std::vector<TwoPoints> variants;
  for (const std::uint64_t positives : {size / 2, size - 1}) {
    for (const PointInput& instead :
         {PointInput{.point = 2, .label = false},
          PointInput{.point = 1, .label = false}, PointInput{.absent = true}}) {
      variants.push_back({positives, size - 1, instead});
      // Late: the gate has decided, the mirrors have not.
      variants.push_back({positives, size + 2, instead});
    }
  }
  return variants;
}

// Algorithm 3: k - 1 labels 1 at point 1, or at both; then the protected user
// comes; then point 1 is asked for, with labels 1 or without.
struct BeforeTheHistogram {
  std::uint64_t positives = 0;
  bool labelled = true;
  PointInput zero = {};
  PointInput one = {};

  std::optional<Move<PointInput>> Next(const View& view) const {
    const std::uint64_t round = view.rounds();
    if (round < positives) return Same(PointInput{.point = 1, .label = true});
    if (round == positives) return Challenge(zero, one);
    return Same(PointInput{.point = 1, .label = labelled});
  }
};

std::vector<BeforeTheHistogram> BeforeHistograms(std::uint64_t k) {
  const PointInput here{.point = 1, .label = true};
  std::vector<BeforeTheHistogram> variants;
  for (const std::uint64_t positives : {k - 1, 4 * k}) {
    for (const bool labelled : {true, false}) {
      for (const PointInput& instead : {PointInput{.point = 2, .label = true},
                                        PointInput{.point = 1, .label = false},
                                        PointInput{.absent = true}}) {
        variants.push_back({positives, labelled, here, instead});
      }
    }
  }
  return variants;
}

Status AddPaper(const ApproximateDp& target, const game::Online& rules,
                AuditSubject& subject) {
  const auto design = ChooseHistogramPointDesign(target, PaperNumbers::kLeast);
  if (!design) return Ok();  // its mirror needs more epsilon
  const auto points = HistogramPointPredictor::Create({.design = *design});
  if (!points) return points.error();
  const ApproximateDp claim = Total(points->spend());
  const auto fresh = [points = *points] { return PointsPlayer(points); };
  subject.cases.push_back(
      {"extremal-pair", "paper", claim,
       MakeGamePair<PointInput>(rules, fresh,
                                BeforeHistograms(design->positives))});
  return Ok();
}

Result<AuditSubject> PointsSubject(const AuditRequest& request) {
  const ApproximateDp target{request.epsilon.value_or(2),
                             request.delta.value_or(0.05)};
  SOTTO_TRY_ASSIGN(const auto design,
                   ChoosePointDesign(target, Relation::kReplace));
  const auto points = PointPredictor::Create({.design = design});
  if (!points) return points.error();
  const ApproximateDp claim = points->cost(Relation::kReplace);
  const std::uint64_t rounds = request.rounds == 0 ? kRounds : request.rounds;
  const game::Online rules{.rounds = rounds};
  const auto fresh = [points = *points] { return PointsPlayer(points); };
  AuditSubject subject{"points", {}};
  subject.cases.push_back(
      {"extremal-pair", "two points", claim,
       MakeGamePair<PointInput>(rules, fresh, Pairs(points->gate().size()))});
  SOTTO_TRY_ASSIGN(auto hard, HardPoints(rounds, fresh));
  subject.cases.push_back(
      {"hard-points", "two points", claim,
       MakeGamePair<PointInput>(rules, fresh, std::move(hard))});
  SOTTO_TRY(AddPaper(target, rules, subject));
  return subject;
}

}  // namespace

AuditTarget PointsTarget() {
  return {"points",
          "which points are labelled 1, told only to whoever brings one",
          "OnlineGame",
          {"extremal-pair", "hard-points"},
          PointsSubject};
}

}  // namespace sotto
