#include <cstdio>
#include <optional>

#include "command.h"
#include "commands.h"
#include "sotto/frontend/reader_options.h"
#include "sotto/models/registry/plan_all.h"
#include "sotto/models/registry/registry.h"
#include "sotto/online/shared_options.h"
#include "sotto/report/plan_report.h"

namespace sotto::app {
namespace {

const OptionTable& PlanOptions() {
  static const OptionTable kTable = {{.name = "json",
                                      .type = OptionType::kFlag,
                                      .help = "a JSON report instead of text",
                                      .kept = false}};
  return kTable;
}

int Print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  return kDone;
}

int Tell(std::string_view name, const Settings& settings,
         const Result<Plan>& plan) {
  if (!plan) return Report(InvalidArgument(plan.error().message));
  return Print(settings.Flag("json") ? PlanJson(name, *plan).Dump() + "\n"
                                     : PlanText(*plan));
}

// What the schema says, if there is one.
Result<std::optional<Inputs>> StreamOf(const Settings& settings) {
  if (!settings.Has("schema")) return std::optional<Inputs>();
  const auto schema = Schema::FromFile(settings.Text("schema"));
  if (!schema) return schema.error();
  auto inputs = InputsOf(*schema);
  if (!inputs) return inputs.error();
  return std::optional(*std::move(inputs));
}

int TellOnline(const OnlineRow& row, const Settings& settings) {
  const auto stream = StreamOf(settings);
  if (!stream) return Report(stream.error());
  return Tell(
      row.name, settings,
      PlanModel(row, settings, stream->has_value() ? &**stream : nullptr));
}

int TellAll(const Settings& settings) {
  const auto stream = StreamOf(settings);
  if (!stream) return Report(stream.error());
  const auto plans =
      PlanAll(settings, stream->has_value() ? &**stream : nullptr);
  return Print(settings.Flag("json") ? PlansJson(plans).Dump() + "\n"
                                     : PlansText(plans));
}

Command PlanOf(const OnlineRow& row) {
  return {.name = std::string(row.name),
          .help = std::string(row.help),
          .footer = "Example: sotto plan " + std::string(row.name) + " " +
                    std::string(row.example),
          .options = Together({PrivacyOptions(), StreamOptions(), row.options,
                               std::span(&SchemaOption(), 1), PlanOptions()}),
          .call = [&row](const Settings& settings) {
            return TellOnline(row, settings);
          }};
}

Command PlanOf(const BatchRow& row) {
  return {.name = std::string(row.name),
          .help = std::string(row.help),
          .footer = "Example: sotto plan " + std::string(row.name) + " " +
                    std::string(row.example),
          .options = Together(
              {PrivacyOptions(), row.options, row.plan_options, PlanOptions()}),
          .call = [&row](const Settings& settings) {
            return Tell(row.name, settings, PlanModel(row, settings));
          }};
}

}  // namespace

Command PlanCommand() {
  Command plan{
      .name = "plan",
      .help = "What models would do, before any data is touched",
      .footer =
          "Examples:\n"
          "  sotto plan --epsilon 1 --delta 1e-6 --horizon 1e5 --schema "
          "table.schema.json\n"
          "  sotto plan pop --epsilon 1 --delta 1e-6 --horizon 1e5\n"
          "Without a model: all of them, the most promising for these public "
          "facts first. With one: which parameters `sotto run` or `sotto fit` "
          "would use, how many mistakes are expected and proved, and what "
          "would change that.",
      .options = Together(
          {FactOptions(), std::span(&SchemaOption(), 1), PlanOptions()}),
      .commands_are = "model",
      .call = TellAll};
  for (const OnlineRow* row : OnlineModels()) {
    plan.commands.push_back(PlanOf(*row));
  }
  for (const BatchRow* row : BatchModels()) {
    plan.commands.push_back(PlanOf(*row));
  }
  return plan;
}

}  // namespace sotto::app
