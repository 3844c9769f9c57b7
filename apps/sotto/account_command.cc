#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "command.h"
#include "sotto/accounting/account.h"
#include "sotto/accounting/rounding.h"

namespace sotto::app {
namespace {

// The flags as given; what was not given stays empty, so that a flag that does
// not belong to the mechanism is refused and not ignored.
struct AccountFlags {
  std::string mechanism;
  std::optional<std::string> method;
  std::optional<double> noise_scale;
  std::optional<double> epsilon_each;
  std::uint64_t compositions = 1;
  std::optional<std::int64_t> reports;
  std::optional<std::int64_t> gap;
  std::optional<double> stopper;
  std::optional<double> epsilon;
  std::optional<double> delta;
  std::optional<double> target_epsilon;
  bool json = false;
};

bool IsPop(AccountMechanism m) { return m == AccountMechanism::kPop; }
bool HasGap(AccountMechanism m) {
  return IsPop(m) || m == AccountMechanism::kBetweenThresholds;
}
bool IsThreshold(AccountMechanism m) {
  return HasGap(m) || m == AccountMechanism::kAboveThreshold;
}

// A flag the mechanism needs and lacks, or has and does not take.
std::optional<Error> Misplaced(const AccountFlags& flags, const char* flag,
                               bool given, bool wanted) {
  if (given == wanted) return std::nullopt;
  return InvalidArgument("--mechanism " + flags.mechanism +
                         (wanted ? " needs " : " does not take ") + flag);
}

Result<AccountQuestion> QuestionOf(const AccountFlags& flags) {
  const auto mechanism = ParseAccountMechanism(flags.mechanism);
  if (!mechanism) return mechanism.error();
  const AccountMechanism m = *mechanism;
  const bool pure = m == AccountMechanism::kPure;
  const bool solving = flags.target_epsilon.has_value();
  for (const auto& error :
       {Misplaced(flags, "--noise-scale", flags.noise_scale.has_value(),
                  !pure && !solving),
        Misplaced(flags, "--epsilon-each", flags.epsilon_each.has_value(),
                  pure && !solving),
        Misplaced(flags, "--reports", flags.reports.has_value(),
                  IsThreshold(m)),
        Misplaced(flags, "--gap", flags.gap.has_value(), HasGap(m)),
        Misplaced(flags, "--stopper", flags.stopper.has_value(), IsPop(m)),
        Misplaced(flags, "--method", flags.method.has_value(),
                  flags.method.has_value() && IsThreshold(m))}) {
    if (!error) continue;
    const bool noise_flag =
        solving && (flags.noise_scale || flags.epsilon_each);
    return noise_flag ? InvalidArgument(
                            "--target-epsilon asks for the noise: leave out "
                            "--noise-scale and --epsilon-each")
                      : *error;
  }
  AccountQuestion question{.mechanism = m, .compositions = flags.compositions};
  question.noise_scale =
      pure ? flags.epsilon_each.value_or(0) : flags.noise_scale.value_or(0);
  question.reports = flags.reports.value_or(1);
  question.gap = flags.gap.value_or(0);
  question.stopper = flags.stopper.value_or(0);
  if (flags.method == "exact") question.method = AccountMethod::kExact;
  if (flags.method == "renyi") question.method = AccountMethod::kRenyi;
  return question;
}

Result<AccountAnswer> Ask(const AccountFlags& flags,
                          const AccountQuestion& question) {
  if (flags.target_epsilon) {
    if (!flags.delta || flags.epsilon) {
      return InvalidArgument(
          "--target-epsilon goes with --delta, not --epsilon");
    }
    return LeastNoiseFor(question, *flags.target_epsilon, *flags.delta);
  }
  if (flags.delta.has_value() == flags.epsilon.has_value()) {
    return InvalidArgument(
        "give --delta for epsilon, or --epsilon for delta, or "
        "--target-epsilon with --delta for the least noise");
  }
  return flags.delta ? LeastEpsilonFor(question, *flags.delta)
                     : LeastDeltaFor(question, *flags.epsilon);
}

void PrintJson(const AccountFlags& flags, const AccountAnswer& answer) {
  nlohmann::ordered_json report = {{"mechanism", flags.mechanism},
                                   {"epsilon", answer.epsilon},
                                   {"delta", answer.delta},
                                   {"method", answer.method},
                                   {"compositions", flags.compositions}};
  const bool pure = flags.mechanism == "pure";
  report[pure ? "epsilon_each" : "noise_scale"] = answer.noise_scale;
  if (pure && flags.target_epsilon) {
    report["noise_scale"] = 1 / answer.noise_scale;
  }
  if (flags.reports) report["reports"] = *flags.reports;
  if (flags.gap) report["gap"] = *flags.gap;
  if (flags.stopper) report["stopper"] = *flags.stopper;
  std::printf("%s\n", report.dump().c_str());
}

std::string Describe(const AccountFlags& flags, const AccountAnswer& answer) {
  const bool pure = flags.mechanism == "pure";
  std::string text = flags.mechanism;
  text += pure ? ", epsilon of each " : ", noise scale ";
  text += Exact(answer.noise_scale);
  if (flags.reports) text += ", " + std::to_string(*flags.reports) + " reports";
  if (flags.gap) text += ", gap " + std::to_string(*flags.gap);
  if (flags.stopper) text += ", stopper " + Exact(*flags.stopper);
  if (flags.compositions > 1) {
    text += ", composed " + std::to_string(flags.compositions) + " times";
  }
  return text;
}

void PrintText(const AccountFlags& flags, const AccountAnswer& answer) {
  const bool pure = flags.mechanism == "pure";
  const auto row = [](const char* name, double value) {
    std::printf("%-13s %s\n", name, Exact(value).c_str());
  };
  if (flags.target_epsilon) {
    row(pure ? "epsilon each" : "noise scale", answer.noise_scale);
  }
  row("epsilon", answer.epsilon);
  row("delta", answer.delta);
  std::printf("%-13s %s\n", "method", answer.method.c_str());
  std::printf(
      "%s: (%s, %s)-%sdifferential privacy against adaptive adversaries, "
      "rounded against us.\n",
      Describe(flags, answer).c_str(), TextUp(answer.epsilon).c_str(),
      TextUp(answer.delta).c_str(),
      flags.mechanism == "pop" ? "challenge " : "");
}

int RunAccount(const AccountFlags& flags) {
  const auto question = QuestionOf(flags);
  if (!question) return Report(question.error());
  const auto answer = Ask(flags, *question);
  if (!answer) return Report(answer.error());
  flags.json ? PrintJson(flags, *answer) : PrintText(flags, *answer);
  return kDone;
}

constexpr const char* kFooter =
    "Give --delta to get epsilon, --epsilon to get delta, --target-epsilon "
    "with "
    "--delta to get the least noise.\n"
    "Examples:\n"
    "  sotto account --mechanism gaussian --noise-scale 50 --compositions 1000 "
    "--delta 1e-6\n"
    "  sotto account --mechanism above-threshold --reports 100 "
    "--target-epsilon 1 --delta 1e-6\n"
    "  sotto account --mechanism pop --noise-scale 205 --reports 413 "
    "--gap 205 --stopper 0.15 --delta 1e-6";

}  // namespace

void AddAccountCommand(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "account",
      "The tight (epsilon, delta) of a composition, or the least "
      "noise for a target, before anything runs");
  command->footer(kFooter);
  auto flags = std::make_shared<AccountFlags>();
  command
      ->add_option("--mechanism", flags->mechanism,
                   "laplace, discrete-laplace, gaussian, discrete-gaussian, "
                   "pure, above-threshold, between-thresholds or pop")
      ->required();
  command->add_option("--noise-scale", flags->noise_scale,
                      "Laplace scale or Gaussian sigma, per unit of "
                      "sensitivity (discrete mechanisms: integer queries of "
                      "sensitivity 1)");
  command->add_option("--epsilon-each", flags->epsilon_each,
                      "pure: the epsilon of each mechanism");
  AllowScientific(
      *command
           ->add_option("--compositions", flags->compositions,
                        "how many of them, adaptively, interleaved or not")
           ->capture_default_str());
  AllowScientific(*command->add_option(
      "--reports", flags->reports,
      "threshold tests, pop: charged outcomes before the halt"));
  command->add_option("--gap", flags->gap,
                      "between-thresholds, pop: integers in the middle band");
  command->add_option("--stopper", flags->stopper,
                      "pop: the epsilon of the Stopper");
  command->add_option("--delta", flags->delta, "asks for epsilon");
  command->add_option("--epsilon", flags->epsilon, "asks for delta");
  command->add_option("--target-epsilon", flags->target_epsilon,
                      "with --delta, asks for the least noise");
  command
      ->add_option("--method", flags->method,
                   "threshold tests, pop: best (the default), exact or renyi")
      ->check(CLI::IsMember({"best", "exact", "renyi"}));
  command->add_flag("--json", flags->json, "a JSON report");
  command->callback([flags, &exit_code] { exit_code = RunAccount(*flags); });
}

}  // namespace sotto::app
