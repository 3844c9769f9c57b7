#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <cstddef>
#include <vector>

#include "sotto/mechanisms/slicing/reorder_slice_compute_bound.h"
#include "sotto/testing/distributions/discrete_laplace.h"
#include "sotto/testing/exact_game.h"
#include "sotto/testing/game_distribution.h"

namespace sotto {
namespace {

// Reorder-Slice-Compute on the elements 0, ..., n - 1 (world P) or all but one
// of them (world Q), as a game. A move cuts a slice or asks an open one; every
// slice answers once, and may be asked long after it was cut. The answer is
// whether a signed count of the slice's elements and discrete Laplace noise
// reach a threshold: pure DP of 1 / mechanism_theta for one element more or
// less, the square of it for a substitution if counts may be signed, and the
// same if not.
//
//   SlicingDistribution<double> slicing{.elements = 3, .slices = 2, ...};
//   ExactGame game(slicing, 4);
//
// geometric_theta = 0 is the broken variant without noise on the sizes.
template <typename N>
struct SlicingDistribution {
  using Number = N;
  static constexpr std::size_t kMaxSlices = 3;
  struct State {
    unsigned remaining = 0;  // a bit for each element
    std::array<unsigned, kMaxSlices> slice = {};
    // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
    auto operator<=>(const State&) const = default;
  };
  struct Context {
    std::size_t cut = 0;
    std::array<bool, kMaxSlices> asked = {};
    // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
    auto operator<=>(const Context&) const = default;
  };
  using Observation = int;
  struct Move {
    bool cuts = true;
    int size = 0;
    std::vector<int> order = {};  // first to be taken first
    std::size_t slice = 0;
    unsigned plus = 0;   // counted once, and
    unsigned minus = 0;  // counted negatively
  };

  Number geometric_theta;
  Number mechanism_theta;
  int elements = 3;
  int extra = 0;
  std::size_t slices = 2;
  int max_size = 1;
  bool signed_counts = false;
  int threshold = 1;
  bool late_questions = true;  // false: asked at once or never

  Context Start() const { return {}; }
  std::vector<Weighted<Number, State>> Initial(World world) const {
    const unsigned all = (1U << elements) - 1;
    const unsigned without = all & ~(1U << extra);
    return {{Number(1), {.remaining = world == World::kP ? all : without}}};
  }
  std::vector<Move> Moves(const Context& context) const {
    std::vector<Move> moves;
    for (std::size_t i = 0; i < context.cut; ++i) {
      if (context.asked[i]) continue;
      if (late_questions || i + 1 == context.cut) AddQuestions(i, moves);
    }
    if (context.cut == slices) return moves;
    std::vector<int> order;
    for (int i = 0; i < elements; ++i) order.push_back(i);
    do {
      for (int size = 0; size <= max_size; ++size) {
        moves.push_back({.size = size, .order = order});
      }
    } while (std::next_permutation(order.begin(), order.end()));
    return moves;
  }
  std::vector<Outcome<Number, Observation, State>> Step(
      World /*world*/, const Context& context, const State& state,
      const Move& move) const {
    return move.cuts ? Cut(context, state, move) : Ask(state, move);
  }
  Context Next(const Context& context, const Move& move,
               const Observation& /*seen*/) const {
    Context next = context;
    if (move.cuts) {
      ++next.cut;
    } else {
      next.asked[move.slice] = true;
    }
    return next;
  }

