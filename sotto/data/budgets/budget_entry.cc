#include "sotto/data/budgets/budget_entry.h"

#include <utility>

#include "sotto/accounting/group_privacy.h"
#include "sotto/accounting/rounding.h"
#include "sotto/base/json_fields.h"

namespace sotto {
namespace {

constexpr std::uint64_t kVersion = 1;
constexpr double kSumError = 1e-9;

template <typename Word>
Word ParseWord(const JsonFields& fields, std::string_view name,
               Result<Word> (*parse)(std::string_view)) {
  const auto word = parse(fields.Text(name));
  if (word) return *word;
  fields.Refuse(name, "a word that is known");
  return {};
}

}  // namespace

BudgetEntry MakeBudgetEntry(const Guarantee& guarantee) {
  // The sum of a schedule is rounded.
  ApproximateDp cost{guarantee.epsilon(), guarantee.delta()};
  if (guarantee.schedule()) cost.delta = InflateUp(cost.delta, kSumError);
  if (guarantee.relation() == Relation::kAddRemove) {
    cost = ReplaceFromAddRemove(cost);
  }
  return {.command = {},
          .cost = cost,
          .notion = guarantee.notion(),
          .adversary = guarantee.adversary(),
          .group = {},
          .note = {},
          .time = {}};
}

Json ToJson(const BudgetHead& head) {
  return Json::Object{{"budget", kVersion},
                      {"people", head.people},
                      {"epsilon", head.limits.limit.epsilon},
                      {"delta", head.limits.limit.delta},
                      {"slack", head.limits.slack},
                      {"time", head.time},
                      {"id", head.id}};
}

Json ToJson(const BudgetEntry& entry) {
  Json json = Json::Object{{"command", entry.command},
                           {"epsilon", entry.cost.epsilon},
                           {"delta", entry.cost.delta},
                           {"notion", ToString(entry.notion)},
                           {"adversary", ToString(entry.adversary)}};
  if (!entry.group.empty()) json["group"] = entry.group;
  if (!entry.note.empty()) json["note"] = entry.note;
  json["time"] = entry.time;
  return json;
}

Result<BudgetHead> BudgetHeadFromJson(const Json& json) {
  std::string fault;
  const JsonFields fields(json, fault);
  if (fields.Natural("budget", kVersion) != kVersion && fault.empty()) {
    fields.Refuse("budget", "version 1");
  }
  BudgetHead head{.people = fields.Text("people"),
                  .limits = {.limit = {fields.GetDouble("epsilon"),
                                       fields.GetDouble("delta")},
                             .slack = fields.GetDouble("slack")},
                  .time = fields.Text("time"),
                  .id = fields.Text("id")};
  if (!fault.empty()) return Corruption(fault);
  return head;
}

Result<BudgetEntry> BudgetEntryFromJson(const Json& json) {
  std::string fault;
  const JsonFields fields(json, fault);
  BudgetEntry entry{
      .command = fields.Text("command"),
      .cost = {fields.GetDouble("epsilon"), fields.GetDouble("delta")},
      .notion = ParseWord(fields, "notion", ParseNotion),
      .adversary = ParseWord(fields, "adversary", ParseAdversary),
      .group = fields.Has("group") ? fields.Text("group") : "",
      .note = fields.Has("note") ? fields.Text("note") : "",
      .time = fields.Text("time")};
  if (!fault.empty()) return Corruption(fault);
  return entry;
}

}  // namespace sotto
