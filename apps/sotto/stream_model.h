#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/base/round.h"

namespace sotto::app {

using Example = Round;

// A label of two.
inline std::optional<bool> OfTwo(const std::optional<Label>& y) {
  return y ? std::optional(y->positive()) : std::nullopt;
}

// What became of one round.
struct RoundOutcome {
  bool answered = false;  // false: the user had no rounds left
  bool prediction = false;
  bool paid = false;
  std::uint64_t phase = 0;  // that it was played in, from 0
};

// A private model as `sotto run` drives it: rounds in, outcomes out. A model of
// its own is one more file that implements this and one more line in
// run_command.cc.
class StreamModel {
 public:
  virtual ~StreamModel() = default;

  // How many rounds at a time Play likes best.
  virtual std::size_t best_batch() const = 0;
  // Plays the rounds in order: predicts, and teaches the label when it is due.
  // Returns how many were played: all, unless the model has halted.
  // Requires outcomes.size() == rounds.size().
  virtual Result<std::size_t> Play(std::span<const Example> rounds,
                                   std::span<RoundOutcome> outcomes) = 0;
  // The round of a row that cannot be used: rounds are public, so the clock
  // ticks although nobody is answered.
  virtual Status Skip() { return Ok(); }
  virtual bool halted() const = 0;
  virtual std::uint64_t phase() const = 0;
  // The operator's own view: which share of the votes says 1, if there are
  // votes. Changes nothing.
  virtual std::optional<double> VoteShare(FeatureView x) = 0;
  virtual Status Save(ByteWriter& writer) = 0;
};

}  // namespace sotto::app
