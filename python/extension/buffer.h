#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <cstdint>

namespace sotto::python {

// Returns whether some places of the object may be hidden: a masked array of
// NumPy. Its items say which are hidden; its memory does not.
bool HasMask(PyObject* object);

// Numbers of an object that shows its memory, a NumPy array for example, read
// in place: any of C's number types in this machine's byte order, any strides.
//
//   const NumberBuffer buffer(object);
//   if (buffer.dimensions() == 1) ... buffer.At(7) ...
//
// Threads: to be made and destroyed with the GIL; At may be called without.
class NumberBuffer {
 public:
  // Has 0 dimensions if the object has no such memory, is of another type, or
  // has a mask.
  explicit NumberBuffer(PyObject* object);
  ~NumberBuffer();
  NumberBuffer(NumberBuffer&& other) noexcept;
  NumberBuffer(const NumberBuffer&) = delete;
  NumberBuffer& operator=(const NumberBuffer&) = delete;

  // The object shows its memory, whatever that holds. False for bytes and
  // masks.
  bool shown() const { return shown_; }
  // 0, 1 or 2; 0 also if there are more.
  int dimensions() const { return dimensions_; }
  std::size_t size(int dimension) const {
    return static_cast<std::size_t>(view_.shape[dimension]);
  }
  bool whole() const { return read_whole_ != nullptr; }  // integers or Booleans
  // Requires that the places exist.
  double At(std::size_t i) const { return read_(Place(i, 0)); }
  double At(std::size_t i, std::size_t j) const { return read_(Place(i, j)); }
  // Requires whole(). A number that is too large is the largest there is.
  std::int64_t WholeAt(std::size_t i) const { return read_whole_(Place(i, 0)); }

 private:
  const char* Place(std::size_t i, std::size_t j) const {
    const char* at = static_cast<const char*>(view_.buf) +
                     static_cast<Py_ssize_t>(i) * view_.strides[0];
    return dimensions_ < 2 ? at
                           : at + static_cast<Py_ssize_t>(j) * view_.strides[1];
  }

  Py_buffer view_ = {};
  bool held_ = false;
  bool shown_ = false;
  int dimensions_ = 0;
  double (*read_)(const char*) = nullptr;
  std::int64_t (*read_whole_)(const char*) = nullptr;
};

}  // namespace sotto::python
