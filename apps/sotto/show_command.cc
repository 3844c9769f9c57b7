#include <string>
#include <string_view>

#include "command.h"
#include "commands.h"
#include "published_file.h"

namespace sotto::app {
namespace {

// A seeded model does not keep its guarantee, so its text must not claim it.
void DropClaim(std::string& text) {
  constexpr std::string_view kClaim = "Privacy: ";
  const std::size_t at = text.rfind(kClaim);
  if (at != std::string::npos && (at == 0 || text[at - 1] == '\n')) {
    text.replace(at, kClaim.size(), "Without the seed: ");
  }
}

int Show(const Settings& settings) {
  const auto file = ReadPublished(settings.Text("model"));
  if (!file) return Report(file.error());
  auto text = file->format->show(file->model);
  if (!text) {
    return Report(
        InvalidArgument(settings.Text("model") + ": " + text.error().message));
  }
  if (WarnIfSeeded(file->model)) DropClaim(*text);
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
          .help = "Print a published model in readable form",
          .footer = "Example: sotto show model.json",
          .options = {{.name = "model",
                       .help = "the file that `fit` or `run --publish` "
                               "wrote",
                       .value = "FILE",
                       .letter = 'm',
                       .required = true},
                      {.name = "json",
                       .type = OptionType::kFlag,
                       .help = "Print the file on one line."}},
          .argument = "model",
          .call = Show};
}

}  // namespace sotto::app
