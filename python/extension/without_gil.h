#pragma once

#include <cxxabi.h>
#include <pybind11/pybind11.h>
#include <unistd.h>

namespace sotto::python {

// Work without the GIL, which is taken again at the end of the scope.
//
//   {
//     const WithoutGil released;
//     session.Play(rounds);
//   }
//
// A thread that wants it back while the interpreter ends waits for the end of
// the process: Python would unwind its stack, through code that must not be.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() {
    try {
      PyEval_RestoreThread(state_);
    } catch (abi::__forced_unwind&) {
      while (true) ::pause();
    }
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace sotto::python
