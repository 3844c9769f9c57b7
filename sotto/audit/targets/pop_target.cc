// POP with points and few copies, so that one copy's vote matters: OnlineGame.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/audit/games/rules.h"
#include "sotto/audit/hard_points.h"
#include "sotto/audit/pop_player.h"
#include "sotto/audit/targets.h"
#include "sotto/learners/ensembles/ensemble_factory.h"
#include "sotto/learners/ensembles/naive_ensemble.h"
#include "sotto/learners/learner_spec.h"
#include "sotto/learners/point_learner.h"
#include "sotto/models/pop/counter_online_procedure.h"
#include "sotto/models/pop/paper_pop_plan.h"
#include "sotto/models/pop/private_online_procedure.h"

namespace sotto {

std::vector<IsolatedCopy> IsolatedCopies(std::int64_t copies, bool timing) {
  std::vector<IsolatedCopy> variants;
  const PointInput taught{.point = 1, .label = true};
  const PointInput late{.point = 1, .label = true, .delay = 1000};
  const PointInput other{.point = 1, .label = false};
  const PointInput absent{.absent = true};
  const PointInput elsewhere{.point = 2, .label = true};
  const auto k = static_cast<std::uint64_t>(copies);
  // Without earlier users the taught copy has never seen the point.
  if (!timing) {
    variants.push_back({0, taught, absent});
    variants.push_back({0, taught, elsewhere});
  }
  for (const std::uint64_t rounds : {k / 4, k / 2, 3 * k / 4, k, 3 * k / 2}) {
    if (timing) {
      variants.push_back({rounds, taught, late});
      variants.push_back({rounds, taught, {.point = 1}});
    } else {
      variants.push_back({rounds, taught, other});
      variants.push_back({rounds, taught, absent});
    }
  }
  return variants;
}

namespace {

EnsembleFactory Points() {
  return [](std::uint64_t,
            std::int64_t copies) -> Result<std::unique_ptr<Ensemble>> {
    return std::unique_ptr<Ensemble>(
        std::make_unique<NaiveEnsemble<PointLearner>>(PointLearner(), copies));
  };
}

// The second setting has noise so large that no votes need to be near a tie,
// and all of the loss is in the answers. It comes closest to its claim.
struct Setting {
  const char* name;
  double epsilon;
  PhaseEnd handover;
  PopPhase phase;
};

Setting Settings(int i) {
  switch (i) {
    case 0:
      return {"8 copies",
              3,
              PhaseEnd::kHalt,
              {.copies = 8, .rate = 0.05, .gap = 4, .reports = 30}};
    case 1:
      return {"4 copies",
              5,
              PhaseEnd::kHalt,
              {.copies = 4, .rate = 0.1, .gap = 2, .reports = 30}};
    default:
      return {"16 copies and a standby",
              3,
              PhaseEnd::kStandby,
              {.copies = 16, .rate = 0.05, .gap = 4, .reports = 30}};
  }
}

// Algorithm 7 as printed, with the least noise for five reports.
Status AddPaper(const AuditRequest& request, std::uint64_t rounds,
                AuditSubject& subject) {
  SOTTO_TRY_ASSIGN(const auto plan,
                   PlanPaperPop({.epsilon = request.epsilon.value_or(5),
                                 .delta = request.delta.value_or(0.1),
                                 .behaviour = {.rounds = rounds},
                                 .reports = 5}));
  SOTTO_TRY_ASSIGN(const auto spec, LearnerSpec::Parse("point"));
  SOTTO_TRY_ASSIGN(auto points, MakeEnsembleFactory(spec, {}));
  SOTTO_TRY_ASSIGN(auto made, CounterOnlineProcedure::Create(
                                  plan.params, std::move(points)));
  const ApproximateDp claim{made.guarantee().epsilon(),
                            made.guarantee().delta()};
  const auto pop =
      std::make_shared<const CounterOnlineProcedure>(std::move(made));
  std::vector<IsolatedCopy> variants =
      IsolatedCopies(plan.params.copies, false);
  std::erase_if(variants, [&](const IsolatedCopy& variant) {
    return variant.taught + 2 > rounds;
  });
  subject.cases.push_back({"isolated-copy", "paper", claim,
                           MakeGamePair<PointInput>(
                               game::Online{.rounds = rounds},
                               [pop] {
                                 return PopPlayer<CounterOnlineProcedure>(
                                     *pop->Restarted());
                               },
                               std::move(variants))});
  return Ok();
}

Result<AuditSubject> PopSubject(const AuditRequest& request) {
  AuditSubject subject{"pop", {}};
  const std::uint64_t rounds = request.rounds == 0 ? 300 : request.rounds;
  for (int i = 0; i < 3; ++i) {
    const Setting setting = Settings(i);
    // The delta is proved for this schedule.
    SOTTO_TRY_ASSIGN(auto made,
                     PrivateOnlineProcedure::Create(
                         {.epsilon = request.epsilon.value_or(setting.epsilon),
                          .delta = request.delta.value_or(0),
                          .schedule = {.handover = setting.handover,
                                       .stopper = 0.5,
                                       .phases = {setting.phase}}},
                         Points()));
    const ApproximateDp claim{made.guarantee().epsilon(),
                              made.guarantee().delta()};
    const auto pop =
        std::make_shared<const PrivateOnlineProcedure>(std::move(made));
    const auto fresh = [pop] {
      return PopPlayer<PrivateOnlineProcedure>(*pop->Restarted());
    };
    for (const bool timing : {false, true}) {
      if (timing && i != 0) continue;
      subject.cases.push_back(
          {timing ? "label-timing" : "isolated-copy", setting.name, claim,
           MakeGamePair<PointInput>(
               game::Online{.rounds = rounds}, fresh,
               IsolatedCopies(setting.phase.copies, timing))});
    }
    if (i != 0) continue;
    SOTTO_TRY_ASSIGN(auto hard, HardPoints(rounds, fresh));
    subject.cases.push_back(
        {"hard-points", setting.name, claim,
         MakeGamePair<PointInput>(game::Online{.rounds = rounds}, fresh,
                                  std::move(hard))});
  }
  SOTTO_TRY(AddPaper(request, rounds, subject));
  return subject;
}

}  // namespace

AuditTarget PopTarget() {
  return {"pop",
          "the private online procedure over points, few copies",
          "OnlineGame",
          {"isolated-copy", "label-timing", "hard-points"},
          PopSubject};
}

}  // namespace sotto
