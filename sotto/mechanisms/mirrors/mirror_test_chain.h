#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/base/int128.h"
#include "sotto/mechanisms/mirrors/jdp_mirror.h"
#include "sotto/mechanisms/mirrors/mirror_distribution.h"
#include "sotto/mechanisms/mirrors/soft_mirror_delta.h"
#include "sotto/mechanisms/mirrors/staircase_mirror.h"
#include "sotto/testing/challenge_distribution.h"
#include "sotto/testing/exact_game.h"
#include "sotto/testing/exact_number.h"

namespace sotto {

// A mirror as a Markov chain, for the exact game: every one that arrives moves
// the hidden state and shows "top" or "bottom"; a zero does neither. The
// challenge is a one in world P and a zero in world Q, its answer hidden.
//
//   MirrorChain<double> chain;
//   chain.Start(1.0, 0);
//   chain.Add(0, 1.0, true, 0);
//   ExactGame game(ChallengeDistribution(chain), /*horizon=*/8);
//
// For tests.
template <typename N>
class MirrorChain {
 public:
  using Number = N;
  using State = std::size_t;
  using Context = int;  // Nothing public: always 0.
  using Input = int;
  using Observation = int;  // 1: top, 0: bottom.

  void Start(Number weight, State state) {
    initial_.push_back({std::move(weight), state});
  }
  void Add(State from, Number probability, bool top, State to) {
    if (from >= rows_.size()) rows_.resize(from + 1);
    rows_[from].push_back({std::move(probability), top ? 1 : 0, to});
  }

  Context Start() const { return 0; }
  std::vector<Weighted<Number, State>> Initial() const { return initial_; }
  std::vector<Input> Inputs(const Context&) const { return {1}; }
  std::vector<std::pair<Input, Input>> Challenges(const Context&) const {
    return {{1, 0}};
  }
  std::vector<Outcome<Number, Observation, State>> Step(
      const Context&, const State& state, const Input& one) const {
    if (one == 0) return {{Number(1), 0, state}};
    return rows_[state];
  }
  Observation Hide(const Observation&) const { return 0; }
  Context Next(const Context&, const std::optional<Input>&,
               const Observation&) const {
    return 0;
  }

 private:
  std::vector<Weighted<Number, State>> initial_;
  std::vector<std::vector<Outcome<Number, Observation, State>>> rows_;
};

// The shipped mirrors as chains for the exact game, from the integers they draw
// with: exact for Number = ExactNumber, nearest for double. For tests.

template <typename Number>
Number Over128(Uint128 units) {
  Number scale(0x1p64);
  return (Number(High64(units)) + Number(Low64(units)) / scale) / scale;
}

template <typename Number>
Number Over64(std::uint64_t threshold) {
  return Number(threshold) / Number(0x1p64);
}

// States of a chain of phases: `left` steps remain in a phase.
inline std::size_t PhaseState(std::size_t phase, std::uint64_t left) {
  return phase * 4096 + static_cast<std::size_t>(left);
}

// From `from`, with probability `weight` and this answer, into a new phase
// whose length is drawn from `distribution`.
template <typename Number>
void EnterPhase(MirrorChain<Number>& chain, std::size_t from,
                const Number& weight, bool top, std::size_t phase,
                const MirrorDistribution& distribution) {
  for (std::uint64_t k = distribution.first(); k <= distribution.last(); ++k) {
    chain.Add(from, weight * Over128<Number>(distribution.Units(k)), top,
              PhaseState(phase, k));
  }
}

template <typename Number>
MirrorChain<Number> MakeChain(const Staircase& staircase) {
  MirrorChain<Number> chain;
  const std::size_t last = staircase.stairs.size() + 1;
  auto leave = [&](std::size_t from, const Number& weight, bool top,
                   std::size_t phase) {
    if (phase == last) {
      chain.Add(from, weight, top, PhaseState(last, 0));
    } else {
      EnterPhase(chain, from, weight, top, phase,
                 staircase.stairs[phase - 1].length);
    }
  };
  const MirrorDistribution& silence = staircase.silence;
  for (std::uint64_t k = silence.first(); k <= silence.last(); ++k) {
    chain.Start(Over128<Number>(silence.Units(k)), PhaseState(0, k));
  }
  for (std::uint64_t k = 2; k <= silence.last(); ++k) {
    chain.Add(PhaseState(0, k), Number(1), false, PhaseState(0, k - 1));
  }
  leave(PhaseState(0, 1), Number(1), false, 1);
  for (std::size_t phase = 1; phase < last; ++phase) {
    const Stair& stair = staircase.stairs[phase - 1];
    const auto top = Over64<Number>(stair.threshold);
    for (std::uint64_t k = 1; k <= stair.length.last(); ++k) {
      const std::size_t state = PhaseState(phase, k);
      chain.Add(state, Number(1) - top, false, state);
      if (k > 1) chain.Add(state, top, true, PhaseState(phase, k - 1));
    }
    leave(PhaseState(phase, 1), top, true, phase + 1);
  }
  chain.Add(PhaseState(last, 0), Number(1), true, PhaseState(last, 0));
  return chain;
}

template <typename Number>
MirrorChain<Number> MakeChain(const MirrorDistribution& random_step) {
  return MakeChain<Number>(Staircase{random_step, {}});
}

template <typename Number>
MirrorChain<Number> MakeChain(const JdpDesign& design) {
  MirrorChain<Number> chain;
  const auto active = Over64<Number>(design.activation);
  const MirrorDistribution& distribution = design.length;
  for (std::uint64_t k = 1; k <= distribution.last(); ++k) {
    chain.Start(Over128<Number>(distribution.Units(k)), PhaseState(0, k));
  }
  for (std::size_t phase = 0; phase < 2; ++phase) {
    const bool top = phase == 1;
    for (std::uint64_t k = 1; k <= distribution.last(); ++k) {
      const std::size_t state = PhaseState(phase, k);
      chain.Add(state, Number(1) - active, false, state);
      if (k > 1) chain.Add(state, active, top, PhaseState(phase, k - 1));
    }
  }
  EnterPhase(chain, PhaseState(0, 1), active, false, 1, distribution);
  chain.Add(PhaseState(1, 1), active, true, PhaseState(2, 0));
  chain.Add(PhaseState(2, 0), Number(1), true, PhaseState(2, 0));
  return chain;
}

// State c: c ones so far. One silent one comes before the ramp.
template <typename Number>
MirrorChain<Number> MakeChain(const SoftRamp& ramp) {
  MirrorChain<Number> chain;
  chain.Start(Number(1), 0);
  chain.Add(0, Number(1), false, 1);
  for (std::size_t c = 0; c < ramp.size(); ++c) {
    const auto top = Over64<Number>(ramp[c]);
    chain.Add(c + 1, top, true, c + 2);
    chain.Add(c + 1, Number(1) - top, false, c + 2);
  }
  chain.Add(ramp.size() + 1, Number(1), true, ramp.size() + 1);
  return chain;
}

}  // namespace sotto
