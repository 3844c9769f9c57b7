#include "extension/buffer.h"

#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#include "extension/bindings.h"
#include "extension/number_types.h"

namespace sotto::python {
namespace {

template <typename T>
double ReadAs(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return static_cast<double>(value);
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
  VisitNumberType(view_.format == nullptr ? "B" : view_.format,
                  [this]<typename T>(T) {
                    read_ = ReadAs<T>;
                    whole_ = std::is_integral_v<T>;
                    return true;
                  });
  if (read_ == nullptr || view_.ndim < 1 || view_.ndim > 2) return;
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
