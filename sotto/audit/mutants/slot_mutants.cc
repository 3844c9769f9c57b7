// A clock of groups that lets the surplus of a full group wait for the next.
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sotto/audit/mutants/mutant.h"
#include "sotto/audit/slot_game.h"

namespace sotto {
namespace {

constexpr std::uint64_t kGroups = 3;
constexpr std::uint64_t kPlaces = 3;

class QueueingDesk final : public SlotDesk {
 public:
  using SlotDesk::SlotDesk;

 private:
  void OnSurplus(std::size_t number) override { queue_.push_back(number); }
  void OnNextGroup() override {
    for (const std::size_t number : std::exchange(queue_, {})) Enter(number);
  }

  std::vector<std::size_t> queue_{};
};

class QueueingPair final : public SlotPair {
 public:
  using SlotPair::SlotPair;

 private:
  std::unique_ptr<SlotDesk> Open(ServedModel& model, Rng& rng) const override {
    return std::make_unique<QueueingDesk>(model, rng);
  }
};

// Others take `others` places of the first group, and no more come later. What
// a full group shows is not part of the view: the clock prints that it is full.
template <typename Pair>
AuditSubject MakeSlots(std::uint64_t others) {
  auto model = *MakeSlotModel({.places = kPlaces});
  const Guarantee& guarantee = model->guarantee();
  const ApproximateDp claim{guarantee.epsilon(), guarantee.delta()};
  AuditSubject subject{"slots", {}};
  subject.cases.push_back(
      {"came-or-not", "tide", claim,
       std::make_unique<Pair>(
           std::move(model), kGroups,
           std::vector<SlotGame>{
               {.visits = {{0, "a"}}, .others = others, .last_group = 0}})});
  return subject;
}

}  // namespace

std::vector<Mutant> SlotMutants() {
  return {{"slots-queue", "who finds no place waits for the next group", 512,
           [] { return MakeSlots<QueueingPair>(kPlaces); },
           // No group is full, with the protected user or without.
           [] { return MakeSlots<SlotPair>(kPlaces - 2); }}};
}

}  // namespace sotto
