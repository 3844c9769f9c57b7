#include "sotto/frontend/budget_options.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace sotto {
namespace {

bool HasOption(const Settings& settings, std::string_view name) {
  return FindOption(settings.table(), name) != nullptr && settings.Has(name);
}

// A wrong name is not charged. The file is not opened.
Status CheckReadable(const Settings& settings) {
  for (const std::string_view option : {"data", "private-ranges"}) {
    if (!HasOption(settings, option)) continue;
    const std::string& path = settings.Text(option);
    if (path == "-" || access(path.c_str(), R_OK) == 0) continue;
    return InvalidArgument("cannot open " + path + ": " + std::strerror(errno));
  }
  return Ok();
}

}  // namespace

const OptionTable& BudgetOptions() {
  static const OptionTable kTable = {
      {.name = "budget",
       .help = "Charge this record before any data is read; refuse to start "
               "if its limit would be exceeded (sotto budget).",
       .value = "FILE",
       .group = "Privacy",
       .kept = false},
      {.name = "group",
       .help = "With --budget: the data are of this group only. No person is "
               "in two groups.",
       .value = "NAME",
       .group = "Privacy",
       .kept = false}};
  return kTable;
}

Status CheckBudget(const Settings& settings) {
  if (!settings.Has("budget")) {
    if (!settings.Has("group")) return Ok();
    return InvalidArgument("--group goes with --budget FILE");
  }
  if (HasOption(settings, "seed")) {
    return InvalidArgument(
        "--budget records private releases, and --seed makes one that is not "
        "private. Leave one of the two out.");
  }
  if (HasOption(settings, "load")) {
    return InvalidArgument(
        "a resumed run spends nothing: its start was charged. Leave out "
        "--budget; for a run that started without one, use 'sotto budget "
        "spend'.");
  }
  SOTTO_TRY(BudgetFile::Read(settings.Text("budget")));
  return Ok();
}

Status ChargeBudget(const Settings& settings, const Guarantee& guarantee,
                    const std::string& command) {
  if (!HasOption(settings, "budget")) return Ok();
  SOTTO_TRY(CheckReadable(settings));
  SOTTO_TRY(
      BudgetFile::Spend(settings.Text("budget"), guarantee,
                        {.command = command, .group = settings.Text("group")}));
  return Ok();
}

Result<Guarantee> BudgetRequest::Make(const ApproximateDp& cost,
                                      Relation relation) const {
  return Guarantee::Create({.relation = relation,
                            .epsilon = cost.epsilon,
                            .delta = cost.delta,
                            .protects = "a user's rows"});
}

Status BudgetRequest::Charge() {
  const bool add_remove = HasOption(settings_, "relation") &&
                          settings_.Text("relation") == "add-remove";
  const ApproximateDp asked{settings_.GetDouble("epsilon"),
                            settings_.GetDouble("delta")};
  SOTTO_TRY_ASSIGN(
      const auto guarantee,
      Make(asked, add_remove ? Relation::kAddRemove : Relation::kReplace));
  charged_ = asked;
  return ChargeBudget(settings_, guarantee, command_);
}

Status BudgetRequest::Settle(const Guarantee& guarantee) {
  const ApproximateDp more{
      std::max(0.0, guarantee.epsilon() - charged_.epsilon),
      std::max(0.0, guarantee.delta() - charged_.delta)};
  if (more == ApproximateDp{}) return Ok();
  SOTTO_TRY_ASSIGN(const auto rest, Make(more, guarantee.relation()));
  return ChargeBudget(settings_, rest, command_ + " (samplers)");
}

}  // namespace sotto
