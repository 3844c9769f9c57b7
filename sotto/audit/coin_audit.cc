#include "sotto/audit/coin_audit.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <utility>

#include "sotto/audit/audit.h"
#include "sotto/audit/games/coin_tail.h"
#include "sotto/audit/random_key.h"
#include "sotto/audit/statistics/confidence.h"
#include "sotto/base/number_text.h"
#include "sotto/random/chacha_rng.h"

namespace sotto {
namespace {

constexpr std::size_t kTails = 12;  // rows of a strategy
constexpr std::uint64_t kMostSteps = 200'000'000;

// Everything in every round; less in every round; everything after a reward
// and little after a loss.
struct Strategy {
  enum class Kind : std::uint8_t { kAllIn, kHalf, kFollows };
  Kind kind = Kind::kAllIn;

  std::optional<CoinChances> Next(const View& view) const {
    // 5/6 and 1/6, rounded so that the game allows them.
    constexpr CoinChances kAll{0.83333, 0.166668};
    constexpr CoinChances kLess{0.5, 0.1};
    constexpr CoinChances kLittle{0.05, 0.01};
    if (kind == Kind::kHalf) return kLess;
    const bool lost = !view.seen.empty() && view.seen.back() == 2;
    return kind == Kind::kFollows && lost ? kLittle : kAll;
  }
};
constexpr std::array kKinds = {Strategy::Kind::kAllIn, Strategy::Kind::kHalf,
                               Strategy::Kind::kFollows};

// How many games had more than l rewards, for l = 0, ..., most.
Result<std::vector<std::uint64_t>> PlayTail(const CoinAuditOptions& options,
                                            std::size_t kind,
                                            std::size_t most) {
  ChaChaRng rng(KnownKey().Derive("audit", "coins", {options.seed, kind}));
  std::vector<std::uint64_t> games(most + 2, 0);  // by reward
  View view;
  for (std::uint64_t i = 0; i < options.runs; ++i) {
    Strategy strategy{kKinds[kind]};
    SOTTO_TRY_ASSIGN(const auto reward,
                     PlayCoins(options.game, strategy, rng, view));
    ++games[std::min<std::uint64_t>(reward, most + 1)];
  }
  std::vector<std::uint64_t> above(most + 1, 0);
  std::uint64_t sum = 0;
  for (std::size_t l = most + 1; l-- > 0;) above[l] = sum += games[l + 1];
  return above;
}

// The largest number of rewards of a row: there the theorem is at 1e-6, or
// every round was one.
std::size_t MostRewards(const CoinGame& game) {
  std::size_t most = 0;
  while (most < game.rounds &&
         CoinTheorem(static_cast<double>(game.budget),
                     static_cast<double>(most)) > kFalseAlarm) {
    ++most;
  }
  return most;
}

CoinRow MakeRow(const CoinAuditOptions& options, std::size_t kind,
                std::uint64_t rewards, std::uint64_t hits, double best) {
  constexpr double kAlpha = kFalseAlarm / (2 * kTails * kKinds.size());
  const double least = ClopperPearsonLower(hits, options.runs, kAlpha);
  CoinRow row{.adversary = CoinAdversaries()[kind],
              .rewards = rewards,
              .hits = hits,
              .theorem = CoinTheorem(static_cast<double>(options.game.budget),
                                     static_cast<double>(rewards)),
              .best = best};
  row.above_theorem = least > row.theorem;
  row.above_best = least > best;
  return row;
}

Status CheckOptions(const CoinAuditOptions& options) {
  if (options.runs == 0 || options.game.rounds == 0) {
    return InvalidArgument("a game has at least one round, and one is played");
  }
  const std::uint64_t cells =
      (options.game.budget + 1) *
      (static_cast<std::uint64_t>(MostRewards(options.game)) + 2);
  if (cells <= kMostSteps / options.game.rounds) return Ok();
  return InvalidArgument(
      "the best strategy of " + std::to_string(options.game.rounds) +
      " rounds and a budget of " + std::to_string(options.game.budget) +
      " takes too long to compute; ask for less");
}

}  // namespace

const std::vector<std::string>& CoinAdversaries() {
  static const std::vector<std::string> kNames = {"all-in", "half", "follows"};
  return kNames;
}

bool CoinAuditResult::violation() const {
  return std::ranges::any_of(rows, [](const CoinRow& row) {
    return row.above_theorem || row.above_best || row.best > row.theorem;
  });
}

Result<CoinAuditResult> AuditCoins(const CoinAuditOptions& options) {
  SOTTO_TRY(CheckOptions(options));
  CoinAuditResult result{options, {}};
  const std::size_t most = MostRewards(options.game);
  const std::vector<double> best = BestCoinTail(options.game, most);
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    SOTTO_TRY_ASSIGN(const auto above, PlayTail(options, kind, most));
    for (std::size_t i = 0; i < kTails; ++i) {
      const std::size_t l = most * i / (kTails - 1);
      result.rows.push_back(MakeRow(options, kind, l, above[l], best[l]));
    }
  }
  return result;
}

std::string CoinVerdict(const CoinAuditResult& result) {
  return result.violation() ? "violation" : "consistent";
}

Json CoinJson(const CoinAuditResult& result) {
  Json::Array rows;
  for (const CoinRow& row : result.rows) {
    rows.push_back(Json::Object{{"adversary", row.adversary},
                                {"rewards", row.rewards},
                                {"hits", row.hits},
                                {"best_strategy", row.best},
                                {"theorem", row.theorem},
                                {"above_theorem", row.above_theorem}});
  }
  return Json::Object{{"target", "coins"},
                      {"game", "CoinGame"},
                      {"runs", result.options.runs},
                      {"rounds", result.options.game.rounds},
                      {"budget", result.options.game.budget},
                      {"seed", result.options.seed},
                      {"epsilon_lower", Json()},
                      {"verdict", CoinVerdict(result)},
                      {"false_alarm", kFalseAlarm},
                      {"tails", std::move(rows)}};
}

std::string CoinText(const CoinAuditResult& result) {
  const CoinAuditOptions& options = result.options;
  std::string text =
      "Audit of coins: " + CoinVerdict(result) + "\n\n" +
      WithCommas(options.runs) + " games of " +
      WithCommas(options.game.rounds) +
      " rounds for each strategy, a budget "
      "of " +
      WithCommas(options.game.budget) +
      " losses. Probability of more rewards:\n\n"
      "strategy  rewards >    played  best strategy  Theorem E.1\n";
  for (const CoinRow& row : result.rows) {
    char line[128];
    std::snprintf(
        line, sizeof line, "%-8s %10llu %9.3g %14.3g %12.3g%s\n",
        row.adversary.c_str(), static_cast<unsigned long long>(row.rewards),
        static_cast<double>(row.hits) / static_cast<double>(options.runs),
        row.best, row.theorem, row.above_theorem ? "  above" : "");
    text += line;
  }
  return text + "\n" +
         (result.violation()
              ? "The theorem does not hold, or the game is not played by its "
                "rules.\n"
              : "No strategy earns more than the theorem allows. The game has "
                "no secret: it bounds POP's paid answers, and has no "
                "epsilon.\n");
}

}  // namespace sotto