 private:
  void AddQuestions(std::size_t slice, std::vector<Move>& moves) const {
    const unsigned all = 1U << elements;
    for (unsigned plus = 1; plus < all; ++plus) {
      for (unsigned minus = 0; minus < (signed_counts ? all : 1U); ++minus) {
        if ((plus & minus) != 0) continue;
        moves.push_back(
            {.cuts = false, .slice = slice, .plus = plus, .minus = minus});
      }
    }
  }
  std::vector<Outcome<Number, Observation, State>> Cut(const Context& context,
                                                       const State& state,
                                                       const Move& move) const {
    std::vector<Outcome<Number, Observation, State>> outcomes;
    const int left = std::popcount(state.remaining);
    Number mass = 1;  // of all sizes from here on
    for (int size = std::min(move.size, left); size <= left; ++size) {
      const bool last = size == left || geometric_theta == 0;
      const Number p = last ? mass : mass * (1 - geometric_theta);
      outcomes.push_back({p, 0, Taken(context, state, move.order, size)});
      if (last) break;
      mass *= geometric_theta;
    }
    return outcomes;
  }
  State Taken(const Context& context, State state,
              const std::vector<int>& order, int size) const {
    for (const int element : order) {
      const unsigned bit = 1U << element;
      if (size == 0) break;
      if ((state.remaining & bit) == 0) continue;
      state.remaining &= ~bit;
      state.slice[context.cut] |= bit;
      --size;
    }
    return state;
  }
  std::vector<Outcome<Number, Observation, State>> Ask(const State& state,
                                                       const Move& move) const {
    const unsigned slice = state.slice[move.slice];
    const int count =
        std::popcount(slice & move.plus) - std::popcount(slice & move.minus);
    const Number yes = DiscreteLaplaceDistribution<Number>(mechanism_theta)
                           .AtLeast(threshold - count);
    // A slice that was asked is over: forgetting it merges states.
    State next = state;
    next.slice[move.slice] = 0;
    return {{yes, 1, next}, {1 - yes, 0, next}};
  }
};

using Distribution = SlicingDistribution<double>;

SliceCosts ComputeCosts(const Distribution& distribution, double failure) {
  const double epsilon = -std::log(distribution.mechanism_theta);
  return {
      .slice_epsilon = epsilon,
      .substitution_epsilon = epsilon * (distribution.signed_counts ? 2 : 1),
      .geometric_rate = -std::log(distribution.geometric_theta),
      .slices = distribution.slices,
      .failure = failure};
}

double WorstDelta(const Distribution& distribution, double epsilon) {
  const ExactGame game(distribution, static_cast<int>(2 * distribution.slices));
  return *game.Delta(std::exp(epsilon));
}

// Every adaptive adversary, both directions: sizes 0 and 1, all orders, all
// counts, slices asked at any time.
TEST(ReorderSliceComputeGameTest, ExactDeltaIsWithinTheBound) {
  struct Setting {
    bool signed_counts;
    std::size_t slices;
    double failure;
  };
  for (const Setting& setting : {Setting{false, 2, 0.3},
                                 {false, 2, 0.1},
                                 {true, 2, 0.3},
                                 {true, 2, 0.1},
                                 {false, 3, 0.3}}) {
    const Distribution distribution{.geometric_theta = 0.9,
                                    .mechanism_theta = 0.5,
                                    .elements = 2,
                                    .slices = setting.slices,
                                    .signed_counts = setting.signed_counts};
    const auto bound = SliceBound(ComputeCosts(distribution, setting.failure));
    ASSERT_TRUE(bound);
    EXPECT_GT(bound->unsync, 0);  // Not the sum of substitutions.
    EXPECT_LE(WorstDelta(distribution, bound->epsilon), setting.failure);
  }
}

TEST(ReorderSliceComputeGameTest, ThreeElementsAreWithinTheBoundAndNotForFree) {
  const Distribution distribution{
      .geometric_theta = 0.9, .mechanism_theta = 0.5, .late_questions = false};
  const auto bound = SliceBound(ComputeCosts(distribution, 0.3));
  ASSERT_TRUE(bound);
  EXPECT_LT(bound->epsilon, std::log(2.0));
  const double exact = WorstDelta(distribution, bound->epsilon);
  EXPECT_LE(exact, 0.3);
  EXPECT_GT(exact, 0.03);
}

TEST(ReorderSliceComputeGameTest, WithoutGeometricSizesTheBoundDoesNotHold) {
  for (const bool signed_counts : {false, true}) {
    const Distribution distribution{.geometric_theta = 0.9,
                                    .mechanism_theta = 0.5,
                                    .elements = 2,
                                    .signed_counts = signed_counts};
    const auto bound = SliceBound(ComputeCosts(distribution, 0.1));
    ASSERT_TRUE(bound);
    Distribution broken = distribution;
    broken.geometric_theta = 0;
    EXPECT_GT(WorstDelta(broken, bound->epsilon), 0.1);
  }
}

}  // namespace
}  // namespace sotto
