#include "sotto/frontend/line_options.h"

#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/rounding.h"
#include "sotto/base/number_text.h"
#include "sotto/frontend/output_options.h"
#include "sotto/online/shared_options.h"

namespace sotto {
namespace {

OptionTable Privacy(bool delta_required) {
  OptionTable table;
  for (const char* name : {"epsilon", "delta", "rounds-per-user"}) {
    table.push_back(*FindOption(PrivacyOptions(), name));
  }
  Option& delta = table[1];
  if (delta_required) {
    delta.required = true;
    delta.fallback = "";
    delta.above = true;
  } else {
    delta.help =
        "Additive slack of the guarantee. 0: pure mechanisms only; the "
        "samplers' slack is stated at the end.";
  }
  table[2].help = "Maximum number of records per user.";
  table.push_back({.name = "seed",
                   .type = OptionType::kWhole,
                   .help = "NOT PRIVATE: reproducible noise for experiments.",
                   .group = "Privacy",
                   .kept = false});
  return table;
}

const OptionTable& LineStateOptions() {
  static const OptionTable kTable = {
      {.name = "save",
       .help = "Save the state here: before the first answer, regularly, and "
               "at the end. It holds a secret key.",
       .value = "FILE",
       .group = "State",
       .common = true,
       .kept = false},
      {.name = "save-every",
       .type = OptionType::kWhole,
       .help = "Save after every N answers. 1: before each answer leaves. "
               "Default: about once a second.",
       .low = 1,
       .group = "State",
       .kept = false},
      {.name = "load",
       .help = "Resume from a saved state. Resume each state once: a second "
               "resume spends the budget again.",
       .value = "FILE",
       .group = "State",
       .common = true,
       .kept = false},
      ReplaceOption()};
  return kTable;
}

const OptionTable& PrintOptions() {
  static const OptionTable kTable = {
      {.name = "json",
       .type = OptionType::kFlag,
       .help = "Print one JSON object per line.",
       .common = true,
       .kept = false},
      {.name = "quiet",
       .type = OptionType::kFlag,
       .help = "Print no privacy statement on standard error.",
       .kept = false},
      {.name = "progress",
       .type = OptionType::kFlag,
       .help = "Show progress even if standard error is not a terminal.",
       .kept = false}};
  return kTable;
}

}  // namespace

OptionTable LineOptions(const OptionTable& more, bool delta_required) {
  return ConcatOptions(
      {Privacy(delta_required), more, LineStateOptions(), PrintOptions()});
}

Result<ApproximateDp> PerRound(const Settings& settings) {
  const ApproximateDp user{settings.GetDouble("epsilon"),
                           settings.GetDouble("delta")};
  const std::uint64_t rounds = settings.GetInt("rounds-per-user");
  return rounds == 1 ? Result<ApproximateDp>(user)
                     : PerRoundTarget(user, rounds);
}

Error Explain(const Settings& settings, const ApproximateDp& each,
              Error error) {
  const double asked = settings.GetDouble("epsilon");
  if (each.epsilon == asked) return error;
  error.message += " (of the epsilon asked for, " + Shortest(asked) +
                   ", one record gets " + Shortest(each.epsilon) + ")";
  return error;
}

Status CheckPromise(const Settings& settings, const Guarantee& guarantee) {
  const double delta = settings.GetDouble("delta");
  if (delta == 0 || settings.GetInt("rounds-per-user") > 1) return Ok();
  if (guarantee.delta() <= delta) return Ok();
  return InvalidArgument("--delta " + Shortest(delta) +
                         " cannot be kept: the samplers alone need " +
                         TextUp(guarantee.delta()));
}

}  // namespace sotto
