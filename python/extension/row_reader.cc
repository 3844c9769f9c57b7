#include "extension/row_reader.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "extension/bindings.h"
#include "extension/buffer.h"
#include "extension/label_reader.h"
#include "sotto/data/streams/columns.h"
#include "sotto/data/streams/csv_fields.h"
#include "sotto/data/streams/csv_rows.h"
#include "sotto/data/streams/decimal.h"
#include "sotto/data/streams/public_inputs.h"

namespace sotto::python {
namespace {

// Without a schema; beyond that a row is none.
constexpr Py_ssize_t kMostColumns = 1 << 20;

py::object Interned(const std::string& text) {
  PyObject* made = PyUnicode_FromStringAndSize(
      text.data(), static_cast<Py_ssize_t>(text.size()));
  if (made == nullptr) throw py::error_already_set();
  PyUnicode_InternInPlace(&made);
  return py::reinterpret_steal<py::object>(made);
}

constexpr const char* kAnyRow = "a dict, a list, an array or a row of a table";

// pandas' rows, and whatever else can say what it holds by names.
py::object AsDict(py::handle x) {
  if (py::hasattr(x, "to_dict")) return x.attr("to_dict")();
  if (py::hasattr(x, "keys"))
    return py::dict(py::reinterpret_borrow<py::object>(x));
  return py::none();
}

Error NoRow(PyObject* object) {
  return InvalidArgument("an object of type " +
                         std::string(Py_TYPE(object)->tp_name) + ": expected " +
                         kAnyRow);
}

Status CheckNames(const std::vector<std::string>& columns,
                  const std::string& label, bool schema) {
  std::set<std::string_view> seen;
  for (const std::string& column : columns) {
    if (column.empty()) return InvalidArgument("a column without a name");
    if (!seen.insert(column).second) {
      return InvalidArgument("column " + Shown(column) + " comes twice");
    }
    if (schema) continue;
    if (column == label || column == "user") {
      return InvalidArgument(
          "x has a column " + Shown(column) + ", which is the " +
          (column == label ? "label's" : "user's") +
          " in a csv file: leave it out of x and say it on its own");
    }
    if (column == "honest") {
      return InvalidArgument(
          "a column called honest marks the rows of generated streams and is "
          "no feature: leave it out, or call it otherwise");
    }
  }
  return Ok();
}

std::string LabelName(const ExampleReader::Params& params) {
  if (!params.label.empty()) return params.label;
  const auto& schema = params.encoding.schema;
  return schema && schema->label ? schema->label->column : "y";
}

}  // namespace

Result<std::vector<std::string>> RowReader::MakeColumns(py::handle x) {
  PyObject* object = x.ptr();
  if (PyUnicode_Check(object) || PyBytes_Check(object) || object == Py_None) {
    return NoRow(object);
  }
  py::object dict =
      PyDict_Check(object) ? py::reinterpret_borrow<py::object>(x) : AsDict(x);
  std::vector<std::string> names;
  if (PyDict_Check(dict.ptr())) {
    for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(dict)) {
      names.push_back(py::str(key));
    }
    return names;
  }
  if (PySequence_Check(object) != 0) {
    const Py_ssize_t size = PySequence_Size(object);
    if (size < 0) throw py::error_already_set();
    if (size > kMostColumns) {
      return InvalidArgument("a row of " + std::to_string(size) +
                             " values: expected at most " +
                             std::to_string(kMostColumns));
    }
    return NumberedColumns(static_cast<std::uint32_t>(size));
  }
  if (Field::Of(object).kind == Field::Kind::kNumber) return NumberedColumns(1);
  return NoRow(object);
}

Result<std::unique_ptr<RowReader>> RowReader::Create(
    const ExampleReader::Params& params, std::vector<std::string> columns) {
  const std::string label = LabelName(params);
  const bool schema = params.encoding.schema.has_value();
  SOTTO_TRY(CheckNames(columns, label, schema));
  std::vector<std::string> all = columns;
  if (std::ranges::find(all, label) == all.end()) all.push_back(label);
  if (!params.user.empty()) all.push_back(params.user);
  SOTTO_TRY_ASSIGN(auto rows,
                   CsvRows::Create({.columns = std::move(all),
                                    .label = params.label,
                                    .user = params.user,
                                    .label_optional = params.label_optional,
                                    .label_reading = params.label_reading,
                                    .labels = params.labels,
                                    .encoding = params.encoding}));
  auto reader = Make(params, std::move(rows));
  // With a schema its columns are all that counts, in its order.
  if (schema) {
    columns.clear();
    const auto& all_columns = params.encoding.schema->columns;
    for (std::size_t c = 0; c < all_columns.size(); ++c) {
      const std::string& field = all_columns[c].field();
      // A mark stands behind the column of its field, or alone.
      if (!columns.empty() && columns.back() == field) continue;
      columns.push_back(field);
      reader->schema_columns_.push_back(c);
    }
  }
  for (const std::string& name : columns) {
    reader->keys_.push_back(Interned(name));
  }
  reader->names_ = std::move(columns);
  return reader;
}

