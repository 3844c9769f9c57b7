#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/audit/games/hard_instance.h"
#include "sotto/audit/games/rules.h"
#include "sotto/base/result.h"
#include "sotto/random/rng.h"

namespace sotto {

// The example of a round for a learner of points.
struct PointExample {
  std::int64_t point = 0;
  bool label = false;
  friend bool operator==(const PointExample&, const PointExample&) = default;
};

// The adversary that forces many mistakes of every private learner of points,
// where a non-private learner makes one. If the learner predicts 1 at random
// points to be safe, it plays random streams of zeros. Otherwise it plays a
// stream with `ones` examples of one point labelled 1, each at the place where
// the learner is least likely to have detected the others.
//
//   auto adversary = PointLearnerAdversary::Build(
//       {.ones = 5}, [&] { return Learner(...); }, rng);
//   for (const PointExample& e : adversary->Stream(rng)) learner.Step(e, rng);
//
// A learner has Result<bool> Says(std::int64_t point, Rng&), its current
// prediction, and Result<std::int64_t> Step(const PointExample&, Rng&), which
// predicts and then learns. It is run repeatedly from its beginning. Says may
// be an estimate: that only reduces power.
//
// Paper:   [Counters] Theorem 1.11, for learners that publish their hypothesis.
// Learners that only predict (points, pop) are not subject to it.
// Proof:   point_learner_adversary.md, with the constants that small streams
//          need.
// Threads: a value type; Build is a pure function.
class PointLearnerAdversary {
 public:
  struct Params {
    int ones = 4;           // m
    int samples = 100;      // games for every estimate
    double gamble = 0.001;  // theta, see gambles()
  };

  // Fails as the learner does.
  template <typename Fresh>
  static Result<PointLearnerAdversary> Build(const Params& params,
                                             const Fresh& fresh, Rng& rng);

  // k: there are k phases of k steps and k points.
  std::size_t root() const { return root_; }
  // The first case: while a phase lasts, every point of it is expected to be
  // called 1 in at least theta steps.
  bool gambles() const { return gambles_; }
  // The number of those steps for the chosen point.
  double least_gamble() const { return least_gamble_; }
  // The second case: the point, the stream without it, its phase and its
  // places.
  std::int64_t point() const { return point_; }
  const HardInstance& hard() const { return hard_; }

  // In the first case a new draw of k^2 zeros. In the second case fixed, up to
  // the last 1.
  std::vector<PointExample> Stream(Rng& rng) const {
    if (gambles_) return Zeros(root_, rng);
    std::vector<PointExample> stream = zeros_;
    for (const std::size_t at : hard_.inserted) {
      stream[start_ + at] = {point_, true};
    }
    stream.resize(start_ + hard_.last);
    return stream;
  }

  // The streams with the first i and the first i + 1 examples of the point, as
  // moves of a game. Requires the second case and i < hard().inserted.size().
  std::vector<Move<PointExample>> Neighbours(std::size_t i) const {
    std::vector<Move<PointExample>> moves;
    for (const PointExample& example : zeros_) moves.push_back(Same(example));
    const PointExample one{point_, true};
    for (std::size_t j = 0; j < i; ++j) {
      moves[start_ + hard_.inserted[j]] = Same(one);
    }
    const std::size_t at = start_ + hard_.inserted[i];
    moves[at] = Challenge(zeros_[at], one);
    return moves;
  }

 private:
  static std::int64_t FirstPoint(std::size_t root, std::size_t phase) {
    return static_cast<std::int64_t>(root * phase) + 1;
  }
  // Points of the phase, uniform and labelled 0; never `without`.
  static void AddPhase(std::size_t root, std::size_t phase,
                       std::optional<std::int64_t> without, Rng& rng,
                       std::vector<PointExample>& stream) {
    for (std::size_t step = 0; step < root; ++step) {
      std::int64_t point = 0;
      do {
        point = FirstPoint(root, phase) +
                static_cast<std::int64_t>(rng.Next() % root);
      } while (point == without);
      stream.push_back({point, false});
    }
  }
  static std::vector<PointExample> Zeros(std::size_t root, Rng& rng) {
    std::vector<PointExample> stream;
    for (std::size_t phase = 0; phase < root; ++phase) {
      AddPhase(root, phase, std::nullopt, rng, stream);
    }
    return stream;
  }

  // The number of steps of a phase in which each of its points was predicted 1,
  // over all learners, each with its own stream.
  template <typename Learner>
  static Result<std::vector<std::uint64_t>> PlayPhase(
      std::size_t root, std::size_t phase, std::vector<Learner>& learners,
      Rng& rng);

