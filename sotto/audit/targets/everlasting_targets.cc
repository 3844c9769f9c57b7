// Rectangles, stumps and the everlasting predictor in the everlasting game of
// their paper: a row of the training set, or a query, that is absent in one
// world.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sotto/audit/everlasting_pair.h"
#include "sotto/audit/targets.h"
#include "sotto/base/feature_view.h"
#include "sotto/learners/ensembles/naive_ensemble.h"
#include "sotto/learners/point_learner.h"
#include "sotto/models/everlasting/everlasting_predictor.h"
#include "sotto/models/rectangles/rectangles_predictor.h"
#include "sotto/models/stumps/decision_stumps_predictor.h"

namespace sotto {
namespace {

// A delta that shows in games. It is shared by all rounds.
constexpr double kEpsilon = 4;
constexpr double kDelta = 0.3;
constexpr std::uint64_t kRounds = 60;
constexpr std::uint64_t kCost = 10;
constexpr double kSmallMargin = 0.25;

FeatureVector At(double x) { return {{0, x}}; }

// Predictors that are trained row by row and then answer "inside" or not.
template <typename Training, typename Predictor>
class BoundaryPlayer {
 public:
  explicit BoundaryPlayer(const Training& training) : training_(training) {}

  Status Train(std::span<const LabelledNumber> rows, Rng& rng) {
    for (const LabelledNumber& row : rows) training_.Add(At(row.x), row.y);
    auto trained = std::move(training_).Finish(rng);
    if (!trained) return trained.error();
    predictor_ = *std::move(trained);
    return Ok();
  }
  Result<std::int64_t> Step(const std::optional<double>& query, Rng& rng) {
    if (query) return predictor_->Answer(At(*query), rng).inside ? 1 : 0;
    predictor_->PlayEmptyRound(rng);
    return 0;
  }

 private:
  Training training_;
  std::optional<Predictor> predictor_;
};

// The noisy majority of teachers of one point. An absent row is an empty place
// of the training set.
class TeachersPlayer {
 public:
  TeachersPlayer(EverlastingPredictor predictor, std::uint64_t places)
      : predictor_(std::move(predictor)), places_(places) {}

  Status Train(std::span<const LabelledNumber> rows, Rng& rng) {
    for (const LabelledNumber& row : rows) {
      SOTTO_TRY(predictor_.Train(At(row.x), row.y, rng));
    }
    for (std::size_t i = rows.size(); i < places_; ++i) {
      SOTTO_TRY(predictor_.Train(At(0), std::nullopt, rng));
    }
    return Ok();
  }
  Result<std::int64_t> Step(const std::optional<double>& query, Rng& rng) {
    if (predictor_.halted()) return 0;
    if (!query) {
      SOTTO_TRY(predictor_.PlayEmptyRound(rng));
      return 0;
    }
    SOTTO_TRY_ASSIGN(const auto answer, predictor_.Open(At(*query), rng));
    return (answer.prediction ? 1 : 0) +
           2 * static_cast<std::int64_t>(predictor_.phase());
  }

