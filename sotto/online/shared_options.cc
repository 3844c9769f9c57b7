#include "sotto/online/shared_options.h"

namespace sotto {

const OptionTable& PrivacyOptions() {
  static const OptionTable kTable = {
      {.name = "epsilon",
       .type = OptionType::kReal,
       .help = "Privacy budget per user. Smaller is more private.",
       .above = true,
       .group = "Privacy",
       .common = true,
       .required = true},
      {.name = "delta",
       .type = OptionType::kReal,
       .fallback = "0",
       .help = "Additive slack of the guarantee. Use far less than 1/users.",
       .high = 0.5,
       .group = "Privacy",
       .common = true},
      {.name = "relation",
       .fallback = "replace",
       .help = "Neighbouring streams differ in one user's round: replace "
               "(other data or empty) or add-remove (data or empty, also "
               "called zero-out).",
       .words = {"replace", "add-remove"},
       .group = "Privacy"},
      {.name = "rounds-per-user",
       .type = OptionType::kWhole,
       .fallback = "1",
       .help = "Limit per user; extra rounds are empty.",
       .low = 1,
       .group = "Privacy",
       .common = true},
      {.name = "calibration",
       .fallback = "practical",
       .help = "Constants: practical, or the paper's for comparison.",
       .words = {"practical", "paper"},
       .group = "Privacy"}};
  return kTable;
}

const OptionTable& StreamOptions() {
  static const OptionTable kTable = {
      {.name = "horizon",
       .type = OptionType::kWhole,
       .help = "Expected number of rounds. Tunes accuracy; does not affect the "
               "guarantee.",
       .high = 1e18,
       .group = "Stream",
       .common = true},
      {.name = "label-delay",
       .type = OptionType::kWhole,
       .fallback = "0",
       .help = "Teach a row's label after N further rows.",
       .high = 1e12,
       .group = "Stream"},
      {.name = "label-rate",
       .type = OptionType::kReal,
       .fallback = "1",
       .help = "Public estimate of the fraction of rounds that get a label.",
       .high = 1,
       .above = true,
       .group = "Stream"},
      {.name = "label-noise",
       .alias = "noise",
       .type = OptionType::kReal,
       .help = "Public estimate of the fraction of wrong labels.",
       .high = 0.5,
       .group = "Stream"},
      {.name = "force",
       .alias = "anyway",
       .type = OptionType::kFlag,
       .help = "Run although the plan says hopeless. Does not weaken privacy.",
       .group = "Stream"}};
  return kTable;
}

}  // namespace sotto
