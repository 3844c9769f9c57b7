#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "sotto/service/host_set.h"
#include "sotto/service/serve/event_log.h"

namespace sotto {

// Writes an event whenever the state of a model changes (ready, halted, frozen)
// and when it had a full group.
// Threads: its own thread; it ends with the object.
class StateWatch {
 public:
  // Both must outlive it.
  StateWatch(const HostSet& hosts, EventLog& log);
  StateWatch(const StateWatch&) = delete;
  StateWatch& operator=(const StateWatch&) = delete;
  ~StateWatch();

 private:
  void Run();
  void Look();
  void NoteFullGroups(const Host& host);

  const HostSet& hosts_;
  EventLog& log_;
  std::map<std::string, Host::State> known_;
  std::map<std::string, std::uint64_t> full_groups_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace sotto
