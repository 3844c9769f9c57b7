#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <mutex>
#include <thread>

namespace sotto::python {

// Lets one thread at a time into an object, and nobody in a process that was
// forked from the one it was made in: the two would answer under the same key.
//
//   const Gate::Pass pass(gate_);   // throws FailedPrecondition
//
// A thread that has to wait does so without the GIL, so whoever is inside may
// take it. A thread that is inside already is refused.
//
// Threads: thread-safe.
class Gate {
 public:
  Gate();

  class Pass {
   public:
    // Requires the GIL.
    explicit Pass(Gate& gate);
    ~Pass();
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    Gate& gate_;
  };

 private:
  std::mutex mutex_;
  std::atomic<std::thread::id> inside_ = {};
  unsigned long process_;  // how many forks lie behind it
};

}  // namespace sotto::python
