#pragma once

#include <pybind11/pybind11.h>

#include "extension/without_gil.h"

namespace sotto::python {

// Holds the GIL in a scope, in a thread that may have it already.
//
//   const WithGil gil;
//
// A thread that wants it while the interpreter ends waits for the end of the
// process (RunToCompletion).
class WithGil {
 public:
  WithGil() : state_(RunToCompletion([] { return PyGILState_Ensure(); })) {}
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace sotto::python
