#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/base/round.h"
#include "sotto/online/noise_history.h"

namespace sotto {

// Plays rounds in batches on a mechanism that draws the noise of each round
// before it sees the rounds: PrivateOnlineProcedure, EverlastingPredictor.
//
//   BatchPlayer<Mechanism, Example> player;
//   auto played = player.Play(mechanism, make_example, rounds, history);
//
// The same distribution as one round after the other.
//
// Threads: not thread-safe.
template <typename Mechanism, typename Example>
class BatchPlayer {
 public:
  // Draws ahead at most this many rounds.
  static constexpr std::size_t kLargestBatch = 1024;

  // Fills in the answers and returns the number of rounds played: fewer than
  // all if a phase ends. `make_example` turns a Round into an Example. Fails as
  // Mechanism::PlayDrawn does.
  template <typename MakeExample>
  Result<std::size_t> Play(Mechanism& mechanism, MakeExample make_example,
                           std::span<Round> rounds, NoiseHistory& history) {
    Draw(mechanism, make_example, rounds, history);
    const std::uint64_t phase = mechanism.phase();
    answers_.resize(rounds.size());
    SOTTO_TRY_ASSIGN(const auto played,
                     mechanism.PlayDrawn(examples_, draws_, answers_));
    // The phase has ended. The draws of later rounds were not used: those
    // rounds draw again, in their own phase, from the same place.
    if (played < rounds.size()) {
      history.Rewind(places_[played - 1]);
      const Round& last = rounds[played - 1];
      if (last.y) history.AddLabel(history.rounds(), *last.y);
    }
    for (std::size_t i = 0; i < played; ++i) {
      rounds[i].prediction = answers_[i].prediction;
      rounds[i].paid = answers_[i].paid;
      rounds[i].phase = phase;
    }
    return played;
  }

 private:
  template <typename MakeExample>
  void Draw(Mechanism& mechanism, MakeExample make_example,
            std::span<const Round> rounds, NoiseHistory& history) {
    examples_.clear();
    draws_.clear();
    places_.clear();
    for (const Round& round : rounds) {
      draws_.push_back(mechanism.DrawRound(history.Begin(round)));
      places_.push_back(history.place());
      examples_.push_back(make_example(round));
      if (round.y) history.AddLabel(history.rounds(), *round.y);
    }
  }

  // Kept between calls, so that a call allocates nothing.
  std::vector<Example> examples_;
  std::vector<typename Mechanism::Draw> draws_;
  std::vector<typename Mechanism::Answer> answers_;
  std::vector<NoiseHistory::Place> places_;
};

}  // namespace sotto
