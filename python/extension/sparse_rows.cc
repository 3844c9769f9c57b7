// Rows without fixed columns: sparse ones, dicts of any names, and names that
// are misspelt.
#include <algorithm>
#include <cmath>
#include <utility>

#include "extension/bindings.h"
#include "extension/row_reader.h"
#include "sotto/data/streams/libsvm_rows.h"
#include "sotto/data/streams/vw_rows.h"

namespace sotto::python {
namespace {

constexpr const char* kSparseRow =
    "a dict of places, a list, an array or a sparse matrix of one row";

Result<StreamLabel> LabelFor(const ExampleReader::Params& params) {
  return GetLabel(params.labels, params.encoding.schema, params.label_reading);
}

bool IsSparseMatrix(py::handle x) {
  return py::hasattr(x, "tocsr") && py::hasattr(x, "shape");
}

// Number of edits between two names, at most `most` + 1: a letter more, less
// or another one.
std::size_t Distance(const std::string& a, const std::string& b,
                     std::size_t most) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > most) {
    return most + 1;
  }
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
      corner = std::exchange(row[j],
                             std::min({changed, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row[b.size()];
}

// A name of a third as many edits as letters, at least one, may be misspelt.
bool IsNear(const std::string& a, const std::string& b) {
  constexpr std::size_t kLongest = 64;
  if (a.size() > kLongest || b.size() > kLongest) return false;
  const std::size_t most =
      std::max<std::size_t>(1, std::min(a.size(), b.size()) / 3);
  return a.size() > 1 && b.size() > 1 && Distance(a, b, most) <= most;
}

// The first few names, each in quotes.
std::string Quoted(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    text += (i == 0 ? "" : ", ") + Shown(names[i]);
  }
  return names.size() > kMost ? text + ", ..." : text;
}

}  // namespace

Result<std::unique_ptr<RowReader>> RowReader::CreateSparse(
    const ExampleReader::Params& params) {
  SOTTO_TRY_ASSIGN(auto label, LabelFor(params));
  SOTTO_TRY_ASSIGN(auto rows,
                   LibsvmRows::Create(params.encoding, std::move(label)));
  auto reader = Make(params, std::move(rows));
  reader->shape_ = Shape::kSparse;
  return reader;
}

Result<std::unique_ptr<RowReader>> RowReader::CreateNamed(
    const ExampleReader::Params& params) {
  SOTTO_TRY_ASSIGN(auto label, LabelFor(params));
  SOTTO_TRY_ASSIGN(auto rows,
                   VwRows::Create(params.encoding, std::move(label)));
  if (!rows->encoding().has_buckets()) {
    return InvalidArgument(
        "columns='words' hashes names: say hash_bits, for example 18");
  }
  auto reader = Make(params, std::move(rows));
  reader->shape_ = Shape::kAnyNames;
  return reader;
}

std::string RowReader::ColumnName(std::size_t column) const {
  return names_.empty() ? "c" + std::to_string(column + 1) : names_[column];
}

bool RowReader::FinishSparse(Round& round, RowError& fault) const {
  FeatureVector scratch;
  if (!SortFeatures(round.x, scratch)) {
    fault.Say(FaultReason::kNotFinite, "values add up to infinity",
              "finite sums");
    return false;
  }
  return rows_->CheckValues(round, limits_, fault);
}

bool RowReader::AddPlace(double place, double value, FeatureVector& x,
                         RowError& fault) const {
  if (!(place >= 0 && place < static_cast<double>(encoding().dense()))) {
    fault.Set(FaultReason::kTooMany, "a place that is not there",
              "places below " + std::to_string(encoding().dense()));
    return false;
  }
  if (!std::isfinite(value)) {
    fault.Set(FaultReason::kNotFinite, ShownNumber(value), "a finite number");
    return false;
  }
  if (x.size() >= encoding().max_per_row()) {
    encoding().TooManyInRow(fault);
    return false;
  }
  x.push_back({static_cast<std::uint32_t>(place), value});
  return true;
}

bool RowReader::ReadPlaces(PyObject* dict, Round& round,
                           RowError& fault) const {
  for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(dict)) {
    const Field place = Field::Of(key.ptr());
    const Field field = Field::Of(value.ptr());
    if (place.kind != Field::Kind::kNumber ||
        place.number != std::trunc(place.number) ||
        field.kind != Field::Kind::kNumber) {
      fault.Set(FaultReason::kNotNumber, "a place or a value of another type",
                "numbers by integers");
      return false;
    }
    if (!AddPlace(place.number, field.number, round.x, fault)) return false;
  }
  return FinishSparse(round, fault);
}

