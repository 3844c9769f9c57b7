#include <cstdio>
#include <string>

#include "command.h"
#include "commands.h"
#include "sotto/base/number_text.h"
#include "sotto/frontend/account_options.h"

namespace sotto::app {
namespace {

const OptionTable& CommandOptions() {
  static const OptionTable kPrint = {{.name = "json",
                                      .type = OptionType::kFlag,
                                      .help = "Print a JSON report."}};
  static const OptionTable kTable = ConcatOptions({AccountOptions(), kPrint});
  return kTable;
}

void PrintText(const Settings& settings, const AccountAnswer& answer) {
  const std::string& mechanism = settings.Text("mechanism");
  const auto row = [](const char* name, double value) {
    std::printf("%-13s %s\n", name, Shortest(value).c_str());
  };
  if (settings.Has("target-epsilon")) {
    row(mechanism == "pure" ? "epsilon each" : "noise scale",
        answer.noise_scale);
  }
  row("epsilon", answer.epsilon);
  row("delta", answer.delta);
  std::printf("%-13s %s\n", "method", answer.method.c_str());
  std::printf("%s\n", AccountSentence(settings, answer).c_str());
}

int RunAccount(const Settings& settings) {
  const auto answer = AskAccount(settings);
  if (!answer) return Report(answer.error());
  if (settings.Flag("json")) {
    Print(AccountJson(settings, *answer));
  } else {
    PrintText(settings, *answer);
  }
  return kDone;
}

}  // namespace

Command AccountCommand() {
  return {.name = "account",
          .help =
              "Compute the privacy cost of a composition, or the noise for a "
              "target",
          .footer =
              "Give --delta to get epsilon, --epsilon to get delta, "
              "--target-epsilon with --delta to get the least noise.\n"
              "Examples:\n"
              "  sotto account --mechanism gaussian --noise-scale 50 "
              "--compositions 1000 --delta 1e-6\n"
              "  sotto account --mechanism above-threshold --reports 100 "
              "--target-epsilon 1 --delta 1e-6\n"
              "  sotto account --compose laplace:20*100,gaussian:50*10 --delta "
              "1e-6\n"
              "  sotto account --mechanism pop --noise-scale 205 --reports 413 "
              "--gap 205 --stopper 0.15 --delta 1e-6",
          .options = CommandOptions(),
          .call = RunAccount};
}

}  // namespace sotto::app
