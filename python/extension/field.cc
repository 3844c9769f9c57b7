#include "extension/field.h"

#include <array>
#include <charconv>
#include <cmath>

namespace sotto::python {
namespace {

// What a user's object raised: an Exception says that the object is no value;
// anything else is for whoever called.
void Swallow() {
  if (PyErr_ExceptionMatches(PyExc_Exception) == 0 ||
      PyErr_ExceptionMatches(PyExc_MemoryError) != 0) {
    throw pybind11::error_already_set();
  }
  PyErr_Clear();
}

Field Unknown(PyObject* object) {
  Field field;
  field.kind = Field::Kind::kUnknown;
  field.type = Py_TYPE(object)->tp_name;
  return field;
}

Field Text(PyObject* object) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text == nullptr) {
    Swallow();
    return Unknown(object);
  }
  Field field;
  field.kind = Field::Kind::kText;
  field.text = {text, static_cast<std::size_t>(size)};
  return field;
}

// A whole number too large for a double is infinite.
Field Whole(PyObject* object) {
  const double value = PyLong_AsDouble(object);
  if (value != -1 || PyErr_Occurred() == nullptr) {
    return Field::OfNumber(value);
  }
  Swallow();
  return Field::OfNumber(HUGE_VAL);
}

bool IsMissingOfPandas(PyObject* object) {
  const std::string_view type = Py_TYPE(object)->tp_name;
  return type.ends_with("NAType") || type.ends_with("NaTType");
}

Field Other(PyObject* object) {
  if (IsMissingOfPandas(object)) return {};
  // Lists, arrays and the like may have a float value, too, but are no number.
  if (PyNumber_Check(object) == 0 || PyComplex_Check(object) != 0 ||
      (PySequence_Check(object) != 0)) {
    return Unknown(object);
  }
  const double value = PyFloat_AsDouble(object);
  if (value == -1 && PyErr_Occurred() != nullptr) {
    Swallow();
    return Unknown(object);
  }
  return Field::OfNumber(value);
}

}  // namespace

Field Field::OfNumber(double number) {
  Field field;
  if (std::isnan(number)) return field;
  field.kind = Kind::kNumber;
  field.number = number;
  return field;
}

Field Field::Of(PyObject* object) {
  if (PyFloat_Check(object)) return OfNumber(PyFloat_AS_DOUBLE(object));
  if (PyBool_Check(object)) {
    Field field = OfNumber(object == Py_True ? 1 : 0);
    field.boolean = true;
    return field;
  }
  if (PyLong_Check(object)) return Whole(object);
  if (PyUnicode_Check(object)) return Text(object);
  if (object == Py_None) return {};
  return Other(object);
}

std::string Field::NumberText() const {
  std::array<char, 32> digits;
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  return {digits.data(), end};
}

}  // namespace sotto::python