std::unique_ptr<RowReader> RowReader::Make(const ExampleReader::Params& params,
                                           std::unique_ptr<RowFormat> rows) {
  std::unique_ptr<RowReader> reader(new RowReader());
  reader->rows_ = std::move(rows);
  reader->limits_ = params.limits;
  reader->labels_ = LabelObjects(reader->label_type());
  reader->zero_or_one_ = reader->label_type() == LabelType{} &&
                         params.label_reading != LabelReading::kIgnored;
  return reader;
}

bool RowReader::Read(py::handle x, Round& round, RowError& fault) const {
  round.x.reserve(names_.size());
  try {
    if (ReadAny(x, round, fault)) return true;
  } catch (py::error_already_set& error) {
    // An object whose methods raise is a bad row. Anything but an Exception, an
    // interrupt for example, is for the caller.
    if (!error.matches(PyExc_Exception)) throw;
    fault.Set(FaultReason::kSyntax,
              "an object of type " + std::string(Py_TYPE(x.ptr())->tp_name) +
                  " that cannot be read",
              kAnyRow);
  }
  MakeUnusable(round);
  return false;
}

bool RowReader::ReadAny(py::handle x, Round& round, RowError& fault) const {
  PyObject* object = x.ptr();
  if (sparse() && !PyList_Check(object) && !PyTuple_Check(object)) {
    return ReadSparse(x, round, fault);
  }
  if (PyDict_Check(object)) return ReadDict(object, round, fault);
  if (any_names()) {
    const py::object dict = AsDict(x);
    if (PyDict_Check(dict.ptr())) return ReadNamed(dict.ptr(), round, fault);
    fault.Set(FaultReason::kSyntax,
              "an object of type " + std::string(Py_TYPE(object)->tp_name),
              "a dict");
    return false;
  }
  if (PyList_Check(object) || PyTuple_Check(object)) {
    return ReadItems(object, round, fault);
  }
  if (const NumberBuffer buffer(object); buffer.dimensions() == 1) {
    return ReadArray(buffer, round, fault);
  } else if (buffer.dimensions() == 2 ||
             (py::hasattr(x, "columns") && py::hasattr(x, "iloc"))) {
    fault.Set(FaultReason::kSyntax, "a table", "one row of it");
    return false;
  }
  const py::object dict = AsDict(x);
  if (PyDict_Check(dict.ptr())) return ReadDict(dict.ptr(), round, fault);
  if (PySequence_Check(object) != 0 && !PyUnicode_Check(object) &&
      !PyBytes_Check(object)) {
    return ReadItems(object, round, fault);
  }
  if (Field::Of(object).kind == Field::Kind::kNumber) {
    return ReadItems(py::make_tuple(x).ptr(), round, fault);
  }
  fault.Set(FaultReason::kSyntax,
            "an object of type " + std::string(Py_TYPE(object)->tp_name),
            kAnyRow);
  return false;
}

bool RowReader::Found(std::size_t count, RowError& fault) const {
  if (count == width()) return true;
  fault = WrongFieldCount(count, width());
  return false;
}

namespace {

// The same by texts; nothing if all keys are.
py::object WithTextKeys(PyObject* dict) {
  py::dict made;
  bool other = false;
  const auto items = py::reinterpret_steal<py::object>(PyDict_Items(dict));
  if (!items) throw py::error_already_set();
  for (const py::handle item : items) {
    const auto pair = py::reinterpret_borrow<py::tuple>(item);
    other = other || PyUnicode_Check(pair[0].ptr()) == 0;
    made[py::str(pair[0])] = pair[1];
  }
  if (!other) return {};
  return made;
}

}  // namespace

