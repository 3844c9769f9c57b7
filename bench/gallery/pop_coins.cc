// CoinGame: how many rewards an adversary gets before its budget is used up.
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/gallery/figures.h"
#include "sotto/audit/games/coin_game.h"
#include "sotto/audit/games/coin_tail.h"
#include "sotto/testing/seeded_rng.h"

namespace sotto::gallery {
namespace {

constexpr std::uint64_t kRounds = 400;

struct AllIn {
  std::optional<CoinChances> Next(const View&) const {
    // 5/6 and 1/6, rounded so that the game allows them.
    return CoinChances{0.83333, 0.166668};
  }
};

FigureCurve Played(std::uint64_t budget, std::size_t most, int games) {
  std::vector<int> above(most + 1, 0);
  testing::SeededRng rng(1);
  View view;
  AllIn adversary;
  for (int i = 0; i < games; ++i) {
    const auto reward =
        PlayCoins({.budget = budget, .rounds = kRounds}, adversary, rng, view);
    for (std::size_t l = 0; reward && l <= most && l < *reward; ++l) ++above[l];
  }
  FigureCurve curve{.name = "played, k = " + std::to_string(budget),
                    .seeds = games,
                    .marks = true};
  for (std::size_t l = 0; l <= most; l += 12) {
    const double share = above[l] / static_cast<double>(games);
    if (above[l] < 10) continue;
    const double spread = std::max(share * (1 - share), 1.0 / games);
    const double error = 5 * std::sqrt(spread / games);
    curve.points.push_back({static_cast<double>(l), share,
                            std::max(share - error, 1e-9), share + error});
  }
  return curve;
}

Figure Make(bool small) {
  Figure figure{"Rewards before the budget is gone (CoinGame)",
                "lambda, rewards", "Pr[more rewards than lambda]", false, true};
  constexpr std::size_t kMost = 300;
  for (const std::uint64_t budget : {3, 10}) {
    const std::string k = ", k = " + std::to_string(budget);
    FigureCurve exact{"best strategy, exact" + k};
    FigureCurve ours{.name = "supermartingale" + k, .dashed = true};
    FigureCurve printed{.name = "Theorem E.1" + k, .dashed = true};
    const std::vector<double> tail =
        BestCoinTail({.budget = budget, .rounds = kRounds}, kMost);
    for (std::size_t l = 0; l <= kMost; l += 4) {
      const auto x = static_cast<double>(l);
      const auto b = static_cast<double>(budget);
      const double theorem = CoinTheorem(b, x);
      if (tail[l] > 1e-8) exact.points.push_back(Exact(x, tail[l]));
      if (const double y = CoinSupermartingale(b, x); y > 1e-8) {
        ours.points.push_back(Exact(x, y));
      }
      if (theorem > 1e-8) printed.points.push_back(Exact(x, theorem));
    }
    figure.curves.push_back(std::move(exact));
    figure.curves.push_back(Played(budget, kMost, small ? 2000 : 100'000));
    figure.curves.push_back(std::move(ours));
    figure.curves.push_back(std::move(printed));
  }
  return figure;
}

Failures Check(const Figure& figure) {
  Failures failures;
  for (const char* k : {", k = 3", ", k = 10"}) {
    const std::string end = k;
    const FigureCurve& exact = Curve(figure, "best strategy, exact" + end);
    for (const FigurePoint& point : exact.points) {
      const double b = end.back() == '3' ? 3 : 10;
      const double ours = CoinSupermartingale(b, point.x);
      Expect(point.y <= ours * (1 + 1e-9), "the supermartingale holds",
             failures);
      Expect(ours <= CoinTheorem(b, point.x) + 1e-9,
             "it is never above Theorem E.1", failures);
    }
    const FigureCurve& played = Curve(figure, "played" + end);
    Expect(played.points.size() >= 3, "games were played", failures);
    for (const FigurePoint& point : played.points) {
      const double truth = At(exact, point.x);
      Expect(point.low <= truth && truth <= point.high,
             "plays agree with the exact tail", failures);
    }
    // Where the exact tail is 1e-3, E.1 still says nothing.
    for (const FigurePoint& point : exact.points) {
      if (point.y < 1e-3) {
        Expect(At(Curve(figure, "Theorem E.1" + end), point.x) == 1,
               "E.1 is loose", failures);
        break;
      }
    }
  }
  return failures;
}

}  // namespace

GalleryEntry PopCoins() {
  return {
      "pop-coins",
      "[POP] Algorithm 12, Theorem E.1",
      "POP's bound on paid answers comes from a game: in each round an "
      "adversary sets the chances of a reward (at most 5/6) and of a loss "
      "(at least a fifth of that), and stops earning after k losses. The "
      "exact tail of the best strategy, 400 rounds, by dynamic programming; "
      "games that were played; the paper's bound and the best exponential "
      "supermartingale.",
      Make,
      "The theorem holds and is loose: where it begins to say something, "
      "the true probability is below 1e-3. The supermartingale, which we "
      "ship, is nearer.",
      Check};
}

}  // namespace sotto::gallery
