#include "audit_coins.h"

#include "command.h"
#include "sotto/audit/coin_audit.h"

namespace sotto::app {
namespace {

const OptionTable& CoinOptions() {
  static const OptionTable kTable = {
      {.name = "runs",
       .type = OptionType::kWhole,
       .fallback = "100000",
       .help = "Games of each strategy.",
       .low = 256,
       .high = 1e9},
      {.name = "budget",
       .type = OptionType::kWhole,
       .fallback = "3",
       .help = "Losses after which nothing is earned (k).",
       .high = 1000},
      {.name = "rounds",
       .type = OptionType::kWhole,
       .fallback = "400",
       .help = "Rounds per game (m).",
       .low = 1,
       .high = 1e6},
      {.name = "seed",
       .type = OptionType::kWhole,
       .fallback = "1",
       .help = "Choose the games. The same seed gives the same report."},
      {.name = "json",
       .type = OptionType::kFlag,
       .help = "Print a JSON report."}};
  return kTable;
}

int RunCoins(const Settings& settings) {
  const auto result = AuditCoins({.game = {.budget = settings.GetInt("budget"),
                                           .rounds = settings.GetInt("rounds")},
                                  .runs = settings.GetInt("runs"),
                                  .seed = settings.GetInt("seed")});
  if (!result) return Report(result.error());
  Print(settings.Flag("json") ? CoinJson(*result).Dump() + "\n"
                              : CoinText(*result));
  return result->violation() ? kFailed : kDone;
}

}  // namespace

Command AuditCoinsCommand() {
  return {.name = "coins",
          .help =
              "CoinGame, which bounds POP's paid answers: its tail beside "
              "Theorem E.1",
          .footer =
              "There is no secret, so there is no epsilon, and `all` leaves it "
              "out.\nExit code 1: a strategy earns more than the theorem "
              "allows.\nExample:\n  sotto audit coins --budget 10 --runs "
              "20000",
          .options = CoinOptions(),
          .call = RunCoins};
}

}  // namespace sotto::app
