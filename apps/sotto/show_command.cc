#include <string>

#include "command.h"
#include "commands.h"
#include "published_file.h"

namespace sotto::app {
namespace {

int Show(const Settings& settings) {
  const auto file = ReadPublished(settings.Text("model"));
  if (!file) return Report(file.error());
  const auto text = file->format->show(file->model);
  if (!text) {
    return Report(
        InvalidArgument(settings.Text("model") + ": " + text.error().message));
  }
  WarnIfSeeded(file->model);
  if (settings.Flag("json")) {
    Print(file->model);
    return kDone;
  }
  Print(*text);
  return kDone;
}

}  // namespace

Command ShowCommand() {
  return {.name = "show",
          .help = "Print a published model as a person would read it",
          .footer = "Example: sotto show model.json",
          .options = {{.name = "model",
                       .help = "the file that `fit` or `run --hypothesis` "
                               "wrote",
                       .letter = 'm',
                       .required = true},
                      {.name = "json",
                       .type = OptionType::kFlag,
                       .help = "the file itself, on one line"}},
          .argument = "model",
          .call = Show};
}

}  // namespace sotto::app
