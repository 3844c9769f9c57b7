#include "sotto/frontend/budget_report.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sotto/accounting/rounding.h"
#include "sotto/accounting/tight_composition.h"
#include "sotto/base/printable.h"
#include "sotto/data/budgets/budget_text.h"

namespace sotto {
namespace {

// The groups that were charged, after the people of none.
std::vector<std::string> Groups(const BudgetFile& record) {
  std::set<std::string> names;
  for (const BudgetEntry& entry : record.entries()) names.insert(entry.group);
  names.insert("");
  return {names.begin(), names.end()};
}

double Left(double limit, double spent) { return std::max(0.0, limit - spent); }

Json CostJson(const ApproximateDp& cost) {
  return Json::Object{{"epsilon", cost.epsilon}, {"delta", cost.delta}};
}

Json GroupJson(const BudgetFile& record, const std::string& group) {
  const ApproximateDp spent = record.filter().SpentBy(group);
  const ApproximateDp& limit = record.head().limits.limit;
  return Json::Object{
      {"group", group.empty() ? Json() : Json(group)},
      {"spent", CostJson(spent)},
      {"left",
       CostJson({Left(limit.epsilon, spent.epsilon),
                 Left(limit.delta - record.head().limits.slack, spent.delta)})},
      {"epsilon_fixed_in_advance", FixedInAdvance(record, group)}};
}

std::string Cost(const ApproximateDp& cost) {
  return "epsilon " + Rounded(cost.epsilon) + ", delta " + Rounded(cost.delta);
}

std::string GroupText(const BudgetFile& record, const std::string& group) {
  const ApproximateDp spent = record.filter().SpentBy(group);
  const BudgetFilter::Params& limits = record.head().limits;
  return (group.empty() ? std::string("Spent") : "Spent by " + Quoted(group)) +
         ": " + Cost(spent) + ". Left: epsilon " +
         Rounded(Left(limits.limit.epsilon, spent.epsilon)) + ", delta " +
         Rounded(Left(limits.limit.delta - limits.slack, spent.delta)) + ".\n";
}

std::string EntryText(const BudgetEntry& entry) {
  std::string text =
      entry.time + "  " + Cost(entry.cost) + "  " + Printable(entry.command);
  if (!entry.group.empty()) text += "  group " + Quoted(entry.group);
  if (!entry.note.empty()) text += "  (" + Printable(entry.note) + ")";
  return text + "\n";
}

}  // namespace

std::optional<double> FixedInAdvance(const BudgetFile& record,
                                     std::string_view group) {
  std::map<std::pair<double, double>, std::uint64_t> counts;
  for (const BudgetEntry& entry : record.entries()) {
    if (!entry.group.empty() && entry.group != group) continue;
    if (entry.cost.epsilon > 0) {
      ++counts[{entry.cost.epsilon, entry.cost.delta}];
    }
  }
  const double sum = record.filter().SpentBy(group).epsilon;
  const double delta = record.head().limits.limit.delta;
  std::vector<LossTerm> terms;
  for (const auto& [cost, count] : counts) {
    auto loss = PrivacyLoss::ApproximateDp(cost.first, cost.second);
    if (!loss) return std::nullopt;
    terms.push_back({*std::move(loss), count});
  }
  if (terms.empty() || !(delta > 0)) return sum;
  const auto epsilon = TightEpsilon(terms, delta);
  return epsilon ? std::min(*epsilon, sum) : std::optional<double>(sum);
}

Json BudgetJson(const BudgetFile& record) {
  const BudgetHead& head = record.head();
  Json groups = Json::Array{};
  for (const std::string& group : Groups(record)) {
    groups.Add(GroupJson(record, group));
  }
  Json entries = Json::Array{};
  for (const BudgetEntry& entry : record.entries()) entries.Add(ToJson(entry));
  return Json::Object{
      {"people", head.people},
      {"limit", CostJson(head.limits.limit)},
      {"slack", head.limits.slack},
      {"guarantee",
       Json::Object{{"notion", ToString(record.notion())},
                    {"relation", ToString(Relation::kReplace)},
                    {"epsilon", record.filter().guaranteed().epsilon},
                    {"delta", record.filter().guaranteed().delta},
                    {"adversary", ToString(record.adversary())}}},
      {"spent", CostJson(record.filter().MostSpent().cost)},
      {"groups", std::move(groups)},
      {"entries", std::move(entries)},
      {"id", head.id},
      {"created", head.time},
      {"seal", record.seal()}};
}

std::string BudgetText(const BudgetFile& record) {
  const BudgetHead& head = record.head();
  std::string text = "Budget of " + Printable(head.people) + ": " +
                     Cost(head.limits.limit) + ".\n";
  for (const std::string& group : Groups(record)) {
    text += GroupText(record, group);
  }
  for (const BudgetEntry& entry : record.entries()) text += EntryText(entry);
  text += "All releases together, past and future: (" +
          Rounded(head.limits.limit.epsilon) + ", " +
          Rounded(head.limits.limit.delta) + ")-" +
          std::string(ToString(record.notion())) +
          " for each person, as far as all of them are in this record.\n";
  return text + "Seal: " + record.seal() + "\n";
}

}  // namespace sotto
