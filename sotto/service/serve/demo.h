#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "sotto/base/json.h"
#include "sotto/base/result.h"

namespace sotto {

// The model of the demonstration: tide on the table of `sotto generate life`.
Json DemoModel();
// A row of that table, as a request to predict, and its label; empty: the label
// is missing.
struct DemoRow {
  std::string request;
  std::string label;
};
// Returns an endless source of rows.
Result<std::function<DemoRow()>> DemoRows(std::uint64_t seed);
// Commands that a reader can paste, for that URL.
std::string DemoCommands(const std::string& user_url,
                         const std::string& operator_url);

// A crowd that uses a service over HTTP: each asks once, then labels at once,
// later or never.
// Threads: its own thread; it ends with the object.
class DemoUsers {
 public:
  DemoUsers(std::string url, double rounds_per_second);
  DemoUsers(const DemoUsers&) = delete;
  DemoUsers& operator=(const DemoUsers&) = delete;
  ~DemoUsers();

 private:
  void Run();

  std::string url_;
  double rate_;
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

// Calls `restart` once, after that many seconds.
// Threads: its own thread; it ends with the object.
class DemoRestart {
 public:
  DemoRestart(std::function<void()> restart, double seconds);
  DemoRestart(const DemoRestart&) = delete;
  DemoRestart& operator=(const DemoRestart&) = delete;
  ~DemoRestart();

  // Ends the wait. Returns true if the time had come before.
  bool Came();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  bool came_ = false;
  std::thread thread_;
};

}  // namespace sotto