bool RowReader::ReadDict(PyObject* dict, Round& round, RowError& fault) const {
  if (any_names()) return ReadNamed(dict, round, fault);
  const auto held = py::reinterpret_borrow<py::object>(dict);
  Build build;
  std::size_t found = 0;
  for (std::size_t c = 0; c < keys_.size(); ++c) {
    PyObject* value = PyDict_GetItemWithError(dict, keys_[c].ptr());
    if (value == nullptr && PyErr_Occurred() != nullptr) {
      throw py::error_already_set();
    }
    if (value != nullptr) ++found;
    // Asking it for its value may change the dict.
    const auto kept = py::reinterpret_borrow<py::object>(value);
    Add(c, value == nullptr ? Field{} : Field::Of(value), round.x, build,
        fault);
  }
  // Unknown names are not features, as in a file with a schema; without one
  // they would be.
  const auto size = static_cast<std::size_t>(PyDict_GET_SIZE(dict));
  if (found < keys_.size() && size > 0) {
    if (const py::object texts = WithTextKeys(dict)) {
      round.x.clear();
      fault = {};
      return ReadDict(texts.ptr(), round, fault);
    }
  }
  if (found < keys_.size() && size > found && IsMisspelt(dict, found, fault)) {
    return false;
  }
  if (encoding().schema() == nullptr && size != found) {
    return Found(size + keys_.size() - found, fault);
  }
  return Finish(build, round, fault);
}

bool RowReader::ReadItems(PyObject* list, Round& round, RowError& fault) const {
  // A list may change while its items are asked for their values: a tuple does
  // not.
  const auto items = py::reinterpret_steal<py::object>(PySequence_Tuple(list));
  if (!items) throw py::error_already_set();
  if (!Found(static_cast<std::size_t>(PyTuple_GET_SIZE(items.ptr())), fault)) {
    return false;
  }
  Build build;
  for (std::size_t c = 0; c < width(); ++c) {
    PyObject* item = PyTuple_GET_ITEM(items.ptr(), static_cast<Py_ssize_t>(c));
    Add(c, Field::Of(item), round.x, build, fault);
  }
  return Finish(build, round, fault);
}

bool RowReader::ReadArray(const NumberBuffer& buffer, Round& round,
                          RowError& fault) const {
  if (!Found(buffer.size(0), fault)) return false;
  Build build;
  for (std::size_t c = 0; c < width(); ++c) {
    Add(c, Field::OfNumber(buffer.At(c)), round.x, build, fault);
  }
  return Finish(build, round, fault);
}

bool RowReader::Finish(const Build& build, Round& round,
                       RowError& fault) const {
  // A row of no columns, which a constant is asked about, is present.
  if (build.missing > 0 && build.missing == width()) {
    round.x.clear();
    round.presence = Presence::kAbsent;
    return true;
  }
  return !build.failed && FinishSparse(round, fault);
}

// A rule asks only if the field is missing: then that is its value.
bool RowReader::IsLoneMark(std::size_t column) const {
  const Schema* const schema = encoding().schema();
  return schema != nullptr &&
         !schema->columns[schema_columns_[column]].missing_of.empty();
}

void RowReader::Add(std::size_t column, const Field& field, FeatureVector& x,
                    Build& build, RowError& fault) const {
  if (field.kind == Field::Kind::kMissing && !IsLoneMark(column)) {
    ++build.missing;
  }
  // The first fault is the one that is reported.
  if (build.failed) return;
  const bool good = encoding().schema() == nullptr
                        ? AddPlain(column, field, x, fault)
                        : AddBySchema(column, field, x, fault);
  if (good) return;
  fault.AtColumn("column " + Shown(ColumnName(column)));
  build.failed = true;
}

bool RowReader::AddPlain(std::size_t column, const Field& field,
                         FeatureVector& x, RowError& fault) const {
  double value = field.number;
  switch (field.kind) {
    case Field::Kind::kNumber:
      if (!std::isfinite(value)) {
        return encoding().TextFeature(ColumnName(column), field.NumberText(), x,
                                      fault);
      }
      break;
    case Field::Kind::kText:
      if (!ParseDecimal(field.text, value)) {
        return encoding().TextFeature(ColumnName(column), field.text, x, fault);
      }
      break;
    case Field::Kind::kMissing:
      return encoding().TextFeature(ColumnName(column), "", x, fault);
    case Field::Kind::kUnknown:
      return NoValue(field, fault);
  }
  x.push_back({static_cast<std::uint32_t>(column), value});
  return true;
}

