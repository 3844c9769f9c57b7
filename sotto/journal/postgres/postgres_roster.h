#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/journal/postgres/postgres_connection.h"

namespace sotto {

// Processes that renewed their row in the last 1.2 s of the server's clock, and
// the newest writer of every model.
struct EngineRoll {
  struct Process {
    std::string holder;
    std::string address;
  };
  struct Writer {
    std::string model;
    std::string holder;   // empty: there never was one
    std::string address;  // where other processes reach it
    std::uint64_t term = 0;
    bool locked = false;  // the session that wrote this term is open
    bool alive = false;   // its process renewed its row
  };
  std::vector<Process> processes{};
  std::vector<Writer> writers{};  // by model
};

// Says that a process is alive. Waits for a standby, though the row need not
// survive: a primary that was replaced and does not know it has none, so
// no process stays with it.
Status RenewProcess(PostgresConnection& session, const std::string& holder,
                    const std::string& address);
// Removes the row of a process that ends, and rows that are an hour old.
Status RemoveProcess(PostgresConnection& session, const std::string& holder);
Result<EngineRoll> ReadRoll(PostgresConnection& session);

}  // namespace sotto
