#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/testing/game_distribution.h"
#include "sotto/testing/internal/game_search.h"

namespace sotto {

// Exact worst case of a distribution over all adaptive adversaries with
// `horizon` moves.
//
//   SparseVectorDistribution<ExactNumber> test(params);
//   ExactGame game(test, /*horizon=*/10);
//   auto delta = game.Delta(/*exp_epsilon=*/ExactNumber(2));
//   auto attack = game.Attack(ExactNumber(2), Direction::kPOverQ);
//
// Number is double or an exact rational (exact_number.h). With rationals every
// result is exact; with doubles the error of Delta is at most ErrorBound().
// All calls fail with kInvalidArgument where the probabilities of a Step do not
// sum to 1 or are negative, and with kNotConverged above `max_nodes` nodes.
//
// Guarantee: the supremum over all adversaries that play at most `horizon`
//   moves of the distribution, randomized ones included; a lower bound for
//   longer games.
// Proof: exact_game.md.
// Threads: const; every call runs its own search.
template <GameDistribution Distribution>
class ExactGame {
 public:
  using Number = typename Distribution::Number;
  using Context = typename Distribution::Context;
  using Move = typename Distribution::Move;
  using Observation = typename Distribution::Observation;
  static constexpr std::size_t kDefaultMaxNodes = 5'000'000;

  // One line of an attack: moves and observations, and the probability of these
  // observations under these moves in the numerator's and the denominator's
  // world.
  struct Transcript {
    std::vector<std::pair<Move, Observation>> steps;
    Number numerator;
    Number denominator;
  };

  ExactGame(Distribution distribution, int horizon,
            std::size_t max_nodes = kDefaultMaxNodes)
      : distribution_(std::move(distribution)),
        horizon_(horizon),
        max_nodes_(max_nodes) {}

  // sup over adversaries and events of Pr_num[event] - e^epsilon Pr_den[event].
  Result<Number> Delta(const Number& exp_epsilon, Direction direction) const {
    internal::HockeyStick<Number> objective{exp_epsilon};
    internal::Search search(*this, objective, direction);
    const internal::Value<Number> value = search.SolveRoot();
    if (search.error()) return *search.error();
    return *value;
  }

  // The worse of the two directions.
  Result<Number> Delta(const Number& exp_epsilon) const {
    auto forward = Delta(exp_epsilon, Direction::kPOverQ);
    if (!forward) return forward;
    auto backward = Delta(exp_epsilon, Direction::kQOverP);
    if (!backward) return backward;
    return *forward > *backward ? *forward : *backward;
  }

  // The largest likelihood ratio of any transcript: e^epsilon of pure DP.
  // Empty if a transcript is possible in the numerator's world only.
  Result<std::optional<Number>> MaxRatio(Direction direction) const {
    return SolveFor(internal::LikelihoodRatio<Number>{}, direction);
  }

  // sup over adversaries of E_den[(num/den)^order], for integers order >= 2,
  // the Renyi moment e^{(order - 1) D_order}. Empty if infinite.
  Result<std::optional<Number>> Moment(int order, Direction direction) const {
    if (order < 2) return InvalidArgument("the order must be at least 2");
    return SolveFor(internal::RenyiMoment<Number>{order}, direction);
  }

  // The best event of the best adversary, transcript by transcript, the most
  // revealing first. Their numerator - e^epsilon denominator sum to Delta, so
  // the list is a certificate that can be checked without the search.
  Result<std::vector<Transcript>> Attack(const Number& exp_epsilon,
                                         Direction direction) const {
    internal::HockeyStick<Number> objective{exp_epsilon};
    internal::Search search(*this, objective, direction);
    std::vector<Transcript> found = search.Transcripts();
    if (search.error()) return *search.error();
    auto gain = [&](const Transcript& t) {
      return Number(t.numerator - exp_epsilon * t.denominator);
    };
    std::erase_if(found, [&](const Transcript& t) { return !(gain(t) > 0); });
    std::sort(found.begin(), found.end(),
              [&](const auto& x, const auto& y) { return gain(x) > gain(y); });
    return found;
  }

  // Bound on |Delta - exact| for Number = double, given probabilities that are
  // right to 1e-14 relative: exact_game.md, step 5.
  double ErrorBound(double exp_epsilon) const {
    return horizon_ * (1 + exp_epsilon) * 0x1p-41;
  }

  const Distribution& distribution() const { return distribution_; }
  int horizon() const { return horizon_; }
  std::size_t max_nodes() const { return max_nodes_; }

 private:
  template <typename Objective>
  Result<std::optional<Number>> SolveFor(const Objective& objective,
                                         Direction direction) const {
    internal::Search search(*this, objective, direction);
    internal::Value<Number> value = search.SolveRoot();
    if (search.error()) return *search.error();
    return value;
  }

  Distribution distribution_;
  int horizon_;
  std::size_t max_nodes_;
};

}  // namespace sotto
