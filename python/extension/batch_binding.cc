#include <pybind11/stl.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "extension/bindings.h"
#include "extension/label_reader.h"
#include "extension/memory_file.h"
#include "extension/table.h"
#include "extension/without_gil.h"
#include "sotto/accounting/guarantee_json.h"
#include "sotto/data/streams/label_parser.h"
#include "sotto/frontend/fresh_key.h"
#include "sotto/frontend/reader_options.h"
#include "sotto/models/registry/plan_all.h"
#include "sotto/models/registry/registry.h"
#include "sotto/online/shared_options.h"
#include "sotto/report/fit_report.h"

// Batches go the way of the command line: a table is written as csv into a file
// that lies in memory, and read from there.
namespace sotto::python {
namespace {

// Errors name the table, and not the file that stands for it.
std::string WithoutPath(std::string message, const MemoryFile& file,
                        std::string_view name) {
  const std::string path = file.path();
  for (auto at = message.find(path); at != std::string::npos;
       at = message.find(path)) {
    message.replace(at, path.size(), name);
  }
  return message;
}

std::optional<MemoryFile> SchemaFile(py::handle schema) {
  if (schema.is_none()) return std::nullopt;
  return Checked(MemoryFile::Create(ToText(schema, "schema")));
}

// Returns the model as JSON, the model as text, the operator's notes and the
// guarantee. `user` is the user column of the csv file, or None.
py::tuple Fit(const std::string& name, py::handle options, py::handle schema,
              const std::string& csv, py::handle user) {
  const BatchModelEntry* entry = FindBatchModel(name);
  if (entry == nullptr) Raise(InvalidArgument("no model is called " + name));
  Settings settings = ParseSettings(BatchTable(*entry), options);
  const MemoryFile table = Checked(MemoryFile::Create(csv));
  const std::optional<MemoryFile> described = SchemaFile(schema);
  if (!user.is_none()) Check(settings.Set("user", ToText(user, "user")));
  Check(settings.Set("data", table.path()));
  Check(settings.Set("format", "csv"));
  Check(settings.Set("skip-bad", "true"));  // a bad row is an empty one
  if (described) Check(settings.Set("schema", described->path()));
  Check(settings.CheckRequired());
  const Key key = Checked(FreshKey(settings.GetOptionalInt("seed")));
  Result<FitResult> fitted = Error{ErrorCode::kUnavailable, ""};
  {
    const WithoutGil released;
    fitted = entry->fit(settings, MakeFitSource(settings), key);
  }
  if (!fitted) {
    std::string message = WithoutPath(fitted.error().message, table, "table");
    if (described) message = WithoutPath(message, *described, "schema");
    Raise({fitted.error().code, message});
  }
  const FitReport report{
      .model = name, .fitted = *fitted, .seeded = settings.Has("seed")};
  return py::make_tuple(fitted->model.Dump(),
                        FitWarning(report) + FitText(report),
                        WithoutPath(FitNotes(report), table, "table"),
                        ToJson(fitted->guarantee).Dump());
}

const ModelFileFormat& FindEntry(const Json& model) {
  const Json* name = model.Find("model");
  const ModelFileFormat* entry = name == nullptr || name->text() == nullptr
                                     ? nullptr
                                     : FindPublishedModel(*name->text());
  if (entry == nullptr) {
    Raise(InvalidArgument("this is nothing that a model has published"));
  }
  return *entry;
}

std::string Show(py::handle published) {
  const Json model = Checked(Json::Parse(ToText(published, "published")));
  const ModelFileFormat& entry = FindEntry(model);
  std::string text = Checked(entry.show(model));
  const Json* is_private = model.Find("private");
  const bool* stated = is_private == nullptr ? nullptr : is_private->boolean();
  if (stated != nullptr && *stated) return text;
  return (stated != nullptr
              ? "NOT PRIVATE: this model was made with a seed; its guarantee "
                "is not kept.\n"
              : "This does not say whether its model is private.\n") +
         text;
}

// Returns the names of labels in their order (nothing for numbers), and each
// label of y by its place among them, or as a number; None for a missing one.
py::tuple ReadLabels(const py::object& y, py::handle labels,
                     py::handle schema) {
  const std::string words = ToText(labels, "labels");
  const LabelWords two =
      words.empty() ? LabelWords() : Checked(ParseLabelWords(words));
  const StreamLabel label = Checked(GetLabel(two, MakeSchema(schema)));
  const Source source(y);
  py::list places;
  for (std::size_t i = 0; i < source.size(); ++i) {
    std::optional<Label> read;
    RowError fault;
    if (!ParseLabel(label.parser, source.Get(i), read, fault)) {
      Raise(InvalidArgument(fault.Text("row " + std::to_string(i))));
    }
    places.append(read ? py::object(py::float_(read->number())) : py::none());
  }
  return py::make_tuple(LabelObjects(label.parser.type()), places);
}

}  // namespace

OptionTable BatchTable(const BatchModelEntry& entry) {
  static const OptionTable kFit = {
      UserOption(),
      {.name = "seed",
       .type = OptionType::kWhole,
       .help = "experiments only: the result is then not private"}};
  // Both a plan and a fit take a schema.
  OptionTable plan_only = entry.plan_options;
  std::erase_if(plan_only, [](const Option& option) {
    return std::ranges::find(TableOptions(), option.name, &Option::name) !=
           TableOptions().end();
  });
  return ConcatOptions(
      {PrivacyOptions(), entry.options, plan_only, TableOptions(), kFit});
}

Result<Plan> PlanBatch(const BatchModelEntry& entry, py::handle options,
                       py::handle schema) {
  Settings settings = ParseSettings(BatchTable(entry), options);
  const std::optional<MemoryFile> described = SchemaFile(schema);
  if (described) Check(settings.Set("schema", described->path()));
  Result<Plan> plan = PlanModel(entry, settings);
  if (plan || !described) return plan;
  return Error{plan.error().code,
               WithoutPath(plan.error().message, *described, "schema")};
}

void BindBatch(py::module_& module) {
  module.def("fit", Fit);
  module.def("show", Show);
  // Names and known values of each column; the label's last, unless y is None.
  // Before them the column `user`, unless users is None.
  module.def("table_csv", [](const py::object& names, const py::object& x,
                             const py::object& y, const py::object& values,
                             bool strict, const py::object& users,
                             const std::string& user) {
    Table::CsvParams params{.names = ToStrings(names, "the name of a column"),
                            .user = user,
                            .strict = strict};
    for (const py::handle known : values) {
      params.values.push_back(ToStrings(known, "schema"));
    }
    return py::bytes(Table(x, y, users).Csv(params));
  });
  module.def("read_labels", ReadLabels);
}

}  // namespace sotto::python
