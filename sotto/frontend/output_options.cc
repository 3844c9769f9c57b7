#include "sotto/frontend/output_options.h"

namespace sotto {
namespace {

constexpr const char* kState = "State";
constexpr const char* kOutput = "Output";

}  // namespace

const Option& ReplaceOption() {
  static const Option kOption = {
      .name = "replace",
      .type = OptionType::kFlag,
      .help = "Let --save overwrite a file that is not the state of --load.",
      .group = kState,
      .kept = false};
  return kOption;
}

const OptionTable& StateOptions() {
  static const OptionTable kTable = {
      {.name = "save",
       .help = "Save the state here: before the first answer, regularly, and "
               "at the end. It holds a secret key.",
       .value = "FILE",
       .group = kState,
       .common = true,
       .kept = false},
      {.name = "save-every",
       .type = OptionType::kWhole,
       .fallback = "0",
       .help = "Save after every N rounds. 1: before each prediction leaves. "
               "0: about once a second. With --live: lines per commit of the "
               "journal; 0: all that have arrived.",
       .group = kState,
       .kept = false},
      {.name = "load",
       .help = "Resume from a saved state. Resume each state once: a second "
               "resume spends the budget again.",
       .value = "FILE",
       .group = kState,
       .common = true,
       .kept = false},
      ReplaceOption(),
      {.name = "seed",
       .type = OptionType::kWhole,
       .help = "NOT PRIVATE: reproducible noise for experiments.",
       .group = kState,
       .kept = false}};
  return kTable;
}

const OptionTable& OutputOptions() {
  static const OptionTable kTable = {
      {.name = "live",
       .type = OptionType::kFlag,
       .help = "Read and write JSON lines instead of --data: predict now, "
               "label later, by ticket.",
       .group = kOutput,
       .kept = false},
      {.name = "predictions",
       .help = "Write one line per round, each for its own user only; empty if "
               "there was no prediction.",
       .value = "FILE",
       .group = kOutput,
       .common = true,
       .letter = 'p',
       .kept = false},
      {.name = "probabilities",
       .type = OptionType::kFlag,
       .help =
           "Write a probability with each prediction, if the model has one.",
       .group = kOutput,
       .kept = false},
      {.name = "report",
       .help = "Write an HTML report with plots.",
       .value = "FILE",
       .group = kOutput,
       .common = true,
       .kept = false},
      {.name = "table-every",
       .fallback = "2.0",
       .help = "Print progress every N rounds, or at each growth by a factor "
               "with a point, such as 2.0.",
       .group = kOutput,
       .letter = 'P',
       .kept = false},
      {.name = "json",
       .type = OptionType::kFlag,
       .help = "Print a JSON report instead of text.",
       .group = kOutput,
       .common = true,
       .kept = false},
      {.name = "quiet",
       .type = OptionType::kFlag,
       .help = "Print no text.",
       .group = kOutput,
       .kept = false},
      {.name = "progress",
       .type = OptionType::kFlag,
       .help = "Show progress even if standard error is not a terminal.",
       .group = kOutput,
       .kept = false}};
  return kTable;
}

const OptionTable& HypothesisOption() {
  static const OptionTable kTable = {
      {.name = "publish",
       .alias = "hypothesis",
       .help = "Write the published model, as JSON.",
       .value = "FILE",
       .group = kOutput,
       .common = true,
       .kept = false}};
  return kTable;
}

}  // namespace sotto