bool RowReader::ReadSparse(py::handle x, Round& round, RowError& fault) const {
  if (PyDict_Check(x.ptr())) {
    // Asking an item for its value may change the dict.
    const py::object held =
        py::reinterpret_steal<py::object>(PyDict_Copy(x.ptr()));
    if (!held) throw py::error_already_set();
    return ReadPlaces(held.ptr(), round, fault);
  }
  if (const NumberBuffer buffer(x.ptr()); buffer.dimensions() == 1) {
    return ReadArray(buffer, round, fault);
  }
  if (IsSparseMatrix(x)) {
    const py::object row = x.attr("tocsr")();
    const NumberBuffer places(py::object(row.attr("indices")).ptr());
    const NumberBuffer values(py::object(row.attr("data")).ptr());
    const auto shape = row.attr("shape").cast<std::pair<long, long>>();
    if (shape.first == 1 && places.dimensions() == 1 &&
        values.dimensions() == 1 && values.size(0) == places.size(0) &&
        static_cast<std::size_t>(shape.second) == width()) {
      for (std::size_t i = 0; i < places.size(0); ++i) {
        if (!AddPlace(places.At(i), values.At(i), round.x, fault)) return false;
      }
      return FinishSparse(round, fault);
    }
  }
  fault.Set(FaultReason::kSyntax,
            "an object of type " + std::string(Py_TYPE(x.ptr())->tp_name),
            kSparseRow);
  return false;
}

bool RowReader::AddNamed(PyObject* name, PyObject* value, FeatureVector& x,
                         RowError& fault) const {
  const std::string text = py::str(py::handle(name));
  if (text.empty()) {
    fault.Set(FaultReason::kSyntax, "no name", "a name");
    return false;
  }
  if (x.size() >= encoding().max_per_row()) {
    encoding().TooManyInRow(fault);
    return false;
  }
  const Field field = Field::Of(value);
  switch (field.kind) {
    case Field::Kind::kNumber:
      if (!std::isfinite(field.number)) break;
      x.push_back({encoding().Bucket(text), field.number});
      return true;
    case Field::Kind::kText:
      return encoding().TextFeature(text, field.text, x, fault);
    case Field::Kind::kMissing:
      return encoding().TextFeature(text, "", x, fault);
    case Field::Kind::kUnknown:
      return NoValue(field, fault);
  }
  return encoding().TextFeature(text, field.NumberText(), x, fault);
}

bool RowReader::ReadNamed(PyObject* dict, Round& round, RowError& fault) const {
  const auto items = py::reinterpret_steal<py::object>(PyDict_Items(dict));
  if (!items) throw py::error_already_set();
  for (const py::handle item : items) {
    const auto pair = py::reinterpret_borrow<py::tuple>(item);
    if (AddNamed(pair[0].ptr(), pair[1].ptr(), round.x, fault)) continue;
    fault.At("a named value");
    return false;
  }
  return FinishSparse(round, fault);
}

// Finds the columns that unknown names of a row stand for: a row of unknown
// names only, or with one that is near a missing column, is misspelt.
bool RowReader::IsMisspelt(PyObject* dict, std::size_t found,
                           RowError& fault) const {
  const auto keys = py::reinterpret_steal<py::object>(PyDict_Keys(dict));
  if (!keys) throw py::error_already_set();
  std::vector<std::string> held;
  for (const py::handle key : keys) held.push_back(py::str(key));
  const auto has = [](const std::vector<std::string>& names,
                      const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  std::vector<std::string> unknown;
  std::vector<std::string> meant;
  for (const std::string& name : held) {
    if (has(names_, name)) continue;
    const auto column = std::ranges::find_if(names_, [&](const auto& known) {
      return !has(held, known) && IsNear(name, known);
    });
    if (column == names_.end() && found > 0) continue;
    unknown.push_back(name);
    if (column != names_.end()) meant.push_back(*column);
  }
  if (unknown.empty()) return false;
  const std::string hint = meant.empty()
                               ? ": expected " + Quoted(names_)
                               : "; did you mean " + Quoted(meant) + "?";
  fault = {};
  fault.Say(FaultReason::kFields, "unknown columns " + Quoted(unknown) + hint,
            "the columns " + ShownList(names_));
  return true;
}

}  // namespace sotto::python
