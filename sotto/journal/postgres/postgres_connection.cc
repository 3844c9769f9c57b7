#include "sotto/journal/postgres/postgres_connection.h"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <utility>

namespace sotto {
namespace {

using Clock = std::chrono::steady_clock;

struct FreeResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using ResultPtr = std::unique_ptr<PGresult, FreeResult>;

// Acknowledged means: on the disks of the primary and its synchronous
// standbys. Keepalives let the server notice a lost host in about five seconds.
// A client that hangs within a transaction would keep its locks, and with them
// the writer's row, from the process that takes over: the server ends it.
constexpr const char* kSettings =
    "SELECT set_config('synchronous_commit', CASE current_setting("
    "'synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' "
    "END, false), set_config('tcp_keepalives_idle', '2', false), "
    "set_config('tcp_keepalives_interval', '1', false), "
    "set_config('tcp_keepalives_count', '3', false), "
    "set_config('client_min_messages', 'warning', false), "
    "set_config('idle_in_transaction_session_timeout', '1000', false), "
    "set_config('statement_timeout', '0', false)";
constexpr const char* kServerFacts =
    "SELECT current_setting('fsync'), pg_is_in_recovery()::text, "
    "current_setting('server_version_num')::bigint";
constexpr std::uint64_t kOldestServer = 130'000;

void NoteRemark(void* remark, const PGresult* result) {
  *static_cast<std::string*>(remark) += PQresultErrorMessage(result);
}

std::string OneLine(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

// The server that answered last comes first, whatever the order of the URL: one
// that hangs would cost its share of the deadline every time. After a statement
// without an answer the next one comes first: a primary that was replaced may
// not know it, and still take connections.
std::atomic<std::size_t> first_server = 0;

std::vector<std::string> SplitAtCommas(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    parts.emplace_back(text.substr(0, comma));
    if (comma == text.size()) return parts;
    text.remove_prefix(comma + 1);
  }
}

// False at the deadline.
bool WaitFor(int socket, short events, Clock::time_point end) {
  pollfd waiting{socket, events, 0};
  while (true) {
    const auto left =
        std::chrono::duration_cast<PostgresConnection::Milliseconds>(
            end - Clock::now());
    if (left.count() <= 0) return false;
    const int ready = ::poll(&waiting, 1, static_cast<int>(left.count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

std::vector<std::vector<std::string>> TakeRows(const PGresult* result) {
  std::vector<std::vector<std::string>> rows(
      static_cast<std::size_t>(PQntuples(result)));
  const int columns = PQnfields(result);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (int column = 0; column < columns; ++column) {
      const int at = static_cast<int>(row);
      rows[row].emplace_back(
          PQgetvalue(result, at, column),
          static_cast<std::size_t>(PQgetlength(result, at, column)));
    }
  }
  return rows;
}

SqlAnswer ReadResult(const PGresult* result) {
  SqlAnswer answer;
  const ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) {
    answer.outcome = SqlAnswer::Outcome::kDone;
    answer.rows = TakeRows(result);
    const std::string_view changed = PQcmdTuples(const_cast<PGresult*>(result));
    std::from_chars(changed.data(), changed.data() + changed.size(),
                    answer.changed);
    return answer;
  }
  answer.why = OneLine(PQresultErrorMessage(result));
  const char* const state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* const severity =
      PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  // FATAL may come after the commit: the session was ended while it waited.
  if (state != nullptr && severity != nullptr &&
      std::string_view(severity) == "ERROR") {
    answer.outcome = SqlAnswer::Outcome::kRefused;
    answer.state = state;
  }
  return answer;
}

}  // namespace

SqlParameter SqlNumber(std::uint64_t number) {
  return {std::to_string(number), false};
}
SqlParameter SqlBytes(std::string_view bytes) {
  return {std::string(bytes), true};
}
SqlParameter SqlText(std::string_view text) {
  return {std::string(text), false};
}

std::uint64_t ReadSqlNumber(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes) {
    number = number << 8 | static_cast<unsigned char>(byte);
  }
  return number;
}

// The servers of a URL. One without names: that of the URL as it is.
std::vector<PostgresConnection::Server> PostgresConnection::ListServers(
    const std::string& url) {
  struct FreeOptions {
    void operator()(PQconninfoOption* options) const {
      PQconninfoFree(options);
    }
  };
  const std::unique_ptr<PQconninfoOption, FreeOptions> options(
      PQconninfoParse(url.c_str(), nullptr));
  std::vector<std::string> hosts;
  std::vector<std::string> ports;
  for (const PQconninfoOption* option = options.get();
       option != nullptr && option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    const std::string_view keyword = option->keyword;
    if (keyword == "hostaddr") return {{}};
    if (keyword == "host") hosts = SplitAtCommas(option->val);
    if (keyword == "port") ports = SplitAtCommas(option->val);
  }
  if (hosts.size() < 2) return {{}};
  std::vector<Server> servers;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::string port =
        ports.empty() ? "" : ports[std::min(i, ports.size() - 1)];
    servers.push_back({hosts[i], port});
  }
  return servers;
}

void PostgresConnection::Close::operator()(pg_conn* session) const {
  PQfinish(session);
}

PostgresConnection::PostgresConnection(pg_conn* session, Milliseconds deadline)
    : session_(session),
      deadline_(deadline),
      remark_(std::make_unique<std::string>()) {
  PQsetNoticeReceiver(session_.get(), NoteRemark, remark_.get());
}

Result<PostgresConnection> PostgresConnection::Open(const std::string& url,
                                                    Milliseconds deadline) {
  const std::vector<Server> servers = ListServers(url);
  const std::size_t first = first_server;
  Error error = Unavailable("the address of the database names no server");
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const std::size_t at = (first + i) % servers.size();
    auto session =
        OpenServer(url, servers[at],
                   deadline / static_cast<Milliseconds::rep>(servers.size()));
    if (session) {
      first_server = at;
      session->deadline_ = deadline;
      return session;
    }
    error = session.error();
    if (error.code != ErrorCode::kUnavailable) break;
  }
  return error;
}

