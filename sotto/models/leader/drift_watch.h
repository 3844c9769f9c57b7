#pragma once

#include <cstdint>
#include <utility>

#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/mechanisms/thresholds/exact_stopper.h"
#include "sotto/random/rng.h"

namespace sotto {

// Watches the mistakes of a published hypothesis and reports when there are too
// many, without revealing any single one.
//
//   auto watch = DriftWatch::Create({.epsilon = 0.2});
//   watch->Begin(epoch_length, rng);
//   if (watch->Advance(rng)) Restart();    // on every round, before it
//   watch->Count(block_of_round, mistake); // if the label came
//
// Rounds are cut into windows, and these into blocks: all by the clock. A
// window has its own stopper, which is asked at the end of every block. A
// mistake counts if its label comes in the block of its round, else never.
//
// The limit is public: what a stopper needs so as not to halt by its noise, and
// a share of the rounds that are taken to be wrong anyway. That share is 0 at
// first; if it halts again and again, it becomes what was seen, which is public
// as well: the times of the halts say it.
//
// Guarantee: Params::epsilon for one mistake more or less, over all epochs.
// Proof:     leader.md, step 6.
// Threads:   not thread-safe.
class DriftWatch {
 public:
  struct Params {
    double epsilon = 0;
    std::uint64_t block = 32;  // rounds
  };

  // Fails as ExactStopper does, and unless the block is in [1, 2^20].
  static Result<DriftWatch> Create(const Params& params);

  // A new epoch of that length; `calm`: the last one ended by the clock.
  void Begin(std::uint64_t length, bool calm, Rng& rng);
  // Advances the clock by a round. Returns true if there were too many
  // mistakes: Begin comes next.
  bool Advance(Rng& rng);
  // The number of the block now.
  std::uint64_t block() const { return block_; }
  void Count(std::uint64_t block, bool mistake);

  std::uint64_t block_rounds() const { return params_.block; }
  std::uint64_t fired() const { return fired_; }  // in a row
  double expected_wrong() const { return wrong_; }

  // The state holds secrets.
  void Save(ByteWriter& writer) const;
  // False if it makes no sense.
  bool Load(ByteReader& reader);

 private:
  DriftWatch(const Params& params, ExactStopper stopper)
      : params_(params), stopper_(std::move(stopper)) {}
  void BeginWindow(Rng& rng);
  std::uint64_t window() const;  // its length
  std::int64_t Limit() const;

  Params params_;
  ExactStopper stopper_;     // secret
  std::uint64_t count_ = 0;  // of the window: secret
  std::uint64_t ticks_ = 0;  // of the window
  std::uint64_t block_ = 0;
  std::uint64_t fired_ = 0;
  double wrong_ = 0;
};

}  // namespace sotto
