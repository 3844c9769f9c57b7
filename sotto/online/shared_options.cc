#include "sotto/online/shared_options.h"

namespace sotto {

const OptionTable& PrivacyOptions() {
  static const OptionTable kTable = {
      {.name = "epsilon",
       .type = OptionType::kReal,
       .help = "the privacy parameter",
       .above = true,
       .group = "Privacy",
       .required = true},
      {.name = "delta",
       .type = OptionType::kReal,
       .fallback = "0",
       .help = "additive slack of the guarantee; use far less than 1 / users",
       .high = 0.5,
       .group = "Privacy"},
      {.name = "relation",
       .fallback = "replace",
       .help = "neighbours: replace a user's round by another, or by an empty "
               "one; add-remove: the round is empty, in its place, in one of "
               "the worlds",
       .words = {"replace", "add-remove"},
       .group = "Privacy"},
      {.name = "rounds-per-user",
       .type = OptionType::kWhole,
       .fallback = "1",
       .help = "how many rounds one user may take; further ones are empty",
       .low = 1,
       .group = "Privacy"},
      {.name = "calibration",
       .fallback = "practical",
       .help = "practical, or the paper's constants for comparison",
       .words = {"practical", "paper"},
       .group = "Privacy"}};
  return kTable;
}

const OptionTable& StreamOptions() {
  static const OptionTable kTable = {
      {.name = "horizon",
       .type = OptionType::kWhole,
       .help = "about how many rounds there will be: the plan is made for it, "
               "the guarantee does not depend on it",
       .high = 1e18},
      {.name = "label-delay",
       .type = OptionType::kWhole,
       .fallback = "0",
       .help = "a row's label is taught after so many further rows",
       .high = 1e12},
      {.name = "label-rate",
       .type = OptionType::kReal,
       .fallback = "1",
       .help = "the share of rounds whose label comes, as far as is publicly "
               "known: the plan is made for it",
       .high = 1,
       .above = true},
      {.name = "noise",
       .type = OptionType::kReal,
       .help = "the share of labels that even the best rule would get wrong, "
               "as far as is publicly known: the plan counts with it",
       .high = 0.5},
      {.name = "anyway",
       .type = OptionType::kFlag,
       .help = "start a run that would be refused as useless, not as unsafe, "
               "and do not warn of one"}};
  return kTable;
}

}  // namespace sotto
