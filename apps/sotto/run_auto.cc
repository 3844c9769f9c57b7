#include "run_auto.h"

#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "command.h"
#include "run_finish.h"
#include "run_options.h"
#include "sotto/base/printable.h"
#include "sotto/frontend/budget_options.h"
#include "sotto/frontend/output_options.h"
#include "sotto/frontend/reader_options.h"
#include "sotto/frontend/run_session.h"
#include "sotto/models/registry/plan_all.h"
#include "sotto/models/registry/registry.h"
#include "sotto/online/budget_split.h"
#include "sotto/online/session.h"
#include "sotto/report/plan_report.h"
#include "waiting_line.h"

namespace sotto::app {
namespace {

OptionTable AutoOptions() {
  return ConcatOptions({FactOptions(), SessionOptions(), ReaderOptions(),
                        StrictOption(), StateOptions(), OutputOptions(),
                        HypothesisOption(), BudgetOptions()});
}

// The model whose state it is.
Result<const OnlineModelEntry*> RowOfState(const std::string& path) {
  SOTTO_TRY_ASSIGN(const auto state, ReadSessionState(path));
  SOTTO_TRY_ASSIGN(const auto head, Session::ReadHead(state.payload));
  const OnlineModelEntry* entry = FindOnlineModel(head.model);
  if (entry == nullptr) {
    return InvalidArgument(path + ": a state of an unknown model");
  }
  return entry;
}

// The first that answers users and can be had.
Result<const OnlineModelEntry*> Choose(const Settings& settings,
                                       const InputSpec& inputs) {
  const auto plans = [&] {
    const WaitingLine waiting("choosing a model");
    return PlanAll(settings, &inputs);
  }();
  for (const NamedPlan& named : plans) {
    const OnlineModelEntry* entry = FindOnlineModel(named.model);
    // One that starts from a training set would need it.
    if (entry == nullptr || entry->needs_training_set || !named.plan) continue;
    std::fprintf(stderr, "sotto: auto is %s: %s; %s (sotto plan shows all)\n",
                 named.model.c_str(), std::string(entry->help).c_str(),
                 Printable(RankingReason(named)).c_str());
    return entry;
  }
  return InvalidArgument("no model can be had for these facts:\n" +
                         PlansText(plans));
}

Result<InputSpec> SchemaInputs(const Settings& settings) {
  if (!settings.Has("schema")) {
    return InvalidArgument(
        "--schema FILE is needed: which model suits a stream depends on its "
        "columns (sotto schema writes one)");
  }
  SOTTO_TRY_ASSIGN(const auto schema,
                   Schema::FromFile(settings.Text("schema")));
  return MakeInputSpec(schema);
}

// A flag that was said, and that the chosen model does not have.
Status CheckTaken(const Settings& said, const OnlineModelEntry& entry,
                  const Settings& settings) {
  if (said.SetByUser("publish") && !settings.Has("publish")) {
    return InvalidArgument("--publish: auto is " + std::string(entry.name) +
                           ", which publishes nothing");
  }
  return Ok();
}

}  // namespace

Command RunAuto(int (*run)(const OnlineModelEntry& entry, Settings settings)) {
  const auto call = [run](const Settings& said) {
    std::optional<InputSpec> inputs;
    const OnlineModelEntry* entry = nullptr;
    if (said.Has("load")) {
      const auto of_state = RowOfState(said.Text("load"));
      if (!of_state) return RefuseRun(of_state.error());
      entry = *of_state;
    } else {
      auto of_schema = SchemaInputs(said);
      if (!of_schema) return RefuseRun(of_schema.error());
      inputs = *std::move(of_schema);
      const auto chosen = Choose(said, *inputs);
      if (!chosen) return RefuseRun(chosen.error());
      entry = *chosen;
    }
    auto settings = SettingsFor(*entry, RunOptions(*entry), said,
                                inputs ? &*inputs : nullptr);
    if (!settings) return RefuseRun(settings.error());
    if (Status taken = CheckTaken(said, *entry, *settings); !taken) {
      return RefuseRun(taken.error());
    }
    return run(*entry, *std::move(settings));
  };
  return {.name = "auto",
          .help = "Run the model that `sotto plan` ranks first",
          .footer =
              "Example: sotto run auto --epsilon 1 --delta 1e-6 --horizon 1e5 "
              "--schema table.schema.json -d table.csv\n"
              "Which model it is depends on public facts alone. A saved state "
              "goes on with its own.",
          .options = AutoOptions(),
          .call = call};
}

}  // namespace sotto::app
