#include "extension/whole_numbers.h"

#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include "extension/bindings.h"
#include "extension/buffer.h"
#include "extension/field.h"
#include "extension/number_types.h"

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

template <typename T>
std::int64_t ReadAs(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  if constexpr (sizeof(T) == 8 && !std::numeric_limits<T>::is_signed) {
    return value > static_cast<T>(kMost) ? kMost
                                         : static_cast<std::int64_t>(value);
  } else {
    return static_cast<std::int64_t>(value);
  }
}

using Read = std::int64_t (*)(const char*);

// Of whole numbers alone.
Read MakeReader(const char* format) {
  Read read = nullptr;
  VisitNumberType(format == nullptr ? "B" : format, [&]<typename T>(T) {
    if constexpr (std::is_integral_v<T>) read = ReadAs<T>;
    return read != nullptr;
  });
  return read;
}

// Released whatever happens in between.
struct View {
  Py_buffer memory = {};
  bool held = false;
  ~View() {
    if (held) PyBuffer_Release(&memory);
  }
};

// Of an object that shows its memory; otherwise nothing, and it is iterated.
std::optional<std::vector<std::int64_t>> FromMemory(py::handle numbers,
                                                    std::string_view what) {
  if (PyObject_CheckBuffer(numbers.ptr()) == 0 ||
      PyBytes_Check(numbers.ptr()) != 0 || HasMask(numbers.ptr())) {
    return std::nullopt;
  }
  View view;
  if (PyObject_GetBuffer(numbers.ptr(), &view.memory,
                         PyBUF_STRIDED_RO | PyBUF_FORMAT) != 0) {
    PyErr_Clear();
    WrongType(what, "whole numbers in one dimension", numbers);
  }
  view.held = true;
  const Read read = MakeReader(view.memory.format);
  if (read == nullptr || view.memory.ndim != 1) {
    WrongType(what, "an array of whole numbers in one dimension", numbers);
  }
  std::vector<std::int64_t> values;
  const Py_ssize_t size = view.memory.shape[0];
  values.reserve(static_cast<std::size_t>(size));
  const char* at = static_cast<const char*>(view.memory.buf);
  for (Py_ssize_t i = 0; i < size; ++i, at += view.memory.strides[0]) {
    values.push_back(read(at));
  }
  return values;
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
  if (IsText(number) || PyIndex_Check(number.ptr()) == 0) {
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
  if (auto values = FromMemory(numbers, what)) return *std::move(values);
  return ConvertEach<std::int64_t>(numbers, what, ToInt64);
}

double ToDouble(py::handle number, std::string_view what) {
  const std::string_view type = Py_TYPE(number.ptr())->tp_name;
  if (number.is_none() || type.ends_with("MaskedConstant")) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (IsText(number)) WrongType(what, "a number", number);
  const double value = PyFloat_AsDouble(number.ptr());
  if (value != -1 || PyErr_Occurred() == nullptr) return value;
  // One that no double is as large as.
  if (PyErr_ExceptionMatches(PyExc_OverflowError) != 0) {
    PyErr_Clear();
    const double most = std::numeric_limits<double>::max();
    return IsNegative(number) ? -most : most;
  }
  // A type that has no number says so with a TypeError; anything else is about
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
