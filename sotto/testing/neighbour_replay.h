#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/testing/game_distribution.h"

namespace sotto {

// The sampler interface of a mechanism that can be replayed: Add takes a
// private integer and returns it with noise.
template <typename T>
concept NoiseAdder = requires(T& noise, std::int64_t value) {
  { noise.Add(value) } -> std::same_as<std::int64_t>;
};

// The noise of the index-th Add of a round. One tape serves both worlds.
using NoiseTape = std::function<std::int64_t(int round, int index)>;

enum class ReplayMode {
  // Both worlds add the same noise. The values are compared as they come;
  // right for mechanisms whose values do not depend on earlier answers.
  kSameNoise,
  // World Q receives the noisy answers of world P in all visible rounds. This
  // is sensitivity as in a proof: the largest difference of the values, given
  // the same past view.
  kSameAnswers,
};

// One Add: the value before and after noise.
struct NoisyValue {
  int round;
  int index;
  bool hidden;
  std::int64_t value;
  std::int64_t noisy;
};

// Records every value to which noise is added.
//
// A mechanism with several noises gets one recorder for each, so that each can
// have its own sensitivity. Threads: none; one recorder, one run.
class NoiseRecorder {
 public:
  explicit NoiseRecorder(NoiseTape tape) : tape_(std::move(tape)) {}
  // Replays the visible answers of `earlier`, which must outlive this.
  NoiseRecorder(NoiseTape tape, const NoiseRecorder& earlier)
      : tape_(std::move(tape)), earlier_(&earlier) {}

  // Starts the next round. The values of a hidden round (the round in which the
  // neighbours differ, whose answer no other user sees) are not compared.
  void BeginRound(bool hidden = false);
  std::int64_t Add(std::int64_t value);

  const std::vector<NoisyValue>& trace() const { return trace_; }

 private:
  std::optional<std::int64_t> EarlierAnswer() const;

  NoiseTape tape_;
  const NoiseRecorder* earlier_ = nullptr;
  std::vector<NoisyValue> trace_;
  int round_ = -1;
  int index_ = 0;
  bool hidden_ = false;
};

struct ReplayReport {
  // The first place where the worlds differ by more than declared. An empty
  // value: that world added no noise there.
  struct Violation {
    int round;
    std::optional<std::int64_t> p;
    std::optional<std::int64_t> q;
  };
  std::size_t compared = 0;
  std::uint64_t largest_gap = 0;
  std::optional<Violation> violation;
};

// Compares the visible rounds of two traces, value by value.
ReplayReport CompareTraces(const NoiseRecorder& p, const NoiseRecorder& q,
                           std::uint64_t sensitivity);

// Runs both neighbours on one tape and compares. `run(world, noise)` plays all
// rounds of one world, calling noise.BeginRound before each:
//
//   auto report = ReplayNeighbours(
//       tape, /*sensitivity=*/1, ReplayMode::kSameAnswers,
//       [&](World world, NoiseRecorder& noise) {
//         Mechanism mechanism(noise);
//         for (const User& user : stream) {
//           noise.BeginRound(user.differs);
//           mechanism.Answer(user.differs ? user.in[world] : user.both);
//         }
//       });
//   EXPECT_FALSE(report.violation) << report.violation->round;
//
// It can refute a declared sensitivity, not prove it: it uses one stream and
// one tape.
template <std::invocable<World, NoiseRecorder&> Run>
ReplayReport ReplayNeighbours(const NoiseTape& tape, std::uint64_t sensitivity,
                              ReplayMode mode, Run&& run) {
  NoiseRecorder p(tape);
  run(World::kP, p);
  NoiseRecorder q = mode == ReplayMode::kSameAnswers ? NoiseRecorder(tape, p)
                                                     : NoiseRecorder(tape);
  run(World::kQ, q);
  return CompareTraces(p, q, sensitivity);
}

}  // namespace sotto
