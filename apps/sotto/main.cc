#include "arguments.h"
#include "commands.h"
#include "process.h"

namespace {

using namespace sotto::app;

Command Sotto() {
  return {.name = "sotto",
          .help =
              "Private interactive learning: each answer is heard by one "
              "person only.",
          .footer =
              "Examples:\n"
              "  sotto run pop --epsilon 1 --delta 1e-6 --horizon 1e5 -d "
              "stream.csv\n"
              "  sotto account --mechanism gaussian --noise-scale 50 "
              "--compositions 1000 --delta 1e-6\n"
              "Exit code: 0 done, 1 failed, 2 wrong usage or bad input.",
          .commands = {AccountCommand(), AuditCommand(), ServiceCallCommand(),
                       CountCommand(), FitCommand(), GenerateCommand(),
                       JournalCommand(), LdimCommand(), MonitorCommand(),
                       PlanCommand(), PredictCommand(), QuantileCommand(),
                       RunCommand(), SchemaCommand(), ServeCommand(),
                       ShowCommand()}};
}

}  // namespace

int main(int argc, char** argv) {
  PrepareProcess();
  return RunProgram([argc, argv] { return CallCommand(Sotto(), argc, argv); });
}
