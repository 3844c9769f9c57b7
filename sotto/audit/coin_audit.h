#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sotto/audit/games/coin_game.h"
#include "sotto/base/json.h"
#include "sotto/base/result.h"

namespace sotto {

// Plays [POP] Algorithm 12, which has no privacy and one world, and compares
// the tail of the rewards with Theorem E.1 and with the best strategy's, which
// is computed.
//
//   auto result = AuditCoins({.game = {.budget = 3, .rounds = 400}});
//   if (result && result->violation()) ...
//
// Guarantee: if the theorem holds, violation() is true with probability at
//            most kFalseAlarm (audit.h): exact bounds, shared by all rows.
// Threads:   pure functions.
struct CoinAuditOptions {
  CoinGame game = {.budget = 3, .rounds = 400};
  std::uint64_t runs = 100'000;
  std::uint64_t seed = 1;
};

struct CoinRow {
  std::string adversary;
  std::uint64_t rewards = 0;  // lambda
  std::uint64_t hits = 0;     // games with more
  double theorem = 1;
  double best = 0;  // of the best strategy, exactly
  bool above_theorem = false;
  bool above_best = false;  // the games and the computed tail disagree
};

struct CoinAuditResult {
  CoinAuditOptions options;
  std::vector<CoinRow> rows;

  bool violation() const;
};

// Names of the strategies that are played.
const std::vector<std::string>& CoinAdversaries();

// Fails with kInvalidArgument for a game without rounds or games, or one that
// takes too long to compute.
Result<CoinAuditResult> AuditCoins(const CoinAuditOptions& options);

// "consistent" or "violation".
std::string CoinVerdict(const CoinAuditResult& result);
Json CoinJson(const CoinAuditResult& result);
std::string CoinText(const CoinAuditResult& result);

}  // namespace sotto
