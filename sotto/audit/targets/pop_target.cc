// POP with points and few copies, so that one copy's vote matters: OnlineGame.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/audit/pop_player.h"
#include "sotto/audit/targets.h"
#include "sotto/ensembles/naive_ensemble.h"
#include "sotto/games/rules.h"
#include "sotto/learners/point_learner.h"
#include "sotto/models/pop/private_online_procedure.h"

namespace sotto {

std::vector<IsolatedCopy> IsolatedCopies(std::int64_t copies, bool timing) {
  std::vector<IsolatedCopy> variants;
  const PopInput taught{.point = 1, .label = true};
  const PopInput late{.point = 1, .label = true, .delay = 1000};
  const PopInput other{.point = 1, .label = false};
  const PopInput absent{.absent = true};
  const auto k = static_cast<std::uint64_t>(copies);
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

PopSchedule Schedule(std::int64_t copies, HandOver hand_over) {
  return {
      .hand_over = hand_over,
      .stopper = 0.5,
      .phases = {{.copies = copies, .rate = 0.05, .gap = 4, .reports = 30}}};
}

Result<AuditSubject> PopSubject(const AuditRequest& request) {
  AuditSubject subject{"pop", {}};
  const std::uint64_t rounds = request.rounds == 0 ? 300 : request.rounds;
  struct Setting {
    const char* name;
    std::int64_t copies;
    HandOver hand_over;
  };
  for (const Setting& setting :
       {Setting{"8 copies", 8, HandOver::kHalt},
        Setting{"16 copies and a standby", 16, HandOver::kStandby}}) {
    // The delta is what is proved for this schedule.
    auto made = PrivateOnlineProcedure::Create(
        {.epsilon = request.epsilon.value_or(3),
         .delta = request.delta.value_or(0),
         .schedule = Schedule(setting.copies, setting.hand_over)},
        Points());
    if (!made) return made.error();
    const ApproximateDp claim{made->guarantee().epsilon(),
                              made->guarantee().delta()};
    const auto pop =
        std::make_shared<const PrivateOnlineProcedure>(*std::move(made));
    const auto fresh = [pop] {
      return PopPlayer<PrivateOnlineProcedure>(*pop->Afresh());
    };
    for (const bool timing : {false, true}) {
      if (timing && setting.hand_over == HandOver::kStandby) continue;
      subject.duels.push_back(
          {timing ? "label-timing" : "isolated-copy", setting.name, claim,
           MakeDuel<PopInput>(game::Online{.rounds = rounds}, fresh,
                              IsolatedCopies(setting.copies, timing))});
    }
  }
  return subject;
}

}  // namespace

AuditTarget PopTarget() {
  return {"pop",
          "the private online procedure over points, few copies",
          "OnlineGame",
          {"isolated-copy", "label-timing"},
          PopSubject};
}

}  // namespace sotto
