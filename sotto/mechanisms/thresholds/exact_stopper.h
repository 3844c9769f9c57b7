#pragma once

#include <cstdint>
#include <utility>

#include "sotto/base/bytes.h"
#include "sotto/base/int128.h"
#include "sotto/base/result.h"
#include "sotto/random/loss_weights.h"
#include "sotto/random/rng.h"

namespace sotto {

// Stopper with delta = 0: its noise are whole-number weights that are drawn
// exactly.
//
//   auto stopper = ExactStopper::Create(0.1);
//   if (!stopper) return stopper.error();
//   stopper->Begin(rng);
//   if (stopper->Check(count - limit, rng)) Restart();
//
// Check must be called at public times. The limit may change with time, as long
// as it is public.
//
// Guarantee: epsilon-DP of all checks since Begin, up to and with the first
//            that halts, if one hidden event makes the count larger by one from
//            some check on; adaptive inputs.
// Proof:     exact_stopper.md.
// Threads:   not thread-safe.
class ExactStopper {
 public:
  static constexpr std::int64_t kMostOver = std::int64_t{1} << 32;

  // Fails with kInvalidArgument unless epsilon is in [2^-16, 16].
  static Result<ExactStopper> Create(double epsilon);

  // Draws the secret threshold, for a count that starts from 0.
  void Begin(Rng& rng);
  // Returns true to halt. `over` is the count less the limit, cut to kMostOver.
  // After a halt Begin comes next.
  bool Check(std::int64_t over, Rng& rng) const;

  // The least s so that a check at a count of limit - s or less halts with
  // probability at most `failure`.
  std::int64_t EarlySlack(double failure) const;

  // The state holds the secret threshold.
  void Save(ByteWriter& writer) const { writer.Number(threshold_); }
  // False if it makes no sense.
  bool Load(ByteReader& reader);

  // For the proof's check: Pr[threshold = x] and Pr[halt at m below it], as
  // integers over Total() and over 2^kBits.
  static constexpr int kBits = 63;
  static constexpr std::uint64_t kThresholds = std::uint64_t{1} << 33;
  const LossWeights& weights() const { return weights_; }

 private:
  ExactStopper(double rate, LossWeights weights)
      : rate_(rate), weights_(std::move(weights)) {}

  double rate_;
  LossWeights weights_;
  std::int64_t threshold_ = 0;
};

}  // namespace sotto
