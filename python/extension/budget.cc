#include <string>

#include "extension/bindings.h"
#include "extension/without_gil.h"
#include "sotto/accounting/guarantee_json.h"
#include "sotto/data/budgets/budget_file.h"
#include "sotto/frontend/budget_report.h"

namespace sotto::python {
namespace {

std::string Report(Result<BudgetFile> record) {
  return BudgetJson(Checked(std::move(record))).Dump();
}

void CreateBudget(const std::string& path, const std::string& people,
                  double epsilon, double delta, double slack) {
  Check(BudgetFile::Create(
      path, {.people = people,
             .limits = {.limit = {epsilon, delta}, .slack = slack},
             .time = {},
             .id = {}}));
}

// Returns the report after the charge.
std::string SpendBudget(const std::string& path, const std::string& guarantee,
                        const std::string& command, const std::string& group,
                        const std::string& note) {
  const Guarantee cost =
      Checked(GuaranteeFromJson(Checked(Json::Parse(guarantee))));
  Result<BudgetFile> record = InvalidArgument("not charged");
  {
    const WithoutGil released;
    record = BudgetFile::Spend(
        path, cost, {.command = command, .group = group, .note = note});
  }
  return Report(std::move(record));
}

}  // namespace

void BindBudget(py::module_& module) {
  module.def("budget_create", CreateBudget);
  module.def("budget_read", [](const std::string& path) {
    return Report(BudgetFile::Read(path));
  });
  module.def("budget_spend", SpendBudget);
}

}  // namespace sotto::python
