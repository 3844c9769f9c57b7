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
        "0: pure mechanisms only; what the samplers lack of their law is "
        "stated at the end";
  }
  table[2].help = "how many records one user may have";
  table.push_back({.name = "seed",
                   .type = OptionType::kWhole,
                   .help = "experiments only: noise that anyone can recompute",
                   .group = "Privacy",
                   .kept = false});
  return table;
}

const OptionTable& LineStateOptions() {
  static const OptionTable kTable = {
      {.name = "save",
       .help = "keep the state here: before the first answer, as the run goes "
               "and at its end; it holds a secret key and the data so far",
       .group = "State",
       .kept = false},
      {.name = "save-every",
       .type = OptionType::kWhole,
       .help = "after so many answers; with 1 no answer is out that the state "
               "does not know; left out: about once a second",
       .low = 1,
       .group = "State",
       .kept = false},
      {.name = "load",
       .help = "go on from a saved state, with its settings; each continuation "
               "with other data spends the guarantee again",
       .group = "State",
       .kept = false},
      ReplaceOption()};
  return kTable;
}

const OptionTable& PrintOptions() {
  static const OptionTable kTable = {
      {.name = "json",
       .type = OptionType::kFlag,
       .help = "a JSON object a line",
       .kept = false},
      {.name = "quiet",
       .type = OptionType::kFlag,
       .help = "no statement on standard error",
       .kept = false},
      {.name = "progress",
       .type = OptionType::kFlag,
       .help = "a progress line although standard error is no terminal",
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
