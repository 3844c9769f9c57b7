#include "run_command.h"

#include <array>
#include <memory>
#include <string_view>

#include "command.h"

namespace sotto::app {
namespace {

struct Flags {
  RunFlags run;
  WinnowFlags winnow;
};

int CallPop(const Flags& flags) {
  const Status good = CheckForOthers(flags.run.given, flags.run.model);
  return good ? RunPop(flags.run) : Report(good.error());
}
int CallWinnow(const Flags& flags) {
  return RunWinnow(flags.run, flags.winnow);
}

struct ModelEntry {
  std::string_view name;
  int (*run)(const Flags& flags);
};
constexpr std::array<ModelEntry, 2> kModels = {
    {{"pop", CallPop}, {"winnow", CallWinnow}}};

int RunModel(const Flags& flags) {
  std::string known;
  for (const ModelEntry& model : kModels) {
    if (model.name == flags.run.model) return model.run(flags);
    known += (known.empty() ? "" : ", ") + std::string(model.name);
  }
  return Report(InvalidArgument("no model " + Quote(flags.run.model) +
                                "; there are " + known));
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
    "  sotto run winnow --epsilon 1 --delta 1e-6 --horizon 3e5 --margin 0.5 "
    "-d stream.csv --hypothesis weights.json\n"
    "  sotto run pop -d more.csv --load run.state --save run.state";

}  // namespace

void AddRunCommand(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "run", "Private predictions over a stream: predict, then learn");
  command->footer(kFooter);
  auto flags = std::make_shared<Flags>();
  command->add_option("MODEL", flags->run.model, "pop or winnow")->required();
  AddRunFlags(*command, flags->run);
  AddWinnowFlags(*command, flags->winnow);
  AddHypothesisFlag(*command, flags->winnow);
  command->callback([flags, command, &exit_code] {
    flags->run.given = GivenFlags(*command);
    exit_code = RunModel(*flags);
  });
}

}  // namespace sotto::app
