#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/audit/games/rules.h"
#include "sotto/audit/games/view.h"
#include "sotto/audit/point_input.h"
#include "sotto/base/result.h"
#include "sotto/models/pop/private_online_procedure.h"
#include "sotto/random/rng.h"

namespace sotto {

// POP as the player of OnlineGame: the answer is the prediction plus twice the
// phase, which is public. An absent user's round shows the phase alone.
//
// Threads: not thread-safe.
template <typename Pop>
class PopPlayer {
 public:
  explicit PopPlayer(Pop pop) : pop_(std::move(pop)) {}

  Result<std::int64_t> Step(const PointInput& input, Rng& rng) {
    ++round_;
    SOTTO_TRY(CloseDue());
    if (input.absent) {
      SOTTO_TRY(pop_.PlayEmptyRound(rng));
      return Shown(false);
    }
    const FeatureVector x = {{0, static_cast<double>(input.point)}};
    SOTTO_TRY_ASSIGN(auto opened, pop_.Open(x, "", rng));
    const bool prediction = opened.prediction();
    if (input.label && input.delay == 0) {
      SOTTO_TRY(pop_.Close(std::move(opened), *input.label));
    } else if (input.label) {
      waiting_.push_back(
          {round_ + input.delay, std::move(opened), *input.label});
    }
    return Shown(prediction);
  }
  bool halted() const { return pop_.halted(); }

  // An estimate, from an extra round without a label.
  Result<bool> Says(std::int64_t point, Rng& rng) {
    if (pop_.halted()) return false;
    SOTTO_TRY_ASSIGN(const auto answer,
                     Step({.point = static_cast<std::int32_t>(point)}, rng));
    return answer % 2 != 0;
  }

 private:
  struct Waiting {
    std::uint64_t due = 0;
    typename Pop::Round round;
    bool label = false;
  };

  std::int64_t Shown(bool prediction) const {
    return (prediction ? 1 : 0) + 2 * static_cast<std::int64_t>(pop_.phase());
  }
  Status CloseDue() {
    for (std::size_t i = 0; i < waiting_.size();) {
      if (waiting_[i].due != round_) {
        ++i;
        continue;
      }
      Waiting due = std::move(waiting_[i]);
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
      SOTTO_TRY(pop_.Close(std::move(due.round), due.label));
    }
    return Ok();
  }

  Pop pop_;
  std::vector<Waiting> waiting_;
  std::uint64_t round_ = 0;
};

// Poisoning: `taught` labelled examples of one point bring the votes near a
// tie; then comes the protected user, whose label moves exactly one vote of one
// copy; then all users ask for the same point.
struct IsolatedCopy {
  std::uint64_t taught = 0;
  PointInput zero = {};
  PointInput one = {};

  std::optional<Move<PointInput>> Next(const View& view) const {
    if (view.rounds() < taught) {
      return Same(PointInput{.point = 1, .label = true});
    }
    if (view.rounds() == taught) return Challenge(zero, one);
    return Same(PointInput{.point = 1});
  }
};

// Variants: the protected user's two versions differ in the label, or in the
// time of the label.
std::vector<IsolatedCopy> IsolatedCopies(std::int64_t copies, bool timing);

}  // namespace sotto