Result<PostgresConnection> PostgresConnection::OpenServer(
    const std::string& url, const Server& server, Milliseconds deadline) {
  const char* const keywords[] = {"dbname", "fallback_application_name",
                                  server.host.empty() ? nullptr : "host",
                                  server.port.empty() ? nullptr : "port",
                                  nullptr};
  const char* const values[] = {url.c_str(), "sotto", server.host.c_str(),
                                server.port.c_str(), nullptr};
  pg_conn* const session = PQconnectStartParams(keywords, values, 1);
  if (session == nullptr) return Unavailable("out of memory");
  PostgresConnection connection(session, deadline);
  SOTTO_TRY(connection.Connect(Clock::now() + deadline));
  PQsetnonblocking(session, 1);
  SOTTO_TRY(connection.CheckServer());
  return connection;
}

Status PostgresConnection::Connect(Clock::time_point end) {
  auto state = PQstatus(session_.get()) == CONNECTION_BAD
                   ? PGRES_POLLING_FAILED
                   : PGRES_POLLING_WRITING;
  while (state != PGRES_POLLING_OK && state != PGRES_POLLING_FAILED) {
    const short events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    if (!WaitFor(PQsocket(session_.get()), events, end)) {
      return Unavailable("the database did not answer in time");
    }
    state = PQconnectPoll(session_.get());
  }
  if (state == PGRES_POLLING_OK) return Ok();
  return Unavailable("the database cannot be reached: " +
                     OneLine(PQerrorMessage(session_.get())));
}

Status PostgresConnection::CheckServer() {
  SOTTO_TRY(Query(kSettings));
  SOTTO_TRY_ASSIGN(const auto rows, Query(kServerFacts));
  if (rows[0][0] != "on") {
    return FailedPrecondition(
        "the database runs with fsync off and would lose what it "
        "acknowledged");
  }
  if (rows[0][1] != "false") {
    return Unavailable("the database is a standby and takes no writes");
  }
  if (ReadSqlNumber(rows[0][2]) < kOldestServer) {
    return FailedPrecondition("the database is older than PostgreSQL 13");
  }
  return Ok();
}

void PostgresConnection::TryAnotherServer() { ++first_server; }

SqlAnswer PostgresConnection::Execute(
    const char* statement, std::span<const SqlParameter> parameters) {
  if (!session_) return Unknown("the session with the database has ended");
  std::vector<const char*> values;
  std::vector<int> lengths;
  std::vector<int> formats;
  for (const SqlParameter& parameter : parameters) {
    values.push_back(parameter.bytes.c_str());
    lengths.push_back(static_cast<int>(parameter.bytes.size()));
    formats.push_back(parameter.binary ? 1 : 0);
  }
  remark_->clear();
  const Clock::time_point end = Clock::now() + deadline_;
  const int sent = PQsendQueryParams(
      session_.get(), statement, static_cast<int>(parameters.size()), nullptr,
      values.data(), lengths.data(), formats.data(), 1);
  if (sent != 1 || !Send(end)) {
    return Unknown("the database did not take the statement in time");
  }
  return Receive(end);
}

bool PostgresConnection::Send(Clock::time_point end) {
  while (true) {
    const int left = PQflush(session_.get());
    if (left == 0) return true;
    if (left < 0) return false;
    if (!WaitFor(PQsocket(session_.get()), POLLIN | POLLOUT, end)) return false;
    if (PQconsumeInput(session_.get()) != 1) return false;
  }
}

SqlAnswer PostgresConnection::Receive(Clock::time_point end) {
  SqlAnswer answer;
  while (true) {
    while (PQisBusy(session_.get()) == 1) {
      if (!WaitFor(PQsocket(session_.get()), POLLIN, end)) {
        return Unknown("the database did not answer in time");
      }
      if (PQconsumeInput(session_.get()) != 1) {
        return Unknown("the connection to the database was lost");
      }
    }
    const ResultPtr result(PQgetResult(session_.get()));
    if (!result) break;
    answer = ReadResult(result.get());
  }
  if (PQstatus(session_.get()) != CONNECTION_OK) {
    return Unknown("the connection to the database was lost");
  }
  if (!remark_->empty()) return Unknown("the database remarked: " + *remark_);
  if (answer.outcome == SqlAnswer::Outcome::kUnknown) {
    return Unknown(answer.why);
  }
  return answer;
}

SqlAnswer PostgresConnection::Unknown(std::string why) {
  session_.reset();
  TryAnotherServer();
  return {.outcome = SqlAnswer::Outcome::kUnknown,
          .why = OneLine(std::move(why))};
}

Result<std::vector<std::vector<std::string>>> PostgresConnection::Query(
    const char* statement, std::span<const SqlParameter> parameters) {
  SqlAnswer answer = Execute(statement, parameters);
  if (!answer.done()) return Unavailable(answer.why);
  return std::move(answer.rows);
}

}  // namespace sotto
