#pragma once

#include <pybind11/pybind11.h>

#include <utility>

#include "sotto/base/result.h"

// What the files of the extension share. Each has one function that adds its
// part to the module; module.cc calls them all.
namespace sotto::python {

namespace py = pybind11;

void BindErrors(py::module_& module);

// Throws the Python exception of this error, with its text. Requires the GIL.
[[noreturn]] void Raise(const Error& error);

// The value, or the exception that stands for the error.
template <typename T>
T Checked(Result<T> result) {
  if (!result) Raise(result.error());
  return *std::move(result);
}
inline void Check(const Status& status) {
  if (!status) Raise(status.error());
}

}  // namespace sotto::python
