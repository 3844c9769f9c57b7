#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>

namespace sotto::python {

// Whether some of its places may be hidden: a masked array of NumPy. Its memory
// holds what nobody is to read; its items say which are hidden.
bool HasMask(PyObject* object);

// Numbers of an object that shows its memory, a NumPy array for example, read
// where they are: any of C's number types in this machine's order of bytes, any
// strides.
//
//   const NumberBuffer buffer(object);
//   if (buffer.dimensions() == 1) ... buffer.At(7) ...
//
// Threads: to be made and destroyed with the GIL; At may be called without.
class NumberBuffer {
 public:
  // An object that has no such memory, or of another type, or with a mask, has
  // 0 dimensions.
  explicit NumberBuffer(PyObject* object);
  ~NumberBuffer();
  NumberBuffer(NumberBuffer&& other) noexcept;
  NumberBuffer(const NumberBuffer&) = delete;
  NumberBuffer& operator=(const NumberBuffer&) = delete;

  // 0, 1 or 2; 0 also if there are more.
  int dimensions() const { return dimensions_; }
  std::size_t size(int dimension) const {
    return static_cast<std::size_t>(view_.shape[dimension]);
  }
  bool whole() const { return whole_; }  // numbers are whole, or Booleans
  // Requires that the places exist.
  double At(std::size_t i) const { return read_(Place(i, 0)); }
  double At(std::size_t i, std::size_t j) const { return read_(Place(i, j)); }

 private:
  const char* Place(std::size_t i, std::size_t j) const {
    const char* at = static_cast<const char*>(view_.buf) +
                     static_cast<Py_ssize_t>(i) * view_.strides[0];
    return dimensions_ < 2 ? at
                           : at + static_cast<Py_ssize_t>(j) * view_.strides[1];
  }

  Py_buffer view_ = {};
  bool held_ = false;
  bool whole_ = false;
  int dimensions_ = 0;
  double (*read_)(const char*) = nullptr;
};

}  // namespace sotto::python
