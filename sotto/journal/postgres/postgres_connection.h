#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/result.h"

struct pg_conn;

namespace sotto {

// One parameter of a statement.
struct SqlParameter {
  std::string bytes;
  bool binary = false;  // otherwise the text form
};
SqlParameter SqlNumber(std::uint64_t number);
SqlParameter SqlBytes(std::string_view bytes);
SqlParameter SqlText(std::string_view text);

// A statement's end.
struct SqlAnswer {
  enum class Outcome {
    kDone,     // committed; the server had nothing to remark
    kRefused,  // an error: nothing of it was committed
    kUnknown,  // deadline, lost connection or a remark: committed or not
  };
  Outcome outcome = Outcome::kUnknown;
  std::string why{};                             // empty if done
  std::string state{};                           // SQLSTATE of a refusal
  std::uint64_t changed = 0;                     // rows
  std::vector<std::vector<std::string>> rows{};  // binary values, NULL empty

  bool done() const { return outcome == Outcome::kDone; }
};

// Reads a bigint of a row.
std::uint64_t ReadSqlNumber(std::string_view bytes);

// A session with a PostgreSQL server that waits for standbys at each commit and
// has its own deadline: the server's statement_timeout does not fire
// while it waits for a standby.
//
//   auto session = PostgresConnection::Open("postgresql:///sotto", 5s);
//   SqlAnswer answer = session->Execute("SELECT $1::bigint", {{SqlNumber(7)}});
//
// A commit whose wait was cancelled succeeds with a warning, so any remark of
// the server makes an outcome unknown (postgres_journal.md). After kUnknown the
// session is closed and every statement ends as unknown.
//
// Threads: not thread-safe.
class PostgresConnection {
 public:
  using Milliseconds = std::chrono::milliseconds;

  // Tries the servers of the URL one after the other, each for its share of the
  // deadline. Fails with
  // kUnavailable if no server that takes writes answers in time,
  // kFailedPrecondition if the server would lose what it acknowledged.
  static Result<PostgresConnection> Open(const std::string& url,
                                         Milliseconds deadline);

  // The next session of this process tries another server first.
  static void TryAnotherServer();

  SqlAnswer Execute(const char* statement,
                    std::span<const SqlParameter> parameters = {});
  // Fails with kUnavailable unless the statement is done.
  Result<std::vector<std::vector<std::string>>> Query(
      const char* statement, std::span<const SqlParameter> parameters = {});

 private:
  struct Close {
    void operator()(pg_conn* session) const;
  };
  struct Server {
    std::string host{};
    std::string port{};
  };
  PostgresConnection(pg_conn* session, Milliseconds deadline);

  static std::vector<Server> ListServers(const std::string& url);
  static Result<PostgresConnection> OpenServer(const std::string& url,
                                               const Server& server,
                                               Milliseconds deadline);

  Status Connect(std::chrono::steady_clock::time_point end);
  Status CheckServer();
  bool Send(std::chrono::steady_clock::time_point end);
  SqlAnswer Receive(std::chrono::steady_clock::time_point end);
  SqlAnswer Unknown(std::string why);

  std::unique_ptr<pg_conn, Close> session_;
  Milliseconds deadline_;
  std::unique_ptr<std::string> remark_;  // of the server, on this statement
};

}  // namespace sotto
