#include <cstdio>

#include "arguments.h"
#include "commands.h"
#include "legacy.h"
#include "process.h"

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
          sotto::app::AccountCommand(),
          sotto::app::CountCommand(),
          {.name = "fit",
           .help = "Learn a model from a private table that may be published"},
          sotto::app::GenerateCommand(),
          sotto::app::MonitorCommand(),
          {.name = "plan",
           .help = "What a model would do, before any data is touched"},
          {.name = "predict", .help = "Use a model that was fitted"},
          sotto::app::QuantileCommand(),
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

}  // namespace

int main(int argc, char** argv) {
  sotto::app::PrepareProcess();
  return sotto::app::RunProgram([argc, argv] {
    const Command root = Sotto();
    return IsLegacy(root, argc, argv)
               ? sotto::app::CallLegacy(argc, argv)
               : sotto::app::CallCommand(root, argc, argv);
  });
}