  template <typename Fresh>
  void Hide(const Params& params, std::size_t phase, const Fresh& fresh,
            Rng& rng);

  std::size_t root_ = 0;
  bool gambles_ = true;
  double least_gamble_ = 0;
  std::int64_t point_ = 0;
  std::size_t start_ = 0;  // of the phase
  std::vector<PointExample> zeros_;
  HardInstance hard_;
};

// The bound of Theorem 1.11 for (epsilon, delta)-private learners in the second
// case: the probability that all `ones` are mistakes, if the point is predicted
// 1 with probability `early` on the stream without them. 0 from epsilon = ln 2
// on.
inline double AllMistakenAtLeast(double epsilon, double delta, double early,
                                 int ones) {
  const double half = std::exp(epsilon) / 2;
  if (half >= 1) return 0;
  return std::max(0.0, 1 - 2 * half * (early + 2 * ones * delta) / (1 - half));
}

namespace internal {

// A learner as a threshold monitor: a bit is an example of the point or the
// stream's own example, and it halts when the point is predicted 1.
template <typename Learner>
class PointMonitor {
 public:
  PointMonitor(Learner learner, const std::vector<PointExample>& zeros,
               std::size_t start, std::int64_t point)
      : learner_(std::move(learner)),
        zeros_(&zeros),
        start_(start),
        point_(point) {}

  Result<std::int64_t> Step(std::int64_t bit, Rng& rng) {
    while (next_ < start_) {
      const auto before = learner_.Step((*zeros_)[next_++], rng);
      if (!before) return before;
    }
    SOTTO_TRY_ASSIGN(const auto says, learner_.Says(point_, rng));
    if (says) return 1;
    const PointExample& zero = (*zeros_)[next_++];
    const auto taught =
        learner_.Step(bit != 0 ? PointExample{point_, true} : zero, rng);
    if (!taught) return taught;
    return 0;
  }

 private:
  Learner learner_;
  const std::vector<PointExample>* zeros_;
  std::size_t start_;
  std::int64_t point_;
  std::size_t next_ = 0;
};

}  // namespace internal

template <typename Learner>
Result<std::vector<std::uint64_t>> PointLearnerAdversary::PlayPhase(
    std::size_t root, std::size_t phase, std::vector<Learner>& learners,
    Rng& rng) {
  std::vector<std::uint64_t> called(root, 0);
  for (Learner& learner : learners) {
    std::vector<PointExample> stream;
    AddPhase(root, phase, std::nullopt, rng, stream);
    for (const PointExample& example : stream) {
      for (std::size_t i = 0; i < root; ++i) {
        SOTTO_TRY_ASSIGN(
            const auto says,
            learner.Says(FirstPoint(root, phase) + static_cast<std::int64_t>(i),
                         rng));
        called[i] += says ? 1 : 0;
      }
      SOTTO_TRY(learner.Step(example, rng));
    }
  }
  return called;
}

template <typename Fresh>
void PointLearnerAdversary::Hide(const Params& params, std::size_t phase,
                                 const Fresh& fresh, Rng& rng) {
  gambles_ = false;
  start_ = phase * root_;
  for (std::size_t before = 0; before < phase; ++before) {
    AddPhase(root_, before, std::nullopt, rng, zeros_);
  }
  AddPhase(root_, phase, point_, rng, zeros_);
  hard_ = BuildHardInstance(
      params.ones, params.samples,
      [&] { return internal::PointMonitor(fresh(), zeros_, start_, point_); },
      rng);
}

template <typename Fresh>
Result<PointLearnerAdversary> PointLearnerAdversary::Build(const Params& params,
                                                           const Fresh& fresh,
                                                           Rng& rng) {
  PointLearnerAdversary built;
  built.root_ = (std::size_t{2} << params.ones) - 2;
  std::vector<decltype(fresh())> learners;
  for (int i = 0; i < params.samples; ++i) learners.push_back(fresh());
  for (std::size_t phase = 0; phase < built.root_; ++phase) {
    SOTTO_TRY_ASSIGN(const auto called,
                     PlayPhase(built.root_, phase, learners, rng));
    const auto least = std::ranges::min_element(called);
    const double gamble = static_cast<double>(*least) / params.samples;
    if (phase > 0 && gamble >= built.least_gamble_) continue;
    built.least_gamble_ = gamble;
    built.point_ = FirstPoint(built.root_, phase) + (least - called.begin());
    if (gamble >= params.gamble) continue;
    built.Hide(params, phase, fresh, rng);
    break;
  }
  return built;
}

}  // namespace sotto
