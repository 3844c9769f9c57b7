#include <pybind11/stl.h>

#include "extension/bindings.h"
#include "extension/field.h"
#include "extension/scorer.h"
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

const char* GetName(OptionType type) {
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

const char* GetName(LabelType::Kind kind) {
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
  made["alias"] = option.alias;
  made["type"] = GetName(option.type);
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

py::dict Describe(const OnlineModelEntry& entry) {
  py::list labels;
  for (const LabelType::Kind kind : entry.labels) labels.append(GetName(kind));
  py::dict made;
  made["name"] = entry.name;
  made["help"] = entry.help;
  made["promise"] = entry.promise;
  made["publishes"] = entry.publishes;
  made["trains"] = entry.needs_training_set;
  made["probabilities"] = entry.probabilities;
  made["labels"] = labels;
  made["published"] = FindPublishedModel(entry.name) != nullptr;
  made["scores"] = PublishesScores(entry.name);
  made["options"] = Describe(RunTable(entry));
  return made;
}

py::dict Describe(const BatchModelEntry& entry) {
  py::dict made;
  made["name"] = entry.name;
  made["help"] = entry.help;
  made["publishes"] = entry.publishes;
  made["options"] = Describe(BatchTable(entry));
  return made;
}

std::optional<InputSpec> InputsFrom(const std::optional<Schema>& schema) {
  if (!schema) return std::nullopt;
  return Checked(MakeInputSpec(*schema));
}

py::tuple PlanOne(const std::string& name, const Result<Plan>& plan) {
  if (!plan) Raise(plan.error());
  return py::make_tuple(PlanJson(name, *plan).Dump(), PlanText(*plan),
                        PlanPage(name, *plan), ToJson(plan->guarantee).Dump());
}

py::tuple MakePlan(const std::string& name, py::handle options,
                   py::handle schema) {
  if (const OnlineModelEntry* entry = FindOnlineModel(name)) {
    const Settings settings = ParseRequired(RunTable(*entry), options);
    const auto inputs = InputsFrom(MakeSchema(schema));
    Result<Plan> plan = Error{ErrorCode::kUnavailable, ""};
    {
      const WithoutGil released;
      plan = PlanModel(*entry, settings, inputs ? &*inputs : nullptr);
    }
    return PlanOne(name, plan);
  }
  const BatchModelEntry* entry = FindBatchModel(name);
  if (entry == nullptr) Raise(InvalidArgument("no model is called " + name));
  return PlanOne(name, PlanBatch(*entry, options, schema));
}

py::tuple PlanEverything(py::handle options, py::handle schema) {
  const Settings facts = ParseRequired(FactOptions(), options);
  const auto inputs = InputsFrom(MakeSchema(schema));
  const auto plans = PlanAll(facts, inputs ? &*inputs : nullptr);
  return py::make_tuple(PlansJson(plans).Dump(), PlansText(plans),
                        PlansPage(plans));
}

}  // namespace

Settings ParseSettings(OptionTable table, py::handle options) {
  Settings settings(std::move(table));
  for (const py::handle pair : options) {
    const auto [name, text] = pair.cast<std::pair<std::string, std::string>>();
    Check(settings.Set(name, text));
  }
  return settings;
}

Settings ParseRequired(OptionTable table, py::handle options) {
  Settings settings = ParseSettings(std::move(table), options);
  Check(settings.CheckRequired());
  return settings;
}

std::optional<Schema> MakeSchema(py::handle text) {
  if (text.is_none()) return std::nullopt;
  return Checked(Schema::Parse(ToText(text, "schema"), "schema"));
}

std::string UserName(py::handle user) {
  std::string name;
  RowError fault;
  if (!ReadName(user.ptr(), name, fault)) {
    Raise(InvalidArgument(fault.Text("user")));
  }
  return name;
}

void BindRegistry(py::module_& module) {
  module.def("online_models", [] {
    py::list entries;
    for (const OnlineModelEntry* entry : OnlineModels())
      entries.append(Describe(*entry));
    return entries;
  });
  module.def("batch_models", [] {
    py::list entries;
    for (const BatchModelEntry* entry : BatchModels())
      entries.append(Describe(*entry));
    return entries;
  });
  module.def("fact_options", [] { return Describe(FactOptions()); });
  module.def("plan", MakePlan);
  module.def("plan_all", PlanEverything);
}

}  // namespace sotto::python