// A column and, behind it, the mark of a missing field; or the mark alone.
bool RowReader::AddBySchema(std::size_t field_place, const Field& field,
                            FeatureVector& x, RowError& fault) const {
  std::size_t column = schema_columns_[field_place];
  const auto& columns = encoding().schema()->columns;
  if (columns[column].missing_of.empty()) {
    if (!AddToColumn(column, field, x, fault)) return false;
    const std::string& name = columns[column++].name;
    if (column == columns.size() || columns[column].missing_of != name) {
      return true;
    }
  }
  const bool missing =
      field.kind == Field::Kind::kMissing ||
      (field.kind == Field::Kind::kText && IsMissing(field.text)) ||
      (field.kind == Field::Kind::kNumber && !std::isfinite(field.number));
  return encoding().Column(column, missing ? "" : "0", x, fault);
}

bool RowReader::AddToColumn(std::size_t column, const Field& field,
                            FeatureVector& x, RowError& fault) const {
  switch (field.kind) {
    case Field::Kind::kNumber:
      if (encoding().schema()->columns[column].type !=
              SchemaColumn::Type::kNumber ||
          !std::isfinite(field.number)) {
        return AddNumberAsText(column, field, x, fault);
      }
      return encoding().NumberColumn(column, field.number, x, fault);
    case Field::Kind::kText:
      return encoding().Column(column, field.text, x, fault);
    case Field::Kind::kMissing:
      return encoding().Column(column, "", x, fault);
    case Field::Kind::kUnknown:
      break;
  }
  return NoValue(field, fault);
}

// Values of categories are texts.
bool RowReader::AddNumberAsText(std::size_t column, const Field& field,
                                FeatureVector& x, RowError& fault) const {
  RowError further;
  RowError* first = &fault;  // is the one that is reported
  return field.Spelled([&](const std::string& text) {
    RowError& found = *std::exchange(first, &further);
    return encoding().Column(column, text, x, found);
  });
}

Status RowReader::NameLabels(const py::object& classes, bool ignore) {
  py::dict places;
  std::vector<py::object> labels;
  for (const py::handle value : classes) {
    places[value] = labels.size();
    labels.push_back(py::reinterpret_borrow<py::object>(value));
  }
  if (labels.size() != label_type().classes() ||
      places.size() != labels.size()) {
    return InvalidArgument("classes: " + std::to_string(places.size()) +
                           " different ones: expected " +
                           std::to_string(label_type().classes()));
  }
  places_ = std::move(places);
  labels_ = std::move(labels);
  ignore_labels_ = ignore;
  zero_or_one_ = false;
  return Ok();
}

bool RowReader::ReadPlace(const Field& field, std::optional<Label>& y,
                          RowError& fault) const {
  y.reset();
  if (ignore_labels_ || field.kind == Field::Kind::kMissing) return true;
  const Label label = label_type().FromNumber(field.number);
  if (field.kind == Field::Kind::kNumber && label_type().Has(label)) {
    y = label;
    return true;
  }
  fault.Say(FaultReason::kLabel, "the label is none of the classes",
            "one of them");
  return false;
}

bool RowReader::ReadLabel(py::handle label, std::optional<Label>& y,
                          RowError& fault) const {
  Field field = Field::Of(label.ptr());
  if (!places_ || field.kind == Field::Kind::kMissing) {
    return ReadLabel(field, y, fault);
  }
  const auto place = py::reinterpret_borrow<py::object>(
      PyDict_GetItemWithError(places_.ptr(), label.ptr()));
  // A label that cannot be looked up is unknown.
  if (PyErr_Occurred() != nullptr) ForgetException();
  field = {};
  field.kind = Field::Kind::kUnknown;
  return ReadPlace(place ? Field::Of(place.ptr()) : field, y, fault);
}

bool RowReader::ReadLabel(const Field& field, std::optional<Label>& y,
                          RowError& fault) const {
  if (places_) return ReadPlace(field, y, fault);
  if (zero_or_one_ && field.kind == Field::Kind::kNumber &&
      (field.number == 0 || field.number == 1)) {
    y = Label(field.number == 1);
    return true;
  }
  return ParseLabel(rows_->label().parser, field, y, fault);
}

py::object RowReader::ToPython(const Label& label) const {
  if (label_type().kind == LabelType::Kind::kNumber) {
    return py::float_(label.number());
  }
  return labels_[label.index()];
}

std::vector<std::string> RowReader::FeatureNames() const {
  return sotto::FeatureNames(encoding());
}

std::string RowReader::input_fingerprint() const {
  return InputFingerprint(encoding(), rows_->label().name, label_type());
}

}  // namespace sotto::python
