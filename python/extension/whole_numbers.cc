#include "extension/whole_numbers.h"

#include <limits>
#include <string>

#include "extension/bindings.h"
#include "extension/buffer.h"
#include "extension/field.h"

namespace sotto::python {
namespace {

constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
constexpr auto kMost = std::numeric_limits<std::int64_t>::max();

[[noreturn]] void WrongType(std::string_view what, const char* expected,
                            py::handle came) {
  throw py::type_error(std::string(what) + ": expected " + expected + ", not " +
                       Py_TYPE(came.ptr())->tp_name);
}

bool IsNegative(py::handle number) {
  const int below =
      PyObject_RichCompareBool(number.ptr(), py::int_(0).ptr(), Py_LT);
  if (below < 0) ForgetException();
  return below == 1;
}

std::int64_t CutToSize(py::handle whole) {
  int over = 0;
  const long long value = PyLong_AsLongLongAndOverflow(whole.ptr(), &over);
  if (over != 0) return over > 0 ? kMost : kLeast;
  if (value == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return value;
}

bool IsText(py::handle object) {
  return PyUnicode_Check(object.ptr()) != 0 || PyBytes_Check(object.ptr()) != 0;
}

[[noreturn]] void NotNumbers(std::string_view what, py::handle came) {
  WrongType(what, "numbers", came);
}

}  // namespace

py::iterator MakeIterator(py::handle numbers, std::string_view what) {
  if (IsText(numbers)) NotNumbers(what, numbers);
  PyObject* iterator = PyObject_GetIter(numbers.ptr());
  if (iterator == nullptr) {
    ForgetException();
    NotNumbers(what, numbers);
  }
  return py::reinterpret_steal<py::iterator>(iterator);
}

std::int64_t ToInt64(py::handle number, std::string_view what) {
  if (PyLong_Check(number.ptr()) != 0) return CutToSize(number);
  // NumPy's, which has no index.
  if (IsBool(number.ptr())) return IsTrue(number.ptr()) ? 1 : 0;
  if (IsText(number) || IsNotReal(number.ptr()) ||
      PyIndex_Check(number.ptr()) == 0) {
    WrongType(what, "a whole number", number);
  }
  PyObject* whole = PyNumber_Index(number.ptr());
  if (whole == nullptr) {
    ForgetException();
    WrongType(what, "a whole number", number);
  }
  return CutToSize(py::reinterpret_steal<py::object>(whole));
}

std::vector<std::int64_t> ToInt64Vector(py::handle numbers,
                                        std::string_view what) {
  const NumberBuffer buffer(numbers.ptr());
  if (!buffer.shown()) return ConvertEach<std::int64_t>(numbers, what, ToInt64);
  if (buffer.dimensions() != 1 || !buffer.whole()) {
    WrongType(what, "an array of integers in one dimension", numbers);
  }
  std::vector<std::int64_t> values(buffer.size(0));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = buffer.WholeAt(i);
  return values;
}

double ToDouble(py::handle number, std::string_view what) {
  const std::string_view type = Py_TYPE(number.ptr())->tp_name;
  if (number.is_none() || type.ends_with("MaskedConstant")) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (IsText(number) || IsNotReal(number.ptr())) {
    WrongType(what, "a number", number);
  }
  const double value = PyFloat_AsDouble(number.ptr());
  if (value != -1 || PyErr_Occurred() == nullptr) return value;
  // One that no double is as large as.
  if (PyErr_ExceptionMatches(PyExc_OverflowError) != 0) {
    PyErr_Clear();
    const double most = std::numeric_limits<double>::max();
    return IsNegative(number) ? -most : most;
  }
  // A TypeError is about the type; anything else is about
  // the value, a NaN that signals for example.
  const bool by_type = PyErr_ExceptionMatches(PyExc_TypeError) != 0;
  ForgetException();
  if (by_type) WrongType(what, "a number", number);
  return std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> ToDoubles(py::handle numbers, std::string_view what) {
  const NumberBuffer buffer(numbers.ptr());
  if (buffer.dimensions() == 2) {
    WrongType(what, "numbers in one dimension", numbers);
  }
  if (buffer.dimensions() == 0) {
    return ConvertEach<double>(numbers, what, ToDouble);
  }
  std::vector<double> values(buffer.size(0));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = buffer.At(i);
  return values;
}

}  // namespace sotto::python
