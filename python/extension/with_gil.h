#pragma once

#include <cxxabi.h>
#include <pybind11/pybind11.h>
#include <unistd.h>

namespace sotto::python {

// Work with the GIL, by a thread that may have it already or have let go of it.
//
//   const WithGil gil;
//
// A thread that wants it while the interpreter ends waits for the end of the
// process, as with WithoutGil.
class WithGil {
 public:
  WithGil() {
    try {
      state_ = PyGILState_Ensure();
    } catch (abi::__forced_unwind&) {
      while (true) ::pause();
    }
  }
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  PyGILState_STATE state_ = PyGILState_UNLOCKED;
};

}  // namespace sotto::python
