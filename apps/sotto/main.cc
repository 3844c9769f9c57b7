#include <initializer_list>
#include <string>
#include <utility>

#include "arguments.h"
#include "commands.h"
#include "process.h"

namespace {

using namespace sotto::app;

void Add(Command& root, const std::string& group,
         std::initializer_list<Command> commands) {
  for (Command command : commands) {
    command.group = group;
    root.commands.push_back(std::move(command));
  }
}

Command Sotto() {
  Command sotto{
      .name = "sotto",
      .help =
          "Sotto: private online learning. Each prediction is seen by one user "
          "only.",
      .footer =
          "Example:\n"
          "  sotto run tide --epsilon 1 --delta 1e-6 --horizon 1e5 --schema "
          "s.json -d stream.csv\n\n"
          "sotto COMMAND --help explains a command; sotto --version prints the "
          "version.\n"
          "Exit status: 0 success, 1 failure, 2 usage or input error. "
          "Documentation: docs/README.md"};
  Add(sotto, "Start here", {PlanCommand(), RunCommand(), SchemaCommand()});
  Add(sotto, "Work with published models",
      {FitCommand(), PredictCommand(), ShowCommand()});
  Add(sotto, "Count",
      {LineCommand("count"), LineCommand("monitor"), QuantileCommand(),
       RangeCommand("histogram"), RangeCommand("sum"), RangeCommand("mean")});
  Add(sotto, "Serve",
      {ServeCommand(), ServiceCallCommand(), JournalCommand(),
       EngineCommand()});
  Add(sotto, "Check and study",
      {AccountCommand(), BudgetCommand(), AuditCommand(), GenerateCommand(),
       LdimCommand()});
  return sotto;
}

}  // namespace

int main(int argc, char** argv) {
  PrepareProcess();
  return RunProgram([argc, argv] { return CallCommand(Sotto(), argc, argv); });
}
