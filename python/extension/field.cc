#include "extension/field.h"

#include <array>
#include <charconv>
#include <cmath>

#include "extension/bindings.h"
#include "extension/without_gil.h"

namespace sotto::python {
namespace {

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
    ForgetException();
    return Unknown(object);
  }
  Field field;
  field.kind = Field::Kind::kText;
  field.text = {text, static_cast<std::size_t>(size)};
  return field;
}

// An integer too large for a double is infinite.
Field Whole(PyObject* object) {
  const double value = PyLong_AsDouble(object);
  if (value != -1 || PyErr_Occurred() == nullptr) {
    return Field::OfNumber(value);
  }
  ForgetException();
  return Field::OfNumber(HUGE_VAL);
}

// Missing values of pandas, and NumPy's value under a mask.
bool IsMissing(PyObject* object) {
  const std::string_view type = Py_TYPE(object)->tp_name;
  return type.ends_with("NAType") || type.ends_with("NaTType") ||
         type.ends_with("MaskedConstant");
}

// Returns all digits of an integer; nothing for anything else.
std::string WholeText(PyObject* object) {
  if (PyIndex_Check(object) == 0 || PySequence_Check(object) != 0 ||
      IsNotReal(object)) {
    return "";
  }
  const auto digits = pybind11::reinterpret_steal<pybind11::object>(
      PyNumber_ToBase(object, 10));
  if (!digits) {
    ForgetException();
    return "";
  }
  return pybind11::str(digits);
}

// Returns 3 and 1000000 for 3.0 and 1e6: a column with gaps turns integers into
// floats.
std::string NameOfNumber(const Field& field) {
  const double number = field.number;
  if (number != std::trunc(number) || std::isinf(number)) {
    return field.NumberText();
  }
  std::array<char, 320> digits;  // of the largest double, and its sign
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(),
                    number == 0 ? 0 : number, std::chars_format::fixed)
          .ptr;
  return {digits.data(), end};
}

// As a csv file would hold it, where spaces around a name are none of it.
std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

// Accepts texts and floats as names, beside integers. A decimal or a fraction
// would lose digits as a number, so that two users would share a name.
bool MayBeName(PyObject* object) {
  const std::string_view type = Py_TYPE(object)->tp_name;
  return PyUnicode_Check(object) || PyFloat_Check(object) ||
         type.starts_with("numpy.float") || object == Py_None ||
         IsMissing(object);
}

// Python's, and those of NumPy's that are none of Python's.
bool IsComplex(PyObject* object) {
  const std::string_view type = Py_TYPE(object)->tp_name;
  return PyComplex_Check(object) || type.starts_with("numpy.complex") ||
         type == "numpy.clongdouble";
}

Field Other(PyObject* object) {
  if (IsMissing(object)) return {};
  // One complex number makes a whole column complex.
  if (IsComplex(object)) {
    const Py_complex value = PyComplex_AsCComplex(object);
    if (PyErr_Occurred() != nullptr) {
      ForgetException();
      return Unknown(object);
    }
    return value.imag == 0 ? Field::OfNumber(value.real) : Unknown(object);
  }
  // Lists, arrays and dates may have a float value, too, but are not numbers.
  if (PyNumber_Check(object) == 0 || PySequence_Check(object) != 0 ||
      IsNotReal(object)) {
    return Unknown(object);
  }
  const double value =
      RunToCompletion([object] { return PyFloat_AsDouble(object); });
  if (value == -1 && PyErr_Occurred() != nullptr) {
    ForgetException();
    return Unknown(object);
  }
  return Field::OfNumber(value);
}

}  // namespace

bool IsBool(PyObject* object) {
  const std::string_view type = Py_TYPE(object)->tp_name;
  return PyBool_Check(object) || type == "numpy.bool_" || type == "numpy.bool";
}

bool IsNotReal(PyObject* object) {
  const std::string_view type = Py_TYPE(object)->tp_name;
  return IsComplex(object) || type == "numpy.datetime64" ||
         type == "numpy.timedelta64" || type == "numpy.void";
}

bool IsTrue(PyObject* object) {
  const int yes = PyObject_IsTrue(object);
  if (yes < 0) ForgetException();
  return yes == 1;
}

Field Field::OfNumber(double number) {
  Field field;
  if (std::isnan(number)) return field;
  field.kind = Kind::kNumber;
  field.number = number;
  return field;
}

Field Field::Of(PyObject* object) {
  if (PyFloat_Check(object)) return OfNumber(PyFloat_AS_DOUBLE(object));
  if (PyLong_Check(object)) return Whole(object);
  if (PyUnicode_Check(object)) return Text(object);
  if (object == Py_None) return {};
  return Other(object);
}

std::string Field::NumberText() const {
  const double size = std::abs(number);
  const auto format = size == 0 || (size >= 1e-4 && size < 1e16)
                          ? std::chars_format::fixed
                          : std::chars_format::scientific;
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                 number == 0 ? 0 : number, format)
                       .ptr;
  return {digits.data(), end};
}

bool NoValue(const Field& field, RowError& fault) {
  fault.Set(FaultReason::kNotNumber,
            "an object of type " + std::string(field.type),
            "a number or a text");
  return false;
}

bool ReadName(PyObject* user, std::string& name, RowError& fault) {
  if (IsBool(user)) {
    name = IsTrue(user) ? "1" : "0";
    return true;
  }
  name = WholeText(user);
  if (!name.empty()) return true;
  const Field field = MayBeName(user) ? Field::Of(user) : Unknown(user);
  switch (field.kind) {
    case Field::Kind::kMissing:
      return true;
    case Field::Kind::kText:
      name = Trimmed(field.text);
      return true;
    case Field::Kind::kNumber:
      name = NameOfNumber(field);
      return true;
    case Field::Kind::kUnknown:
      break;
  }
  fault.Set(FaultReason::kSyntax,
            "an object of type " + std::string(field.type) + " as user",
            "a text or a number");
  return false;
}

}  // namespace sotto::python
