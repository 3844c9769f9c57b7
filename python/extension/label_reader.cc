#include "extension/label_reader.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace sotto::python {
namespace {

namespace py = pybind11;

bool IsWhole(const std::string& name) {
  std::int64_t value = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data(), end, value);
  return read.ec == std::errc() && read.ptr == end &&
         std::to_string(value) == name;
}

bool ParseNumber(const LabelParser& parser, const Field& field,
                 std::optional<Label>& y, RowError& fault) {
  if (parser.Parse(field.NumberText(), y, fault)) return true;
  if (parser.type().kind == LabelType::Kind::kNumber) return false;
  RowError further;
  return field.Spelled(
      [&](const std::string& text) { return parser.Parse(text, y, further); });
}

}  // namespace

std::vector<py::object> LabelObjects(const LabelType& type) {
  if (type.kind == LabelType::Kind::kTwo && type.names.empty()) {
    return {py::int_(0), py::int_(1)};
  }
  // Classes whose names are all integers are those numbers.
  const bool whole = std::ranges::all_of(type.names, IsWhole);
  std::vector<py::object> labels;
  for (const std::string& name : type.names) {
    if (whole) {
      labels.push_back(py::int_(std::stoll(name)));
    } else {
      labels.push_back(py::str(name));
    }
  }
  return labels;
}

bool ParseLabel(const LabelParser& parser, const Field& field,
                std::optional<Label>& y, RowError& fault) {
  bool good = true;
  switch (field.kind) {
    case Field::Kind::kMissing:
      y.reset();
      break;
    case Field::Kind::kText:
      good = parser.Parse(field.text, y, fault);
      break;
    case Field::Kind::kNumber:
      good = ParseNumber(parser, field, y, fault);
      break;
    case Field::Kind::kUnknown:
      good = NoValue(field, fault);
      break;
  }
  if (!good) fault.AtColumn("the label");
  return good;
}

}  // namespace sotto::python
