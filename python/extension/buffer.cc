#include "extension/buffer.h"

#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include "extension/bindings.h"
#include "extension/number_types.h"

namespace sotto::python {
namespace {

template <typename T>
T ReadAs(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

template <typename T>
double ReadNumber(const char* at) {
  return static_cast<double>(ReadAs<T>(at));
}

template <typename T>
std::int64_t ReadWhole(const char* at) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  const T value = ReadAs<T>(at);
  if (std::cmp_greater(value, kMost)) return kMost;
  return static_cast<std::int64_t>(value);
}

}  // namespace

bool HasMask(PyObject* object) {
  const std::string_view type = Py_TYPE(object)->tp_name;
  if (type == "numpy.ndarray") return false;
  return PyObject_HasAttrString(object, "mask") != 0 &&
         PyObject_HasAttrString(object, "filled") != 0;
}

NumberBuffer::NumberBuffer(PyObject* object) {
  if (PyObject_CheckBuffer(object) == 0 || PyBytes_Check(object) ||
      PyByteArray_Check(object) || HasMask(object)) {
    return;
  }
  shown_ = true;
  if (PyObject_GetBuffer(object, &view_, PyBUF_STRIDED_RO | PyBUF_FORMAT) !=
      0) {
    ForgetException();
    return;
  }
  held_ = true;
  // NumPy shows a date as bytes and forgets the strides.
  if (view_.ndim < 1 || view_.ndim > 2 || view_.strides == nullptr) return;
  const bool number = VisitNumberType(
      view_.format == nullptr ? "B" : view_.format, [this]<typename T>(T) {
        read_ = ReadNumber<T>;
        if constexpr (std::is_integral_v<T>) read_whole_ = ReadWhole<T>;
        return true;
      });
  if (number) dimensions_ = view_.ndim;
}

NumberBuffer::NumberBuffer(NumberBuffer&& other) noexcept
    : view_(other.view_),
      held_(std::exchange(other.held_, false)),
      shown_(other.shown_),
      dimensions_(std::exchange(other.dimensions_, 0)),
      read_(other.read_),
      read_whole_(other.read_whole_) {
  // Shape and strides of one dimension may lie inside the view itself.
  if (view_.shape == &other.view_.len) view_.shape = &view_.len;
  if (view_.strides == &other.view_.itemsize) view_.strides = &view_.itemsize;
}

NumberBuffer::~NumberBuffer() {
  if (held_) PyBuffer_Release(&view_);
}

}  // namespace sotto::python
