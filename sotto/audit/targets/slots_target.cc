// Came against never came: served models under the clock `slots`.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "sotto/audit/slot_game.h"
#include "sotto/audit/targets.h"

namespace sotto {
namespace {

constexpr const char* kAdversary = "came-or-not";
constexpr std::uint64_t kGroups = 10;
constexpr std::uint64_t kPlaces = 3;
constexpr std::uint64_t kCost = 50;

Status AddModel(const char* name, const AuditRequest& request,
                AuditSubject& subject) {
  SOTTO_TRY_ASSIGN(auto model,
                   MakeSlotModel({.model = name,
                                  .epsilon = request.epsilon.value_or(2),
                                  .delta = request.delta.value_or(0.01),
                                  .places = kPlaces}));
  const Guarantee& guarantee = model->guarantee();
  const ApproximateDp claim{guarantee.epsilon(), guarantee.delta()};
  // No group is full: one place is the protected user's, and one is left over.
  subject.cases.push_back(
      {kAdversary, name, claim,
       std::make_unique<SlotPair>(
           std::move(model), request.rounds == 0 ? kGroups : request.rounds,
           SlotGames(kPlaces - 2)),
       kCost});
  return Ok();
}

Result<AuditSubject> SlotsSubject(const AuditRequest& request) {
  AuditSubject subject{"slots", {}};
  for (const char* name : {"tide", "leader"}) {
    SOTTO_TRY(AddModel(name, request, subject));
  }
  return subject;
}

}  // namespace

AuditTarget SlotsTarget() {
  return {"slots",
          "served models whose clock is groups of places: a user who comes, or "
          "never does; --rounds is the number of groups",
          "GeneralGame",
          {kAdversary},
          SlotsSubject};
}

}  // namespace sotto