 private:
  EverlastingPredictor predictor_;
  std::uint64_t places_;
};

ApproximateDp ClaimFor(const Guarantee& guarantee, std::uint64_t round) {
  const auto& schedule = guarantee.schedule();
  return {guarantee.epsilon(),
          schedule ? schedule->At(round) : guarantee.delta()};
}

// A case for a row of the training set and one for the first query.
template <typename Fresh>
void AddCases(const std::string& form, const Guarantee& guarantee,
              std::uint64_t rounds, const Fresh& fresh,
              std::vector<EverlastingProbing> rows,
              std::vector<EverlastingProbing> queries, AuditSubject& subject) {
  for (EverlastingProbing& query : queries) query.challenge = 1;
  subject.cases.push_back(
      {"everlasting-probing", form + "a labelled row", ClaimFor(guarantee, 0),
       MakeEverlastingPair(rounds, 0, fresh, std::move(rows)), kCost});
  subject.cases.push_back(
      {"everlasting-probing", form + "the first query", ClaimFor(guarantee, 1),
       MakeEverlastingPair(rounds, 1, fresh, std::move(queries)), kCost});
}

// Positive rows 1, 2, ..., and for a stump as many negative ones below. The
// protected row is below all positive ones, the protected query among them.
std::vector<EverlastingProbing> Probings(std::int64_t size, bool negatives,
                                         bool row) {
  std::vector<LabelledNumber> rows;
  for (std::int64_t i = 1; i <= 2 * size; ++i) {
    rows.push_back({static_cast<double>(i), true});
    if (negatives) rows.push_back({static_cast<double>(-i), false});
  }
  std::vector<EverlastingProbing> variants;
  for (const double part : {0.15, 0.3, 0.45, 0.6, 0.8}) {
    for (const bool follows : {false, true}) {
      const double at = part * static_cast<double>(size) + 0.25;
      variants.push_back(
          {.rows = rows,
           .extra = row ? std::optional(LabelledNumber{0.5}) : std::nullopt,
           .hidden = at,
           .at = at,
           .follows = follows});
    }
  }
  return variants;
}

std::uint64_t MakeRounds(const AuditRequest& request) {
  return request.rounds == 0 ? kRounds : request.rounds;
}

template <typename Training, typename Predictor, typename Params>
Status AddBoundaryCases(const std::string& form, const Params& params,
                        const AuditRequest& request, bool negatives,
                        AuditSubject& subject) {
  SOTTO_TRY_ASSIGN(auto made, Training::Create(params));
  const auto training = std::make_shared<const Training>(std::move(made));
  const std::int64_t size = training->phases().phases.front().initial.size;
  AddCases(
      form, training->guarantee(), MakeRounds(request),
      [training] { return BoundaryPlayer<Training, Predictor>(*training); },
      Probings(size, negatives, true), Probings(size, negatives, false),
      subject);
  return Ok();
}

// Our form, and the printed lines.
template <typename Training, typename Predictor, typename Params>
Result<AuditSubject> BoundarySubject(const std::string& name, Params params,
                                     const AuditRequest& request,
                                     bool negatives) {
  params.epsilon = request.epsilon.value_or(kEpsilon);
  params.delta = request.delta.value_or(kDelta);
  params.relation = Relation::kAddRemove;
  AuditSubject subject{name, {}};
  const auto add = [&](const std::string& form) {
    return AddBoundaryCases<Training, Predictor>(form, params, request,
                                                 negatives, subject);
  };
  SOTTO_TRY(add(""));
  // Small margins: the guarantee does not depend on them, and slices are short.
  params.paper = SlicedNumbers{.constant = kSmallMargin};
  params.error = 0.5;
  params.honest_fraction = 1;
  SOTTO_TRY(add("paper, "));
  return subject;
}

// Teachers of point 1: about half of them are taught it.
std::vector<EverlastingProbing> TeacherProbings(std::int64_t teachers,
                                                bool row) {
  std::vector<EverlastingProbing> variants;
  for (const std::int64_t taught : {teachers / 4, teachers / 2, teachers}) {
    variants.push_back(
        {.rows = std::vector<LabelledNumber>(static_cast<std::size_t>(taught),
                                             LabelledNumber{1}),
         .extra = row ? std::optional(LabelledNumber{1}) : std::nullopt,
         .hidden = 1,
         .at = 1});
  }
  return variants;
}

EnsembleFactory Teachers() {
  return [](std::uint64_t,
            std::int64_t copies) -> Result<std::unique_ptr<Ensemble>> {
    return std::unique_ptr<Ensemble>(
        std::make_unique<NaiveEnsemble<PointLearner>>(PointLearner(), copies));
  };
}

Result<AuditSubject> EverlastingSubject(const AuditRequest& request) {
  constexpr std::int64_t kTeachers = 8;
  EverlastingSchedule::Params params{
      .epsilon = request.epsilon.value_or(kEpsilon),
      .delta = request.delta.value_or(kDelta),
      .relation = Relation::kAddRemove,
      .period = kRounds,
      .stopper = 1,
      .shape = {.teachers = kTeachers, .reports = 20, .rounds = kRounds}};
  AuditSubject subject{"everlasting", {}};
  for (const bool paid : {false, true}) {
    if (paid) {
      params.stopper = 0;
      params.shape = {.paid = true, .teachers = kTeachers, .rounds = kRounds};
    }
    SOTTO_TRY_ASSIGN(const auto schedule, EverlastingSchedule::Create(params));
    const auto fresh = [schedule] {
      return TeachersPlayer(*EverlastingPredictor::Create(schedule, Teachers()),
                            std::uint64_t{kTeachers} + 1);
    };
    AddCases(paid ? "paper, " : "", schedule.guarantee(), MakeRounds(request),
             fresh, TeacherProbings(kTeachers, true),
             TeacherProbings(kTeachers, false), subject);
  }
  return subject;
}

}  // namespace

Result<AuditSubject> RectanglesEverlastingSubject(const AuditRequest& request) {
  return BoundarySubject<RectanglesTraining, RectanglesPredictor>(
      "rectangles", RectanglesParams{.dimensions = 1}, request, false);
}

AuditTarget StumpsTarget() {
  return {"stumps",
          "a threshold on one of many coordinates, from a labelled set and "
          "then from the queries",
          "everlasting game",
          {"everlasting-probing"},
          [](const AuditRequest& request) {
            return BoundarySubject<StumpsTraining, StumpsPredictor>(
                "stumps", StumpsParams{.features = 1}, request, true);
          }};
}

AuditTarget EverlastingTarget() {
  return {"everlasting",
          "teachers who answer from a labelled set and then from the queries",
          "everlasting game",
          {"everlasting-probing"},
          EverlastingSubject};
}

}  // namespace sotto
