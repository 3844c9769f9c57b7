#include "sotto/frontend/account_options.h"

#include <cstdint>
#include <optional>

#include "sotto/accounting/rounding.h"
#include "sotto/base/number_text.h"
#include "sotto/frontend/account_mixture.h"

namespace sotto {
namespace {

const OptionTable& NoiseOptions() {
  static const OptionTable kTable = {
      {.name = "mechanism",
       .help = "Mechanism to compose.",
       .words = {"laplace", "discrete-laplace", "gaussian", "discrete-gaussian",
                 "pure", "above-threshold", "between-thresholds", "pop"}},
      {.name = "compose",
       .help = "Instead: several mechanisms, as in "
               "laplace:20*100,gaussian:50*10,pure:0.1,dp:0.5/1e-7 (noise "
               "scales, epsilons; *COUNT).",
       .value = "LIST"},
      {.name = "noise-scale",
       .type = OptionType::kReal,
       .help = "Laplace scale or Gaussian sigma per unit of sensitivity "
               "(discrete: integer queries of sensitivity 1).",
       .above = true},
      {.name = "epsilon-each",
       .type = OptionType::kReal,
       .help = "Epsilon of each `pure` mechanism.",
       .above = true},
      {.name = "compositions",
       .type = OptionType::kWhole,
       .fallback = "1",
       .help = "Number of adaptive compositions, interleaved or not.",
       .low = 1},
      {.name = "reports",
       .type = OptionType::kWhole,
       .help = "Paid outcomes before the halt (threshold tests, pop).",
       .low = 1,
       .high = 0x1p62},
      {.name = "gap",
       .type = OptionType::kWhole,
       .help = "Integers in the middle band (between-thresholds, pop).",
       .low = 1,
       .high = 0x1p62},
      {.name = "stopper",
       .type = OptionType::kReal,
       .help = "Epsilon of the Stopper (pop).",
       .above = true}};
  return kTable;
}

const OptionTable& QuestionOptions() {
  static const OptionTable kTable = {
      {.name = "delta",
       .type = OptionType::kReal,
       .help = "Given delta: compute epsilon.",
       .high = 1},
      {.name = "epsilon",
       .type = OptionType::kReal,
       .help = "Given epsilon: compute delta."},
      {.name = "target-epsilon",
       .type = OptionType::kReal,
       .help = "With --delta: compute the smallest noise for this epsilon.",
       .above = true},
      {.name = "method",
       .help = "Bound to use (threshold tests, pop). Default: the best.",
       .words = {"best", "exact", "renyi"}}};
  return kTable;
}

bool IsPop(AccountMechanism m) { return m == AccountMechanism::kPop; }
bool HasGap(AccountMechanism m) {
  return IsPop(m) || m == AccountMechanism::kBetweenThresholds;
}
bool IsThreshold(AccountMechanism m) {
  return HasGap(m) || m == AccountMechanism::kAboveThreshold;
}

// An option the mechanism needs and lacks, or has and does not take.
Status CheckTaken(const Settings& settings, AccountMechanism m) {
  const bool pure = m == AccountMechanism::kPure;
  const bool solving = settings.Has("target-epsilon");
  if (solving &&
      (settings.Has("noise-scale") || settings.Has("epsilon-each"))) {
    return InvalidArgument(
        "--target-epsilon asks for the noise: leave out --noise-scale and "
        "--epsilon-each");
  }
  struct Rule {
    const char* name;
    bool taken;
    bool needed;
  };
  const bool method = IsThreshold(m) && settings.Has("method");
  for (const Rule& rule :
       {Rule{"noise-scale", !pure && !solving, !pure && !solving},
        Rule{"epsilon-each", pure && !solving, pure && !solving},
        Rule{"reports", IsThreshold(m), IsThreshold(m)},
        Rule{"gap", HasGap(m), HasGap(m)}, Rule{"stopper", IsPop(m), IsPop(m)},
        Rule{"method", IsThreshold(m), method}}) {
    const bool given = settings.Has(rule.name);
    if ((!given || rule.taken) && (given || !rule.needed)) continue;
    return InvalidArgument("--mechanism " + settings.Text("mechanism") +
                           (given ? " does not take --" : " needs --") +
                           rule.name);
  }
  return Ok();
}

Result<AccountQuestion> MakeQuestion(const Settings& settings) {
  SOTTO_TRY_ASSIGN(const auto mechanism,
                   ParseAccountMechanism(settings.Text("mechanism")));
  SOTTO_TRY(CheckTaken(settings, mechanism));
  AccountQuestion question{.mechanism = mechanism,
                           .compositions = settings.GetInt("compositions")};
  question.noise_scale = settings.GetDouble(
      mechanism == AccountMechanism::kPure ? "epsilon-each" : "noise-scale");
  question.reports =
      static_cast<std::int64_t>(settings.GetOptionalInt("reports").value_or(1));
  question.gap = static_cast<std::int64_t>(settings.GetInt("gap"));
  question.stopper = settings.GetDouble("stopper");
  const std::string& method = settings.Text("method");
  if (method == "exact") question.method = AccountMethod::kExact;
  if (method == "renyi") question.method = AccountMethod::kRenyi;
  return question;
}

std::string Describe(const Settings& settings, const AccountAnswer& answer) {
  const bool pure = settings.Text("mechanism") == "pure";
  const auto whole = [&settings](const char* name) {
    return std::to_string(settings.GetInt(name));
  };
  std::string text = settings.Text("mechanism");
  text += pure ? ", epsilon of each " : ", noise scale ";
  text += Shortest(answer.noise_scale);
  if (settings.Has("reports")) text += ", " + whole("reports") + " reports";
  if (settings.Has("gap")) text += ", gap " + whole("gap");
  if (settings.Has("stopper")) {
    text += ", stopper " + Shortest(settings.GetDouble("stopper"));
  }
  if (settings.GetInt("compositions") > 1) {
    text += ", composed " + whole("compositions") + " times";
  }
  return text;
}

}  // namespace

const OptionTable& AccountOptions() {
  static const OptionTable kTable =
      ConcatOptions({NoiseOptions(), QuestionOptions()});
  return kTable;
}

namespace {

Result<AccountAnswer> AskMixture(const Settings& settings) {
  for (const Option& option : AccountOptions()) {
    const std::string_view name = option.name;
    if (name == "compose" || name == "delta" || name == "epsilon") continue;
    if (!settings.SetByUser(name)) continue;
    return InvalidArgument("--compose does not take --" + std::string(name));
  }
  const auto delta = settings.GetOptionalDouble("delta");
  const auto epsilon = settings.GetOptionalDouble("epsilon");
  if (delta.has_value() == epsilon.has_value()) {
    return InvalidArgument(
        "--compose needs --delta for epsilon, or --epsilon for delta");
  }
  const std::string& list = settings.Text("compose");
  return delta ? MixtureEpsilon(list, *delta) : MixtureDelta(list, *epsilon);
}

}  // namespace

Result<AccountAnswer> AskAccount(const Settings& settings) {
  if (settings.Has("compose")) return AskMixture(settings);
  if (!settings.Has("mechanism")) {
    return InvalidArgument("--mechanism is required, or --compose LIST");
  }
  SOTTO_TRY_ASSIGN(const auto question, MakeQuestion(settings));
  const auto delta = settings.GetOptionalDouble("delta");
  const auto epsilon = settings.GetOptionalDouble("epsilon");
  if (const auto target = settings.GetOptionalDouble("target-epsilon")) {
    if (!delta || epsilon) {
      return InvalidArgument(
          "--target-epsilon goes with --delta, not --epsilon");
    }
    return LeastNoiseFor(question, *target, *delta);
  }
  if (delta.has_value() == epsilon.has_value()) {
    return InvalidArgument(
        "give --delta for epsilon, or --epsilon for delta, or "
        "--target-epsilon with --delta for the least noise");
  }
  return delta ? LeastEpsilonFor(question, *delta)
               : LeastDeltaFor(question, *epsilon);
}

Json AccountJson(const Settings& settings, const AccountAnswer& answer) {
  if (settings.Has("compose")) {
    return Json::Object{{"compose", settings.Text("compose")},
                        {"epsilon", answer.epsilon},
                        {"delta", answer.delta},
                        {"method", answer.method}};
  }
  Json report = Json::Object{{"mechanism", settings.Text("mechanism")},
                             {"epsilon", answer.epsilon},
                             {"delta", answer.delta},
                             {"method", answer.method},
                             {"compositions", settings.GetInt("compositions")}};
  const bool pure = settings.Text("mechanism") == "pure";
  report[pure ? "epsilon_each" : "noise_scale"] = answer.noise_scale;
  if (pure && settings.Has("target-epsilon")) {
    report["noise_scale"] = PureNoiseScale(answer);
  }
  for (const char* name : {"reports", "gap"}) {
    if (settings.Has(name)) report[name] = settings.GetInt(name);
  }
  if (settings.Has("stopper"))
    report["stopper"] = settings.GetDouble("stopper");
  return report;
}

std::string AccountSentence(const Settings& settings,
                            const AccountAnswer& answer) {
  const std::string what = settings.Has("compose") ? settings.Text("compose")
                                                   : Describe(settings, answer);
  return what + ": (" + TextUp(answer.epsilon) + ", " + TextUp(answer.delta) +
         ")-" + (settings.Text("mechanism") == "pop" ? "challenge " : "") +
         "differential privacy against adaptive adversaries, rounded against "
         "us.";
}

}  // namespace sotto
