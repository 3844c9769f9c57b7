#include "sotto/model/online_model.h"

#include <utility>

namespace sotto {

Result<std::size_t> OnlineModel::Play(std::span<Round> rounds,
                                      NoiseHistory& history) {
  Round& round = rounds.front();
  round.phase = phase();
  auto opened = Open(round.x, round.user, history.Begin(round));
  if (!opened) return opened.error();
  round.told = opened->told;
  round.probability = opened->probability;
  round.paid = opened->paid;
  if (!round.y) return std::size_t{1};
  history.Taught(history.rounds(), *round.y);
  if (halted()) return std::size_t{1};
  if (Status closed = Close(std::move(opened->open), *round.y); !closed) {
    return closed.error();
  }
  return std::size_t{1};
}

}  // namespace sotto
