#include "run_command.h"

#include <array>
#include <memory>
#include <string_view>

#include "command.h"

namespace sotto::app {
namespace {

struct ModelEntry {
  std::string_view name;
  int (*run)(RunFlags flags);
};
constexpr std::array<ModelEntry, 1> kModels = {{{"pop", RunPop}}};

int RunModel(const RunFlags& flags) {
  std::string known;
  for (const ModelEntry& model : kModels) {
    if (model.name == flags.model) return model.run(flags);
    known += (known.empty() ? "" : ", ") + std::string(model.name);
  }
  return Report(InvalidArgument("no model " + Quote(flags.model) +
                                "; there are " + known));
}

void NoteGiven(const CLI::App& command, RunFlags& flags) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0) continue;
    for (const std::string& name : option->get_lnames()) {
      flags.given.insert(name);
    }
  }
}

constexpr const char* kFooter =
    "Each row is a round: its user gets a prediction, then gives the label. "
    "The table and the mistakes are the operator's own view; with --public, "
    "only what may be shown to anybody is printed.\n"
    "A bad row ends the run with exit code 2: the rounds before it were "
    "played, -p keeps their predictions and --save their state.\n"
    "Examples:\n"
    "  sotto generate threshold --rounds 100000 --seed 7 > stream.csv\n"
    "  sotto run pop --epsilon 1 --delta 1e-6 --horizon 1e5 -d stream.csv\n"
    "  sotto run pop --epsilon 3 --delta 1e-6 --horizon 1e5 -d stream.csv "
    "--compare --report page.html\n"
    "  sotto run pop --epsilon 1 --delta 1e-6 --horizon 1e5 -d stream.csv "
    "--learner exec:./mylearner\n"
    "  sotto run pop -d more.csv --load run.state --save run.state";

}  // namespace

void AddRunCommand(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "run", "Private predictions over a stream: predict, then learn");
  command->footer(kFooter);
  auto flags = std::make_shared<RunFlags>();
  command->add_option("MODEL", flags->model, "pop")->required();
  AddRunFlags(*command, *flags);
  command->callback([flags, command, &exit_code] {
    NoteGiven(*command, *flags);
    exit_code = RunModel(*flags);
  });
}

}  // namespace sotto::app
