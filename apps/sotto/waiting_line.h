#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace sotto::app {

// On a terminal, a line that says what is being done and for how long, from
// the moment at which a user would wonder. Gone at the end.
//
//   const WaitingLine waiting("planning");
//
// Threads: one thread makes and destroys it.
class WaitingLine {
 public:
  explicit WaitingLine(std::string doing);
  ~WaitingLine();
  WaitingLine(const WaitingLine&) = delete;
  WaitingLine& operator=(const WaitingLine&) = delete;

 private:
  void Show();

  std::string doing_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread thread_;  // none unless standard error is a terminal
};

}  // namespace sotto::app
