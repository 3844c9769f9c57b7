#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sotto/audit/game_pair.h"
#include "sotto/audit/games/view.h"
#include "sotto/base/result.h"
#include "sotto/random/rng.h"
#include "sotto/service/served_model.h"
#include "sotto/service/slot_door.h"

namespace sotto {

// A served model under the clock `slots`: the door, the drawing of places and
// the model are those of the service; time is a call.
//
//   SlotDesk desk(model, rng);
//   const std::size_t mine = desk.Send(request); desk.EndGroup();
//   desk.reply(mine).reply.kind ...
//
// Threads: not thread-safe.
class SlotDesk {
 public:
  struct Answer {
    HostReply reply{};
    std::uint64_t groups = 0;    // later than the one it came to
    bool in_full_group = false;  // what it shows is not covered
  };

  SlotDesk(ServedModel& model, Rng& rng);
  virtual ~SlotDesk() = default;

  // A number for Answer. A request that finds no place is answered at once.
  std::size_t Send(HostRequest request);
  Status EndGroup();
  const Answer& answer(std::size_t number) const { return answers_[number]; }
  const ServedModel& model() const { return model_; }

 protected:
  // The request found no place.
  virtual void OnSurplus(std::size_t number);
  // A group begins.
  virtual void OnNextGroup() {}
  // Gives a request a place of the open group.
  void Enter(std::size_t number);

 private:
  ServedModel& model_;
  Rng& rng_;
  SlotDoor door_;
  std::uint64_t group_ = 0;
  std::size_t rounds_ = 0;  // of the open group
  std::vector<HostRequest> requests_{};
  std::vector<std::uint64_t> came_{};  // the group of a request
  std::vector<Answer> answers_{};
  std::vector<std::size_t> open_{};  // requests of the open group
};

// Visits of one user: what is done in a group, one letter each.
//   a, b  asks about 1, about 0     y, n  tells the label of the last answer
//   x     sends a bad row           o     tells the opposite of that answer
using SlotVisits = std::map<std::uint64_t, std::string>;

// Came against never came: others ask in every group and tell labels in the
// next one; the protected user makes these visits, or none.
struct SlotGame {
  SlotVisits visits{};
  bool first = true;  // before the others of a group, or behind them
  std::uint64_t others = 1;
  std::string labels = "o";  // of the others; empty: none
  // In which others come.
  std::uint64_t last_group = std::numeric_limits<std::uint64_t>::max();
};
// Visits at different times, with and without labels, among `others` users.
std::vector<SlotGame> SlotGames(std::uint64_t others);

// Games against copies of one model, each with its own key. The view is
// everything that the others see: their replies and when they come, and what
// is published at the end.
class SlotPair : public GamePair {
 public:
  SlotPair(std::shared_ptr<ServedModel> model, std::uint64_t groups,
           std::vector<SlotGame> games)
      : model_(std::move(model)), groups_(groups), games_(std::move(games)) {}

  std::size_t variants() const override { return games_.size(); }
  Status Play(std::size_t variant, bool world, Rng& rng,
              View& view) const override;

 protected:
  virtual std::unique_ptr<SlotDesk> Open(ServedModel& model, Rng& rng) const {
    return std::make_unique<SlotDesk>(model, rng);
  }

 private:
  std::shared_ptr<ServedModel> model_;
  std::uint64_t groups_;
  std::vector<SlotGame> games_;
};

// A small model with groups of this many places. Fails as its creation does.
struct SmallSlots {
  std::string model = "tide";
  double epsilon = 2;
  double delta = 0.01;
  std::uint64_t places = 3;
};
Result<std::shared_ptr<ServedModel>> MakeSlotModel(const SmallSlots& small);

}  // namespace sotto
