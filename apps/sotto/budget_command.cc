#include <cstdio>
#include <string>

#include "command.h"
#include "commands.h"
#include "sotto/data/budgets/budget_file.h"
#include "sotto/frontend/budget_options.h"
#include "sotto/frontend/budget_report.h"

namespace sotto::app {
namespace {

const Option kFile = {.name = "file",
                      .help = "The record.",
                      .value = "FILE",
                      .common = true,
                      .required = true};
const Option kJson = {.name = "json",
                      .type = OptionType::kFlag,
                      .help = "Print a JSON report.",
                      .common = true};

OptionTable CreateOptions() {
  return {kFile,
          {.name = "people",
           .fallback = "people",
           .help = "Your name for the people it is about.",
           .value = "NAME",
           .common = true},
          {.name = "epsilon",
           .type = OptionType::kReal,
           .help = "Limit on the epsilon of all releases together.",
           .above = true,
           .common = true,
           .required = true},
          {.name = "delta",
           .type = OptionType::kReal,
           .help = "Limit on the delta of all releases together. Also samplers "
                   "without delta spend about 1e-20.",
           .high = 0.5,
           .above = true,
           .common = true,
           .required = true},
          {.name = "slack",
           .type = OptionType::kReal,
           .fallback = "0",
           .help = "Part of --delta kept aside so that many small charges may "
                   "sum to more than --epsilon.",
           .high = 0.5,
           .common = true}};
}

OptionTable SpendOptions() {
  return {kFile,
          {.name = "epsilon",
           .type = OptionType::kReal,
           .help = "Epsilon of the release.",
           .common = true,
           .required = true},
          {.name = "delta",
           .type = OptionType::kReal,
           .fallback = "0",
           .help = "Delta of the release.",
           .high = 0.5,
           .common = true},
          {.name = "relation",
           .fallback = "replace",
           .help = "Neighbours of its guarantee; add-remove is charged twice.",
           .words = {"replace", "add-remove"}},
          {.name = "group",
           .help = "The data are of this group only.",
           .value = "NAME",
           .common = true},
          {.name = "note",
           .help = "Words for the record.",
           .value = "TEXT",
           .common = true},
          kJson};
}

int PrintRecord(const Settings& settings, const BudgetFile& record) {
  if (settings.Flag("json")) {
    Print(BudgetJson(record));
  } else {
    Print(BudgetText(record));
  }
  return kDone;
}

int CreateFile(const Settings& settings) {
  const Status made =
      BudgetFile::Create(settings.Text("file"),
                         {.people = settings.Text("people"),
                          .limits = {.limit = {settings.GetDouble("epsilon"),
                                               settings.GetDouble("delta")},
                                     .slack = settings.GetDouble("slack")},
                          .time = {},
                          .id = {}});
  return made ? kDone : Report(made.error());
}

int Show(const Settings& settings) {
  const auto record = BudgetFile::Read(settings.Text("file"));
  if (!record) return Report(record.error());
  if (settings.Has("expect") && !record->Contains(settings.Text("expect"))) {
    return Report(Corruption(
        settings.Text("file") +
        " has no line with this seal: it was cut back, or is another record"));
  }
  return PrintRecord(settings, *record);
}

int SpendNumbers(const Settings& settings) {
  const auto guarantee =
      Guarantee::Create({.relation = settings.Text("relation") == "replace"
                                         ? Relation::kReplace
                                         : Relation::kAddRemove,
                         .epsilon = settings.GetDouble("epsilon"),
                         .delta = settings.GetDouble("delta"),
                         .protects = "a user's data"});
  if (!guarantee) return Report(guarantee.error());
  const auto record = BudgetFile::Spend(settings.Text("file"), *guarantee,
                                        {.command = "spend",
                                         .group = settings.Text("group"),
                                         .note = settings.Text("note")});
  if (!record) return Report(record.error());
  return PrintRecord(settings, *record);
}

int Export(const Settings& settings) {
  const auto record = BudgetFile::Read(settings.Text("file"));
  if (!record) return Report(record.error());
  Print(BudgetJson(*record));
  return kDone;
}

Command Part(std::string name, std::string help, OptionTable options,
             int (*call)(const Settings&)) {
  return {.name = std::move(name),
          .help = std::move(help),
          .options = std::move(options),
          .argument = "file",
          .call = call};
}

}  // namespace

Command BudgetCommand() {
  const Option expect = {.name = "expect",
                         .help = "Fail unless a line has this seal.",
                         .value = "SEAL",
                         .common = true};
  return {
      .name = "budget",
      .help =
          "Keep one privacy budget for all releases about the same "
          "people",
      .footer =
          "Examples:\n"
          "  sotto budget create readers.budget --people readers "
          "--epsilon 3 --delta 1e-5\n"
          "  sotto run tide ... --epsilon 1 --delta 1e-6 --budget "
          "readers.budget\n"
          "  sotto budget spend readers.budget --epsilon 0.5 --note "
          "'survey of May'\n"
          "  sotto budget show readers.budget\n"
          "A charge is on disk before data are read. It is never taken "
          "back. The file is the record: a copy of it is another budget.",
      .commands = {Part("create", "Make a new record with a limit",
                        CreateOptions(), CreateFile),
                   Part("show", "Show the limit, the charges and what is left",
                        {kFile, kJson, expect}, Show),
                   Part("spend", "Charge a release that was made elsewhere",
                        SpendOptions(), SpendNumbers),
                   Part("export", "Write the record and its total as JSON",
                        {kFile}, Export)}};
}

}  // namespace sotto::app
