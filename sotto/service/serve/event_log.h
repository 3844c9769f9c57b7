#pragma once

#include <mutex>
#include <string_view>

#include "sotto/base/json.h"

namespace sotto {

// Events of a service, one line of JSON each:
//
//   log.Write("listening", {{"users", "127.0.0.1:8080"}});
//     // {"time":"2026-01-31T12:00:00.000Z","event":"listening","users":...}
//
// It is given facts about the process and its models, never a row, a name of a
// user or a ticket.
// Threads: thread-safe.
class EventLog {
 public:
  explicit EventLog(int descriptor) : descriptor_(descriptor) {}

  void Write(std::string_view event, const Json::Object& facts = {});

 private:
  int descriptor_;
  std::mutex mutex_;
};

}  // namespace sotto
