#include <cstdio>
#include <string_view>

#include "arguments.h"
#include "command.h"
#include "commands.h"
#include "legacy.h"

namespace {

using sotto::app::Command;

Command Sotto() {
  return {
      .name = "sotto",
      .help =
          "Private interactive learning: each answer is heard by one "
          "person only.",
      .footer =
          "Example: sotto account --mechanism gaussian --noise-scale 50 "
          "--compositions 1000 --delta 1e-6\n"
          "Exit code: 0 done, 1 failed, 2 wrong usage or bad input.",
      .commands = {
          {.name = "account",
           .help = "The tight (epsilon, delta) of a composition, or the "
                   "least noise for a target, before anything runs"},
          {.name = "count",
           .help = "A private running count: a line in, an estimate out"},
          {.name = "fit",
           .help = "Learn a model from a private table that may be published"},
          sotto::app::GenerateCommand(),
          {.name = "monitor",
           .help = "A private alarm: tells when a count reaches a threshold"},
          {.name = "plan",
           .help = "What a model would do, before any data is touched"},
          {.name = "predict", .help = "Use a model that was fitted"},
          {.name = "quantile",
           .help = "Private ranks: how many numbers of a file are below "
                   "each query"},
          {.name = "run", .help = "Predict, then learn, over a stream"},
          {.name = "show", .help = "Print a model as a person would read it"},
      }};
}

// A command that is not yet a row with a call.
bool IsLegacy(const Command& root, int argc, char** argv) {
  if (argc < 2) return false;
  for (const Command& command : root.commands) {
    if (command.name == argv[1]) {
      return command.call == nullptr && command.commands.empty();
    }
  }
  return false;
}

// A report that could not be written is a failure, not a success.
int Flushed(int exit_code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  std::perror("sotto: cannot write the output");
  return exit_code == sotto::app::kDone ? sotto::app::kFailed : exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  const Command root = Sotto();
  return Flushed(IsLegacy(root, argc, argv)
                     ? sotto::app::CallLegacy(argc, argv)
                     : sotto::app::CallCommand(root, argc, argv));
}
