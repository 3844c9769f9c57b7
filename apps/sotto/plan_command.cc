#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "command.h"
#include "commands.h"
#include "sotto/base/number_text.h"
#include "sotto/frontend/reader_options.h"
#include "sotto/models/registry/plan_all.h"
#include "sotto/models/registry/registry.h"
#include "sotto/online/shared_options.h"
#include "sotto/report/plan_report.h"
#include "sotto/report/plan_summary.h"
#include "sotto/service/slot_plan.h"
#include "waiting_line.h"

namespace sotto::app {
namespace {

const OptionTable& PlanOptions() {
  static const OptionTable kTable = {
      {.name = "json",
       .type = OptionType::kFlag,
       .help = "Print a JSON report instead of text.",
       .kept = false}};
  return kTable;
}

// The clock of `serve`.
const OptionTable& ClockOptions() {
  static const OptionTable kTable = {
      {.name = "clock",
       .fallback = "arrivals",
       .help = "Clock of 'sotto serve' to plan for: slots:N/SECONDS says what "
               "groups hide and cost",
       .value = "CLOCK",
       .kept = false},
      {.name = "requests-per-second",
       .type = OptionType::kReal,
       .help = "With --clock slots: a public estimate of how many come",
       .low = 0,
       .high = 1e6,
       .above = true,
       .kept = false}};
  return kTable;
}

int PrintPlan(const Settings& settings, const Json& json,
              const std::string& text) {
  if (settings.Flag("json")) {
    Print(json);
  } else {
    Print(text);
  }
  return kDone;
}

int Tell(std::string_view name, const Settings& settings,
         const Result<Plan>& plan) {
  if (!plan) return Report(InvalidArgument(plan.error().message));
  return PrintPlan(settings, PlanJson(name, *plan), PlanText(*plan));
}

// The stream that the schema describes, if there is one.
Result<std::optional<InputSpec>> MakeStream(const Settings& settings) {
  if (!settings.Has("schema")) return std::optional<InputSpec>();
  SOTTO_TRY_ASSIGN(const auto schema,
                   Schema::FromFile(settings.Text("schema")));
  SOTTO_TRY_ASSIGN(auto inputs, MakeInputSpec(schema));
  return std::optional(std::move(inputs));
}

// With the clock of groups, if that is asked for.
Status AddClock(const OnlineModelEntry& entry, const Settings& settings,
                const InputSpec* inputs, Plan& plan) {
  SOTTO_TRY_ASSIGN(const auto clock, SlotClock::Parse(settings.Text("clock")));
  if (!clock) return Ok();
  SlotRequest request{.clock = *clock};
  if (settings.Has("requests-per-second")) {
    request.rate = settings.GetDouble("requests-per-second");
  }
  if (inputs != nullptr) request.columns = inputs->schema->columns.size();
  return AddSlots(entry, settings, request, plan);
}

int TellOnline(const OnlineModelEntry& entry, const Settings& settings) {
  const auto stream = MakeStream(settings);
  if (!stream) return Report(stream.error());
  const InputSpec* const inputs = stream->has_value() ? &**stream : nullptr;
  auto plan = [&] {
    const WaitingLine waiting("planning");
    return PlanModel(entry, settings, inputs);
  }();
  if (plan) {
    const Status added = AddClock(entry, settings, inputs, *plan);
    if (!added) return Report(added.error());
  }
  return Tell(entry.name, settings, plan);
}

std::vector<NamedPlan> PlanEach(const Settings& settings,
                                const InputSpec* inputs) {
  const WaitingLine waiting("planning every model");
  return PlanAll(settings, inputs);
}

// "100,000 rounds, 8 columns, epsilon 1, delta 1e-6".
std::string FactsText(const Settings& settings, const InputSpec* inputs) {
  const auto rounds = settings.GetOptionalInt("horizon");
  std::string text =
      rounds ? WithCommas(*rounds) + " rounds" : "no --horizon was given";
  if (inputs != nullptr) {
    text += ", " + WithCommas(inputs->schema->fields()) + " columns";
  }
  return text + ", epsilon " + Shortest(settings.GetDouble("epsilon")) +
         ", delta " + Shortest(settings.GetDouble("delta"));
}

// The public facts again, as flags of `run`.
std::string FlagsText(const Settings& settings) {
  std::string text;
  const Json kept = settings.ToSavedJson();
  for (const Option& option : FactOptions()) {
    const Json* value = kept.Find(option.name);
    if (value == nullptr || !settings.SetByUser(option.name)) continue;
    text += (text.empty() ? "--" : " --") + std::string(option.name);
    if (option.type == OptionType::kFlag) continue;
    text += " " + (value->text() != nullptr ? *value->text() : value->Dump());
  }
  if (!settings.Has("schema")) return text;
  return text + " --schema " + settings.Text("schema");
}

int TellAll(const Settings& settings) {
  const auto stream = MakeStream(settings);
  if (!stream) return Report(stream.error());
  const InputSpec* inputs = stream->has_value() ? &**stream : nullptr;
  const auto plans = PlanEach(settings, inputs);
  return PrintPlan(settings, PlansJson(plans),
                   settings.Flag("all")
                       ? PlansText(plans)
                       : PlanSummary(plans, {FactsText(settings, inputs),
                                             FlagsText(settings)}));
}

Command MakePlan(const OnlineModelEntry& entry) {
  return {.name = std::string(entry.name),
          .help = std::string(entry.help),
          .footer = "Example: sotto plan " + std::string(entry.name) + " " +
                    std::string(entry.example),
          .options = ConcatOptions(
              {PrivacyOptions(), StreamOptions(), entry.options,
               std::span(&SchemaOption(), 1), ClockOptions(), PlanOptions()}),
          .call = [&entry](const Settings& settings) {
            return TellOnline(entry, settings);
          }};
}

Command MakePlan(const BatchModelEntry& entry) {
  return {.name = std::string(entry.name),
          .help = std::string(entry.help),
          .footer = "Example: sotto plan " + std::string(entry.name) + " " +
                    std::string(entry.example),
          .options = ConcatOptions({PrivacyOptions(), entry.options,
                                    entry.plan_options, PlanOptions()}),
          .call = [&entry](const Settings& settings) {
            return Tell(entry.name, settings, PlanModel(entry, settings));
          }};
}

}  // namespace

Command PlanCommand() {
  Command plan{
      .name = "plan",
      .help = "Rank the models for your table, before reading any data",
      .footer =
          "Examples:\n"
          "  sotto plan --epsilon 1 --delta 1e-6 --horizon 1e5 --schema "
          "table.schema.json\n"
          "  sotto plan pop --epsilon 1 --delta 1e-6 --horizon 1e5\n"
          "Without a model: all of them, the most promising for these public "
          "facts first. With one: which parameters `sotto run` or `sotto fit` "
          "would use, how many mistakes are expected and proved, and what "
          "would change that.",
      .options = ConcatOptions(
          {FactOptions(), std::span(&SchemaOption(), 1), PlanOptions(),
           OptionTable{{.name = "all",
                        .type = OptionType::kFlag,
                        .help = "every model with its reason and bound",
                        .kept = false}}}),
      .commands_are = "model",
      .call = TellAll};
  for (const OnlineModelEntry* entry : OnlineModels()) {
    plan.commands.push_back(MakePlan(*entry));
  }
  for (const BatchModelEntry* entry : BatchModels()) {
    plan.commands.push_back(MakePlan(*entry));
  }
  return plan;
}

}  // namespace sotto::app
