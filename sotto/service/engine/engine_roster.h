#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "sotto/journal/postgres/postgres_roster.h"

namespace sotto {

// The number of addresses that come before `self` in the order of a model
// (rendezvous hashing): every process finds the same order, and the loss of one
// moves its models only. `self` need not be among the addresses.
std::size_t RankFor(std::string_view model, std::string_view self,
                    const std::vector<EngineRoll::Process>& processes);

struct EngineRosterOptions {
  std::string url;
  std::string holder{};   // this process; empty: it only looks
  std::string address{};  // where other processes reach it
  std::chrono::milliseconds every{200};
  std::chrono::milliseconds deadline{2'000};
  // Called with every session that answered, a few times a second, if some
  // process renewed its row there: a server that was replaced is not shown.
  std::function<void(PostgresConnection&)> read_more{};
  // A process that is there for this long gets the models it is first for.
  std::chrono::milliseconds settled{5'000};
};

// Processes and writers of a database, asked a few times a second, and whose
// turn it is to take a model over. An answer that is old or wrong costs time:
// appends are fenced (postgres_journal.md).
//
// Threads: thread-safe.
class EngineRoster {
 public:
  explicit EngineRoster(EngineRosterOptions options);
  // Says that this process ends.
  ~EngineRoster();
  EngineRoster(const EngineRoster&) = delete;
  EngineRoster& operator=(const EngineRoster&) = delete;

  // The newest writer of a model. Absent: none is known.
  std::optional<EngineRoll::Writer> FindWriter(std::string_view model) const;
  std::vector<std::string> models() const;
  bool known() const;  // the database answered at least once
  // True if there is no such model: a database that is in use said so in the
  // last three seconds. A server that was replaced may lack new models, and is
  // not in use: no process renews its row there.
  bool Lacks(std::string_view model) const;
  const std::string& holder() const { return options_.holder; }

  enum class Turn : std::uint8_t {
    kWait,   // another process writes the model, or should take it
    kTake,   // if it has no writer
    kForce,  // its writer holds the lock and shows no life
  };
  Turn FindTurn(std::string_view model) const;
  // True if this process writes the model and another one comes first in its
  // order. Once for every process that joins: one that does not take the model
  // is not asked again.
  bool ShouldYield(std::string_view model);

 private:
  using Clock = std::chrono::steady_clock;
  struct Known {
    EngineRoll::Writer writer;
    // Since when it looks free, or hangs. Absent: it does not.
    std::optional<Clock::time_point> free{};
    std::optional<Clock::time_point> hangs{};
    std::string yield_to{};  // holder that comes first, if this process writes
  };

  void Run();
  void Look(std::optional<PostgresConnection>& session);
  bool SeesNoWriter() const;
  void Note(EngineRoll roll);
  void NoteProcesses(std::vector<EngineRoll::Process> processes,
                     Clock::time_point now);
  std::string FindFirst(const EngineRoll::Writer& writer,
                        Clock::time_point now) const;
  std::size_t FindRank(std::string_view model, std::string_view before) const;

  const EngineRosterOptions options_;
  mutable std::mutex mutex_{};
  std::condition_variable changed_{};
  bool ended_ = false;
  std::optional<Clock::time_point> first_{};  // answer of the database
  Clock::time_point newest_{};                // answer
  std::vector<EngineRoll::Process> processes_{};
  std::map<std::string, Clock::time_point> joined_{};        // by holder
  std::set<std::pair<std::string, std::string>> yielded_{};  // model, holder
  std::map<std::string, Known, std::less<>> models_{};
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace sotto
