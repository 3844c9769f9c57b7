#include "extension/table.h"

#include <algorithm>
#include <utility>

#include "extension/bindings.h"

namespace sotto::python {
namespace {

std::shared_ptr<const NumberBuffer> Numbers(py::handle object) {
  auto buffer = std::make_shared<NumberBuffer>(object.ptr());
  return buffer->dimensions() == 0 ? nullptr : buffer;
}

py::object AsTuple(py::handle object) {
  PyObject* made = PySequence_Tuple(object.ptr());
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(made);
}

void AppendQuoted(std::string_view text, std::string& csv) {
  csv += '"';
  for (const char c : text) {
    if (c == '"') csv += '"';
    csv += c;
  }
  csv += '"';
}

bool OneLine(std::string_view text) {
  return text.find_first_of("\n\r") == std::string_view::npos;
}

// As the one of `values` that stands for it, if there is one.
void AppendNumber(const Field& field, const std::vector<std::string>& values,
                  std::string& csv) {
  const bool spelled =
      !values.empty() && field.Spelled([&](const std::string& text) {
        if (std::ranges::find(values, text) == values.end()) return false;
        AppendQuoted(text, csv);
        return true;
      });
  if (!spelled) csv += field.NumberText();
}

// False, and the fault, for what no field of a csv file holds.
bool Append(const Field& field, const std::vector<std::string>& values,
            std::string& csv, RowError& fault) {
  switch (field.kind) {
    case Field::Kind::kMissing:
      return true;
    case Field::Kind::kNumber:
      AppendNumber(field, values, csv);
      return true;
    case Field::Kind::kText:
      if (OneLine(field.text)) {
        AppendQuoted(field.text, csv);
        return true;
      }
      fault.Say(FaultReason::kSyntax, "a text of several lines", "one");
      return false;
    case Field::Kind::kUnknown:
      break;
  }
  return NoValue(field, fault);
}

}  // namespace

Source::Source(py::handle column) {
  if (PyTuple_Check(column.ptr()) && PyTuple_GET_SIZE(column.ptr()) == 2) {
    const auto pair = py::reinterpret_borrow<py::tuple>(column);
    numbers_ = Numbers(pair[0]);
    if (!numbers_) Raise(InvalidArgument("codes of a column are no numbers"));
    values_ = AsTuple(pair[1]);
    for (const py::handle value : values_) {
      fields_.push_back(Field::Of(value.ptr()));
    }
    return;
  }
  numbers_ = Numbers(column);
  if (numbers_ && numbers_->dimensions() == 1) return;
  numbers_.reset();
  list_ = AsTuple(column);
}

Source::Source(std::shared_ptr<const NumberBuffer> matrix, std::size_t j)
    : numbers_(std::move(matrix)), column_(j) {}

std::size_t Source::size() const {
  if (numbers_) return numbers_->size(0);
  return static_cast<std::size_t>(PyTuple_GET_SIZE(list_.ptr()));
}

Field Source::Get(std::size_t i) const {
  if (list_) {
    return Field::Of(PyTuple_GET_ITEM(list_.ptr(), static_cast<Py_ssize_t>(i)));
  }
  const double number = column_ ? numbers_->At(i, *column_) : numbers_->At(i);
  if (!values_) return Field::OfNumber(number);
  // A code below 0 is a value that is missing.
  if (!(number >= 0 && number < static_cast<double>(fields_.size()))) return {};
  return fields_[static_cast<std::size_t>(number)];
}

Table::Sparse::Sparse(const py::tuple& parts)
    : starts(parts[0].ptr()),
      places(parts[1].ptr()),
      values(parts[2].ptr()),
      columns(parts[3].cast<std::size_t>()) {
  const bool arrays = starts.dimensions() == 1 && places.dimensions() == 1 &&
                      values.dimensions() == 1;
  if (!arrays || starts.size(0) == 0 || places.size(0) != values.size(0)) {
    Raise(InvalidArgument("X: expected a sparse matrix of numbers"));
  }
}

bool Table::Sparse::Read(const RowReader& reader, std::size_t i, Round& round,
                         RowError& fault) const {
  const double first = starts.At(i);
  const double end = starts.At(i + 1);
  if (!(first >= 0 && end <= static_cast<double>(places.size(0)))) {
    fault.Set(FaultReason::kSyntax, "rows that are not there",
              "a sparse matrix of numbers");
    return false;
  }
  for (auto at = static_cast<std::size_t>(first); static_cast<double>(at) < end;
       ++at) {
    if (!reader.AddPlace(places.At(at), values.At(at), round.x, fault)) {
      return false;
    }
  }
  return reader.FinishSparse(round, fault);
}

Table::Table(py::handle x, py::handle y, py::handle users) {
  AddColumns(x);
  rows_ = columns_.empty() ? 0 : columns_.front().size();
  if (sparse_) rows_ = sparse_->starts.size(0) - 1;
  if (!y.is_none()) label_.emplace(y);
  if (!users.is_none()) users_ = AsTuple(users);
  const auto check = [this](std::size_t size, bool objects, const char* what) {
    objects_ = objects_ || objects;
    if (size == rows_) return;
    Raise(InvalidArgument(std::string(what) + " has " + std::to_string(size) +
                          " rows, x has " + std::to_string(rows_)));
  };
  for (const Source& column : columns_) {
    check(column.size(), column.objects(), "a column");
  }
  if (label_) check(label_->size(), label_->objects(), "y");
  if (users_) check(py::len(users_), true, "user");
}

void Table::AddColumns(py::handle x) {
  if (py::isinstance<py::tuple>(x) && py::len(x) == 4) {
    sparse_.emplace(py::reinterpret_borrow<py::tuple>(x));
    return;
  }
  if (const auto matrix = Numbers(x)) {
    if (matrix->dimensions() != 2) {
      Raise(InvalidArgument("X has one dimension: expected rows and columns"));
    }
    for (std::size_t j = 0; j < matrix->size(1); ++j) {
      columns_.emplace_back(matrix, j);
    }
    return;
  }
  const py::object list = AsTuple(x);
  for (const py::handle column : list) columns_.emplace_back(column);
}

bool Table::Read(const RowReader& reader, std::size_t i, Round& round,
                 RowError& fault) const {
  if (users_ &&
      !ReadName(PyTuple_GET_ITEM(users_.ptr(), static_cast<Py_ssize_t>(i)),
                round.user, fault)) {
    return false;
  }
  if (sparse_) {
    if (!sparse_->Read(reader, i, round, fault)) return false;
  } else {
    RowReader::Build build;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      reader.Add(c, columns_[c].Get(i), round.x, build, fault);
    }
    if (!reader.Finish(build, round, fault)) return false;
  }
  if (!label_) return true;
  if (!reader.ReadLabel(label_->Get(i), round.y, fault)) return false;
  // A label without features is not an empty row.
  if (round.presence != Presence::kAbsent || !round.y) return true;
  fault.Set(FaultReason::kNotNumber, "missing", "a value");
  return false;
}

