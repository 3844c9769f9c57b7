#include <cstdio>

#include "command.h"
#include "commands.h"
#include "sotto/model/shared_options.h"
#include "sotto/registry/registry.h"
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

int Tell(std::string_view name, const Settings& settings,
         const Result<Plan>& plan) {
  if (!plan) return Report(InvalidArgument(plan.error().message));
  const std::string text = settings.Flag("json")
                               ? PlanJson(name, *plan).Dump() + "\n"
                               : PlanText(*plan);
  std::fputs(text.c_str(), stdout);
  return kDone;
}

Command PlanOf(const OnlineRow& row) {
  return {.name = std::string(row.name),
          .help = std::string(row.help),
          .footer = "Example: sotto plan " + std::string(row.name) + " " +
                    std::string(row.example),
          .options = Together(
              {PrivacyOptions(), StreamOptions(), row.options, PlanOptions()}),
          .call = [&row](const Settings& settings) {
            return Tell(row.name, settings, row.plan(settings, nullptr));
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
            return Tell(row.name, settings, row.plan(settings));
          }};
}

}  // namespace

Command PlanCommand() {
  Command plan{
      .name = "plan",
      .help = "What a model would do, before any data is touched",
      .footer =
          "Example: sotto plan pop --epsilon 1 --delta 1e-6 "
          "--horizon 1e5\nSays which parameters `sotto run` or `sotto fit` "
          "would use, how many mistakes are expected and "
          "proved, and what would change that.",
      .commands_are = "model"};
  for (const OnlineRow* row : OnlineModels()) {
    plan.commands.push_back(PlanOf(*row));
  }
  for (const BatchRow* row : BatchModels()) {
    plan.commands.push_back(PlanOf(*row));
  }
  return plan;
}

}  // namespace sotto::app
