#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "sotto/journal/postgres/engine_schema.h"
#include "sotto/journal/postgres/postgres_connection.h"
#include "sotto/testing/scratch_folder.h"

namespace sotto::testing {

// A PostgreSQL server in a temporary folder that listens on a socket there,
// run by an unprivileged user.
//
//   PostgresServer& server = PostgresServer::Shared();
//   auto session = server.Connect();
//
// Threads: not thread-safe.
class PostgresServer {
 public:
  PostgresServer() {
    std::filesystem::permissions(folder_.path(),
                                 std::filesystem::perms::owner_all |
                                     std::filesystem::perms::others_exec |
                                     std::filesystem::perms::group_exec);
    Run("install -d " + owner() + data());
    Run(User() + Program("initdb") + " -D " + data() +
        "/db -A trust -U sotto --no-sync >/dev/null");
    Configure("listen_addresses = ''\nunix_socket_directories = '" + data() +
              "'\nshared_buffers = 16MB\nautovacuum = off\n");
    Start();
    auto session = Connect();
    EXPECT_TRUE(session) << session.error().message;
    if (session) {
      EXPECT_TRUE(CreateEngineSchema(*session));
    }
  }
  ~PostgresServer() { Stop("immediate"); }
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // One for all tests of a program.
  static PostgresServer& Shared() {
    static PostgresServer server;
    return server;
  }

  std::string url(const std::string& user = "sotto") const {
    return "postgresql:///postgres?host=" + data() + "&user=" + user;
  }
  Result<PostgresConnection> Connect(
      const std::string& user = "sotto",
      std::chrono::milliseconds deadline = std::chrono::seconds(20)) const {
    return PostgresConnection::Open(url(user), deadline);
  }
  // Runs one statement as the owner of everything.
  void Do(const std::string& statement) const {
    auto session = Connect();
    ASSERT_TRUE(session) << session.error().message;
    const SqlAnswer answer = session->Execute(statement.c_str());
    ASSERT_TRUE(answer.done()) << answer.why;
  }
  void Configure(const std::string& lines) const {
    std::ofstream(data() + "/db/postgresql.conf", std::ios::app) << lines;
  }
  void Start() const {
    Run(User() + Program("pg_ctl") + " -w -D " + data() + "/db -l " + data() +
        "/log start >/dev/null");
  }
  // "immediate" is what a crash leaves.
  void Stop(const std::string& mode) const {
    Run(User() + Program("pg_ctl") + " -w -D " + data() + "/db -m " + mode +
        " stop >/dev/null");
  }
  void Reload() const {
    Run(User() + Program("pg_ctl") + " -D " + data() + "/db reload >/dev/null");
  }

 private:
  static std::string Program(const std::string& name) {
    for (const auto& version :
         std::filesystem::directory_iterator("/usr/lib/postgresql")) {
      const auto path = version.path() / "bin" / name;
      if (std::filesystem::exists(path)) return path.string();
    }
    return name;
  }
  static std::string User() {
    return ::geteuid() == 0 ? "runuser -u postgres -- " : "";
  }
  static std::string owner() {
    return ::geteuid() == 0 ? "-o postgres -g postgres " : "";
  }
  static void Run(const std::string& command) {
    EXPECT_EQ(std::system(("cd / && " + command).c_str()), 0) << command;
  }
  std::string data() const { return folder_.path("pg"); }

  ScratchFolder folder_;
};

}  // namespace sotto::testing