// False, and the fault, for what is not a name: its field is empty.
bool Table::AppendUser(std::size_t i, NameNumbers& numbers, std::string& csv,
                       RowError& fault) const {
  if (!users_) return true;
  std::string name;
  const bool read = ReadName(
      PyTuple_GET_ITEM(users_.ptr(), static_cast<Py_ssize_t>(i)), name, fault);
  if (name.size() > kMaxUserBytes) {
    csv.append(kMaxUserBytes + 1, 'n');  // the fit makes it an empty place
  } else if (read && !name.empty()) {
    const std::size_t number =
        numbers.try_emplace(std::move(name), numbers.size()).first->second;
    csv += std::to_string(number);
  }
  csv += ',';
  return read;
}

bool Table::AppendRow(std::size_t i, const CsvParams& params, std::string& csv,
                      RowError& fault) const {
  for (std::size_t c = 0; c < params.names.size(); ++c) {
    if (c > 0) csv += ',';
    const Source& column = c < columns_.size() ? columns_[c] : *label_;
    if (!Append(column.Get(i), params.values[c], csv, fault)) return false;
  }
  return true;
}

std::string Table::Csv(const CsvParams& params) const {
  if (sparse_) Raise(InvalidArgument("a sparse matrix: expected an array"));
  const std::size_t columns = columns_.size() + (label_ ? 1 : 0);
  if (params.names.size() != columns || params.values.size() != columns) {
    Raise(InvalidArgument(std::to_string(columns) + " columns: expected " +
                          std::to_string(params.names.size())));
  }
  std::vector<std::string> header = params.names;
  if (users_) header.insert(header.begin(), params.user);
  std::string csv;
  for (const std::string& name : header) {
    if (!OneLine(name)) {
      Raise(InvalidArgument("the name of a column has several lines"));
    }
    if (!csv.empty()) csv += ',';
    AppendQuoted(name, csv);
  }
  NameNumbers numbers;
  const std::size_t end = params.end == 0 ? rows_ : params.end;
  for (std::size_t i = params.first; i < end; ++i) {
    csv += '\n';
    RowError fault;
    const bool named = AppendUser(i, numbers, csv, fault);
    const std::size_t start = csv.size();
    if (named && AppendRow(i, params, csv, fault)) continue;
    if (params.strict) {
      Raise(InvalidArgument(fault.Text("row " + std::to_string(i))));
    }
    // One field too many makes it a bad row.
    csv.resize(start);
    csv += '0';
    csv.append(columns, ',');
  }
  csv += '\n';
  return csv;
}

}  // namespace sotto::python
