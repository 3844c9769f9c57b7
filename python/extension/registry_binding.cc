#include <pybind11/stl.h>

#include "extension/bindings.h"
#include "extension/field.h"
#include "extension/without_gil.h"
#include "sotto/accounting/guarantee_json.h"
#include "sotto/frontend/reader_options.h"
#include "sotto/frontend/run_table.h"
#include "sotto/models/registry/plan_all.h"
#include "sotto/models/registry/registry.h"
#include "sotto/online/shared_options.h"
#include "sotto/report/html_plan.h"
#include "sotto/report/plan_report.h"

namespace sotto::python {
namespace {

const char* NameOf(OptionType type) {
  switch (type) {
    case OptionType::kFlag:
      return "flag";
    case OptionType::kWhole:
      return "whole";
    case OptionType::kReal:
      return "real";
    case OptionType::kText:
      break;
  }
  return "text";
}

const char* NameOf(LabelType::Kind kind) {
  switch (kind) {
    case LabelType::Kind::kTwo:
      return "two";
    case LabelType::Kind::kClasses:
      return "classes";
    case LabelType::Kind::kNumber:
      break;
  }
  return "number";
}

py::dict Describe(const Option& option) {
  py::list words;
  for (const std::string_view word : option.words) words.append(word);
  py::dict made;
  made["name"] = option.name;
  made["type"] = NameOf(option.type);
  made["fallback"] = option.fallback;
  made["help"] = option.help;
  made["low"] = option.low;
  made["high"] = option.high;
  made["above"] = option.above;
  made["words"] = words;
  made["required"] = option.required;
  return made;
}

py::list Describe(const OptionTable& table) {
  py::list made;
  for (const Option& option : table) made.append(Describe(option));
  return made;
}

py::dict Describe(const OnlineRow& row) {
  py::list labels;
  for (const LabelType::Kind kind : row.labels) labels.append(NameOf(kind));
  py::dict made;
  made["name"] = row.name;
  made["help"] = row.help;
  made["promise"] = row.promise;
  made["publishes"] = row.publishes;
  made["trains"] = row.trains;
  made["probabilities"] = row.probabilities;
  made["labels"] = labels;
  made["published"] = FindPublishedModel(row.name) != nullptr;
  made["options"] = Describe(RunTable(row));
  return made;
}

py::dict Describe(const BatchRow& row) {
  py::dict made;
  made["name"] = row.name;
  made["help"] = row.help;
  made["publishes"] = row.publishes;
  made["options"] = Describe(BatchTable(row));
  return made;
}

std::optional<Inputs> InputsFrom(const std::optional<Schema>& schema) {
  if (!schema) return std::nullopt;
  return Checked(InputsOf(*schema));
}

py::tuple PlanOne(const std::string& name, const Result<Plan>& plan) {
  if (!plan) Raise(plan.error());
  return py::make_tuple(PlanJson(name, *plan).Dump(), PlanText(*plan),
                        PlanPage(name, *plan), ToJson(plan->guarantee).Dump());
}

py::tuple PlanOf(const std::string& name, py::handle said, py::handle schema) {
  if (const OnlineRow* row = FindOnlineModel(name)) {
    const Settings settings = SettingsOf(RunTable(*row), said);
    Check(settings.CheckRequired());
    const auto inputs = InputsFrom(SchemaOf(schema));
    Result<Plan> plan = Error{ErrorCode::kUnavailable, ""};
    {
      const WithoutGil released;
      plan = PlanModel(*row, settings, inputs ? &*inputs : nullptr);
    }
    return PlanOne(name, plan);
  }
  const BatchRow* row = FindBatchModel(name);
  if (row == nullptr) Raise(InvalidArgument("no model is called " + name));
  return PlanOne(name, PlanBatch(*row, said, schema));
}

py::tuple PlanEverything(py::handle said, py::handle schema) {
  const Settings facts = SettingsOf(FactOptions(), said);
  Check(facts.CheckRequired());
  const auto inputs = InputsFrom(SchemaOf(schema));
  const auto plans = PlanAll(facts, inputs ? &*inputs : nullptr);
  return py::make_tuple(PlansJson(plans).Dump(), PlansText(plans),
                        PlansPage(plans));
}

}  // namespace

Settings SettingsOf(OptionTable table, py::handle said) {
  Settings settings(std::move(table));
  for (const py::handle pair : said) {
    const auto [name, text] = pair.cast<std::pair<std::string, std::string>>();
    Check(settings.Set(name, text));
  }
  return settings;
}

std::optional<Schema> SchemaOf(py::handle text) {
  if (text.is_none()) return std::nullopt;
  return Checked(Schema::Parse(TextOf(text, "schema"), "schema"));
}

std::string UserName(py::handle user) {
  std::string name;
  RowFault fault;
  if (!ReadName(user.ptr(), name, fault)) {
    Raise(InvalidArgument(fault.Text("user")));
  }
  return name;
}

void BindRegistry(py::module_& module) {
  module.def("online_models", [] {
    py::list rows;
    for (const OnlineRow* row : OnlineModels()) rows.append(Describe(*row));
    return rows;
  });
  module.def("batch_models", [] {
    py::list rows;
    for (const BatchRow* row : BatchModels()) rows.append(Describe(*row));
    return rows;
  });
  module.def("fact_options", [] { return Describe(FactOptions()); });
  module.def("plan", PlanOf);
  module.def("plan_all", PlanEverything);
}

}  // namespace sotto::python
