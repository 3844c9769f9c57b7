#include "extension/buffer.h"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "extension/bindings.h"

namespace sotto::python {
namespace {

using Read = double (*)(const char*);

template <typename T>
double ReadAs(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return static_cast<double>(value);
}

// By the letters of Python's module struct.
Read ReaderOf(char letter) {
  switch (letter) {
    case '?':
    case 'B':
      return ReadAs<unsigned char>;
    case 'b':
      return ReadAs<signed char>;
    case 'h':
      return ReadAs<short>;
    case 'H':
      return ReadAs<unsigned short>;
    case 'i':
      return ReadAs<int>;
    case 'I':
      return ReadAs<unsigned>;
    case 'l':
      return ReadAs<long>;
    case 'L':
      return ReadAs<unsigned long>;
    case 'q':
      return ReadAs<long long>;
    case 'Q':
      return ReadAs<unsigned long long>;
    case 'f':
      return ReadAs<float>;
    case 'd':
      return ReadAs<double>;
    default:
      return nullptr;
  }
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
  if (PyObject_GetBuffer(object, &view_, PyBUF_STRIDED_RO | PyBUF_FORMAT) !=
      0) {
    ForgetException();
    return;
  }
  held_ = true;
  std::string_view format = view_.format == nullptr ? "B" : view_.format;
  if (format.starts_with('@') || format.starts_with('=')) {
    format.remove_prefix(1);
  }
  if (format.size() != 1) return;
  read_ = ReaderOf(format[0]);
  if (read_ == nullptr || view_.ndim < 1 || view_.ndim > 2) return;
  whole_ = format[0] != 'f' && format[0] != 'd';
  dimensions_ = view_.ndim;
}

NumberBuffer::NumberBuffer(NumberBuffer&& other) noexcept
    : view_(other.view_),
      held_(std::exchange(other.held_, false)),
      whole_(other.whole_),
      dimensions_(std::exchange(other.dimensions_, 0)),
      read_(other.read_) {
  // Shape and strides of one dimension may lie inside the view itself.
  if (view_.shape == &other.view_.len) view_.shape = &view_.len;
  if (view_.strides == &other.view_.itemsize) view_.strides = &view_.itemsize;
}

NumberBuffer::~NumberBuffer() {
  if (held_) PyBuffer_Release(&view_);
}

}  // namespace sotto::python
