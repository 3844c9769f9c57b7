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
      .help = "--save may overwrite a file that is not the state of --load",
      .group = kState,
      .kept = false};
  return kOption;
}

const OptionTable& StateOptions() {
  static const OptionTable kTable = {
      {.name = "save",
       .help = "keep the state here: before the first answer, every "
               "--save-every rounds, and at the end, also after an interrupt "
               "or a bad row; it holds a secret key and data",
       .group = kState,
       .kept = false},
      {.name = "save-every",
       .type = OptionType::kWhole,
       .fallback = "0",
       .help = "rounds from one saved state to the next; with 1, no answer "
               "is out that the state does not know; 0: about once a second. "
               "With --live: lines in one commit of the journal; 0: all that "
               "have come",
       .group = kState,
       .kept = false},
      {.name = "load",
       .help = "go on from a saved state, with its settings; each "
               "continuation with other data spends the guarantee again",
       .group = kState,
       .kept = false},
      ReplaceOption(),
      {.name = "seed",
       .type = OptionType::kWhole,
       .help = "experiments only: noise that anyone can recompute",
       .group = kState,
       .kept = false}};
  return kTable;
}

const OptionTable& OutputOptions() {
  static const OptionTable kTable = {
      {.name = "live",
       .type = OptionType::kFlag,
       .help = "JSON lines on standard input and output instead of --data: "
               "predict now, label later, by ticket",
       .group = kOutput,
       .kept = false},
      {.name = "predictions",
       .help = "write a line for every round: the prediction, or nothing "
               "where nobody was answered; each is for its own user's eyes "
               "only",
       .group = kOutput,
       .letter = 'p',
       .kept = false},
      {.name = "probabilities",
       .type = OptionType::kFlag,
       .help = "with each prediction its probability, where the model has one",
       .group = kOutput,
       .kept = false},
      {.name = "report",
       .help = "write a page with plots, in one HTML file",
       .group = kOutput,
       .kept = false},
      {.name = "table-every",
       .fallback = "2.0",
       .help = "rows of the table: N, every so many rounds, or a factor with "
               "a point, e.g. 2.0",
       .group = kOutput,
       .letter = 'P',
       .kept = false},
      {.name = "json",
       .type = OptionType::kFlag,
       .help = "a JSON report instead of text",
       .group = kOutput,
       .kept = false},
      {.name = "quiet",
       .type = OptionType::kFlag,
       .help = "no text",
       .group = kOutput,
       .kept = false},
      {.name = "progress",
       .type = OptionType::kFlag,
       .help = "a progress line although standard error is no terminal",
       .group = kOutput,
       .kept = false}};
  return kTable;
}

const OptionTable& HypothesisOption() {
  static const OptionTable kTable = {
      {.name = "hypothesis",
       .help = "write what was learned, which may be published, as JSON",
       .group = kOutput,
       .kept = false}};
  return kTable;
}

}  // namespace sotto
