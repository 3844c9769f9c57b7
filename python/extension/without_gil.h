#pragma once

#include <cxxabi.h>
#include <pybind11/pybind11.h>
#include <unistd.h>

namespace sotto::python {

// Calls Python's own code, which lets other threads run in between. A thread
// that wants the GIL back while the interpreter ends waits for the end of the
// process: Python would unwind its stack through code that must not be unwound.
// The call itself holds nothing that has a destructor.
template <typename Call>
auto RunToCompletion(const Call& call) {
  try {
    return call();
  } catch (abi::__forced_unwind&) {
    while (true) ::pause();
  }
}

// Work without the GIL, which is taken again at the end of the scope.
//
//   {
//     const WithoutGil released;
//     session.Play(rounds);
//   }
//
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() {
    RunToCompletion([this] { PyEval_RestoreThread(state_); });
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace sotto::python
