#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

namespace sotto::python {

// Lets one thread at a time into an object, and none in a process forked from
// the one that made it: both would answer with the same noise.
//
//   const Gate::Pass pass(gate_);   // throws FailedPrecondition
//
// A thread waits without the GIL, so that the thread inside can take it. A
// thread that is already inside is refused.
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

  // A look at what was published, which changes nothing. Works in a forked
  // process, too, unless another thread was inside when the process forked:
  // its work is then half done there for good.
  class View {
   public:
    // Requires the GIL.
    explicit View(Gate& gate);

   private:
    std::optional<Pass> pass_;
  };

 private:
  std::mutex mutex_;
  std::atomic<std::thread::id> inside_ = {};
  unsigned long process_;  // number of forks before it was made
};

}  // namespace sotto::python
