#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "sotto/service/host_set.h"
#include "sotto/service/host_test_tools.h"
#include "sotto/testing/faulty_file_system.h"

namespace sotto {
namespace {

using testing::Ask;
using testing::AskAll;
using testing::kTide;
using testing::LabelFor;
using testing::Member;
using testing::Predict;
using testing::TestService;
using Kind = HostReply::Kind;

// Long runs are for `./run torture`.
int Repetitions(const char* variable, int few) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? few : std::atoi(text);
}

void CopyFolder(const std::string& from, const std::string& to) {
  std::filesystem::remove_all(to);
  std::filesystem::copy(from, to, std::filesystem::copy_options::recursive);
}

std::string User(int i) { return "u" + std::to_string(i); }

TEST(HostFaultTest, ARestoredJournalIsFrozenAlways) {
  TestService service;
  service.Make(kTide);
  std::mt19937 random(1);
  int user = 0;
  const auto play = [&](int blocks) {
    for (int i = 0; i < blocks; ++i) {
      ASSERT_EQ(Ask(service.host("m"), Predict(User(user++), 0.5)).kind,
                Kind::kAnswered);
    }
  };
  for (int i = 0; i < Repetitions("SOTTO_RESTORES", 10); ++i) {
    play(1);
    service.Stop();
    CopyFolder(service.path("models/m/journal"), service.path("backup"));
    service.Start();
    play(2 + static_cast<int>(random() % 3));
    service.Stop();
    CopyFolder(service.path("models/m/journal"), service.path("whole"));
    CopyFolder(service.path("backup"), service.path("models/m/journal"));
    service.Start();
    EXPECT_EQ(service.host("m").condition().state, Host::State::kFrozen);
    EXPECT_EQ(Ask(service.host("m"), Predict("new", 0.5)).kind,
              Kind::kUnavailable);
    service.Stop();
    CopyFolder(service.path("whole"), service.path("models/m/journal"));
    service.Start();
    ASSERT_TRUE(service.host("m").condition().ready())
        << service.host("m").condition().reason;
  }
}

// Each time from the same backup, after other rounds; before the lost ticket
// comes the restored model may have played as many again, or more.
TEST(HostFaultTest, ARestoreOfBothIsFrozenByTheFirstLostTicket) {
  TestService service;
  const std::string backup = service.scratch().path("backup");
  const std::string known =
      Member(Ask(service.Make(kTide), Predict("u0", 0.5)), "ticket");
  service.Stop();
  CopyFolder(service.options().folder, backup);
  std::mt19937 random(2);
  for (int i = 0; i < Repetitions("SOTTO_RESTORES", 8); ++i) {
    service.Start();
    std::string lost;
    const auto rounds = static_cast<int>(1 + random() % 4);
    for (int round = 0; round < rounds; ++round) {
      const HostReply reply =
          Ask(service.host("m"), Predict(User(9 * i + round + 1), 0.5));
      if (lost.empty() || random() % 2 == 0) lost = Member(reply, "ticket");
    }
    service.Stop();
    CopyFolder(backup, service.options().folder);
    service.Start();
    Host& host = service.host("m");
    ASSERT_TRUE(host.condition().ready()) << host.condition().reason;
    EXPECT_EQ(Ask(host, LabelFor(known, 1)).kind, Kind::kTaken);
    for (auto again = random() % 7; again > 0; --again) {
      const HostReply reply = Ask(host, Predict("v" + User(int(again)), 0.5));
      const std::string ticket = Member(reply, "ticket");
      EXPECT_EQ(Ask(host, LabelFor(ticket, 1)).kind, Kind::kTaken);
      EXPECT_EQ(Ask(host, LabelFor(ticket, 0)).kind, Kind::kRefused);
    }
    ASSERT_TRUE(host.condition().ready()) << host.condition().reason;
    EXPECT_EQ(Ask(host, LabelFor(lost, 1)).kind, Kind::kUnavailable);
    EXPECT_EQ(host.condition().state, Host::State::kFrozen);
    service.Restart();
    EXPECT_EQ(service.host("m").condition().state, Host::State::kFrozen);
    service.Stop();
    CopyFolder(backup, service.options().folder);
  }
}

TEST(HostFaultTest, ATicketWithAnotherNumberFreezesNothing) {
  TestService service;
  Host& host = service.Make(kTide);
  const std::string ticket = Member(Ask(host, Predict("u0", 0.5)), "ticket");
  for (std::size_t i = ticket.size() / 2; i < ticket.size(); ++i) {
    std::string changed = ticket;
    changed[i] = changed[i] == '7' ? '8' : '7';
    Ask(host, LabelFor(changed, 1));
    ASSERT_TRUE(host.condition().ready()) << i;
  }
}

TEST(HostFaultTest, ASecondProcessGetsNothing) {
  TestService service;
  service.Make(kTide);
  auto second = HostSet::Open(service.options());
  ASSERT_TRUE(second);
  Host& host = *(*second)->Find("m");
  while (host.condition().state == Host::State::kStarting) ::usleep(1000);
  EXPECT_EQ(host.condition().state, Host::State::kFrozen);
  EXPECT_TRUE(service.host("m").condition().ready());
}

TEST(HostFaultTest, AFullDiskFreezesAndLosesNothing) {
  for (const char* step : {"write at", "preallocate", "sync data"}) {
    TestService service;
    service.Stop();
    service.options().segment_bytes = 1024;
    service.Start();
    Host& host = service.Make(kTide);
    std::vector<HostReply> acknowledged;
    acknowledged.reserve(5);
    for (int i = 0; i < 5; ++i) {
      acknowledged.push_back(Ask(host, Predict(User(i), 0.25, "k")));
    }
    service.files().FailEvery(step, "No space left on device");
    int failed = 0;
    for (int i = 5; i < 25; ++i) {
      failed +=
          Ask(host, Predict(User(i), 0.25, "k")).kind == Kind::kUnavailable;
    }
    EXPECT_GT(failed, 0) << step;
    EXPECT_EQ(host.condition().state, Host::State::kFrozen);
    service.files().FailNoMore();
    service.Restart();
    Host& again = service.host("m");
    ASSERT_TRUE(again.condition().ready()) << again.condition().reason;
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(Ask(again, Predict(User(i), 0.25, "k")).body,
                acknowledged[static_cast<std::size_t>(i)].body);
    }
  }
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Some places of a file. In `./run torture` every byte and, of the room that is
// reserved behind them, a sector and one byte of each page.
std::vector<std::size_t> Places(const std::string& bytes) {
  constexpr std::size_t kSector = 512;
  constexpr std::size_t kPage = 4096;
  const bool all = std::getenv("SOTTO_EVERY_BYTE") != nullptr;
  const std::size_t used = bytes.find_last_not_of('\0') + 1 + kSector;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < bytes.size();) {
    places.push_back(i);
    const std::size_t step = i < used ? 1 : kPage;
    i += all ? step : bytes.size() / 8 + 5;
  }
  return places;
}

// Changes each file of a closed service, byte by byte, and starts it: it is
// frozen, or has everything that was acknowledged.
class HostDamageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    service_.Stop();
    service_.options().segment_bytes = 512;
    service_.Start();
    Host& host = service_.Make(kTide);
    for (int i = 0; i < 3; ++i) {
      replies_.push_back(Ask(host, Predict(User(i), 0.25, "k")));
    }
    ticket_ = Member(replies_[1], "ticket");
    ASSERT_EQ(Ask(host, LabelFor(ticket_, 1)).kind, Kind::kTaken);
    service_.Stop();
    CopyFolder(service_.options().folder, service_.scratch().path("good"));
  }

  void CheckAfter(const std::string& what) {
    service_.Start();
    Host& host = service_.host("m");
    const bool ready = host.condition().ready();
    ++(ready ? started_ : frozen_);
    if (ready) {
      for (std::size_t i = 0; i < replies_.size(); ++i) {
        EXPECT_EQ(Ask(host, Predict(User(static_cast<int>(i)), 0.25, "k")).body,
                  replies_[i].body)
            << what;
      }
      EXPECT_EQ(Ask(host, LabelFor(ticket_, 1)).kind, Kind::kTaken) << what;
      EXPECT_EQ(Ask(host, LabelFor(ticket_, 0)).kind, Kind::kRefused) << what;
    }
    service_.Stop();
    CopyFolder(service_.scratch().path("good"), service_.options().folder);
  }

  // Both happen: a file's room behind its blocks does not count.
  void CheckBoth() const {
    EXPECT_GT(started_, 0);
    EXPECT_GT(frozen_, 0);
    ::testing::Test::RecordProperty("started", started_);
    ::testing::Test::RecordProperty("frozen", frozen_);
  }

  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    for (const char* folder : {"models/m/journal", "anchors/m"}) {
      for (const auto& file :
           std::filesystem::directory_iterator(service_.path(folder))) {
        if (file.path().filename() == "lock") continue;
        files.push_back(file.path().string());
      }
    }
    return files;
  }

  TestService service_;
  std::vector<HostReply> replies_;
  std::string ticket_;
  int started_ = 0;
  int frozen_ = 0;
};

TEST_F(HostDamageTest, NoFlippedByteIsAcceptedSilently) {
  for (const std::string& path : Files()) {
    const std::string bytes = ReadFile(path);
    for (const std::size_t i : Places(bytes)) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ 0x20);
      std::ofstream(path, std::ios::binary) << changed;
      CheckAfter(path + " flipped at " + std::to_string(i));
    }
  }
  CheckBoth();
}

TEST_F(HostDamageTest, NoTruncationIsAcceptedSilently) {
  for (const std::string& path : Files()) {
    const std::string bytes = ReadFile(path);
    for (const std::size_t i : Places(bytes)) {
      std::ofstream(path, std::ios::binary) << bytes.substr(0, i);
      CheckAfter(path + " cut to " + std::to_string(i));
    }
  }
  CheckBoth();
}

// A child process that serves until it is killed, or this many times, and
// writes down what was acknowledged: a line for each reply.
[[noreturn]] void ServeUntilKilled(const HostSetOptions& options, int pipe,
                                   int first, int times) {
  auto set = HostSet::Open(options);
  if (!set) ::_exit(2);
  Host& host = *(*set)->Find("m");
  while (host.condition().state == Host::State::kStarting) ::usleep(100);
  for (int i = first; i < first + 3 * times; i += 3) {
    const auto replies = AskAll(
        host, {Predict(User(i), 0.5, "k"), Predict(User(i + 1), 0.75, "k"),
               Predict(User(i + 2), 0.25, "k")});
    std::string lines;
    for (int k = 0; k < 3; ++k) {
      lines += "R " + std::to_string(i + k) + " " +
               replies[static_cast<std::size_t>(k)].body + "\n";
    }
    if (::write(pipe, lines.data(), lines.size()) < 0) ::_exit(3);
    const std::string ticket = Member(replies[1], "ticket");
    if (ticket.empty()) ::_exit(4);
    if (Ask(host, LabelFor(ticket, i % 2)).kind != Kind::kTaken) ::_exit(5);
    const std::string label =
        "L " + std::to_string(i % 2) + " " + ticket + "\n";
    if (::write(pipe, label.data(), label.size()) < 0) ::_exit(6);
  }
  set->reset();
  ::_exit(0);
}

std::string ReadAll(int fd) {
  std::string text;
  std::array<char, 4096> bytes{};
  for (ssize_t got = 0; (got = ::read(fd, bytes.data(), bytes.size())) > 0;) {
    text.append(bytes.data(), static_cast<std::size_t>(got));
  }
  return text;
}

double FindValue(int user, int first) {
  constexpr std::array<double, 3> kValues = {0.5, 0.75, 0.25};
  return kValues[static_cast<std::size_t>((user - first) % 3)];
}

// Kills a service again and again, each time as `Killed` does, and checks it.
class HostKillTest : public ::testing::Test {
 protected:
  // Serves in a child process, which calls `arm` first; `wait` is called
  // meanwhile, with the pipe of what was acknowledged. Returns true if the
  // child was killed.
  bool Killed(int times, const std::function<void()>& arm,
              const std::function<void(pid_t, int)>& wait) {
    service_.Stop();
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
    first_ = next_;
    const pid_t child = ::fork();
    EXPECT_GE(child, 0);
    if (child == 0) {
      arm();
      ServeUntilKilled(service_.options(), pipe[1], first_, times);
    }
    ::close(pipe[1]);
    wait(child, pipe[0]);
    seen_ = ReadAll(pipe[0]);
    ::close(pipe[0]);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0)
        << WEXITSTATUS(status);
    return WIFSIGNALED(status);
  }

  // Everything that was acknowledged is there, and gives the same answers.
  void Check(const std::string& what) {
    service_.Start();
    Host& host = service_.host("m");
    ASSERT_TRUE(host.condition().ready())
        << what << ": " << host.condition().reason;
    std::istringstream lines(seen_);
    std::string line;
    while (std::getline(lines, line)) CheckLine(host, line, what);
    EXPECT_GE(*host.Status().Find("rounds")->natural(), acknowledged_) << what;
    next_ += 3;  // rounds that were not acknowledged may be there
  }

  void CheckLine(Host& host, const std::string& line, const std::string& what) {
    std::istringstream fields(line);
    std::string kind;
    int number = 0;
    std::string text;
    fields >> kind >> number >> text;
    if (kind == "R") {
      ++acknowledged_;
      next_ = std::max(next_, number + 1);
      EXPECT_EQ(
          Ask(host, Predict(User(number), FindValue(number, first_), "k")).body,
          text)
          << what;
    } else {
      EXPECT_EQ(Ask(host, LabelFor(text, number)).kind, Kind::kTaken) << what;
      EXPECT_EQ(Ask(host, LabelFor(text, 1 - number)).kind, Kind::kRefused)
          << what;
    }
  }

  TestService service_;
  int first_ = 0;
  int next_ = 0;
  std::string seen_;
  std::uint64_t acknowledged_ = 0;
};

// Every second kill is at any time, also while the model starts; the others
// come after the first reply, however busy the machine is.
TEST_F(HostKillTest, KillsLoseNothingThatWasAcknowledged) {
  service_.Make(kTide);
  std::mt19937 random(7);
  for (int kill = 0; kill < Repetitions("SOTTO_KILLS", 10); ++kill) {
    const bool killed = Killed(
        1'000'000, [] {},
        [&](pid_t child, int replies) {
          pollfd first{.fd = replies, .events = POLLIN, .revents = 0};
          if (kill % 2 == 0) ::poll(&first, 1, -1);
          ::usleep(static_cast<useconds_t>(random() % 60'000));
          ::kill(child, SIGKILL);
        });
    ASSERT_TRUE(killed);
    Check("kill " + std::to_string(kill));
  }
  EXPECT_GT(acknowledged_, 0U);
  RecordProperty("acknowledged", static_cast<int>(acknowledged_));
}

// Before each call of each kind that a start, commits, new segments, snapshots
// and a drain make.
TEST_F(HostKillTest, KillsBeforeEveryStepLoseNothing) {
  service_.Stop();
  service_.options().segment_bytes = 2048;
  service_.options().snapshot_every = 12;
  service_.options().snapshot_at_end = true;
  service_.Start();
  service_.Make(kTide);
  const int every = Repetitions("SOTTO_EVERY_STEP", 0);
  std::map<std::string, int> kills;
  for (const char* step :
       {"open", "create", "write", "sync", "publish", "sync folder", "write at",
        "preallocate", "sync data", "list", "remove"}) {
    bool killed = true;
    for (std::size_t call = 0; killed; call += every > 0 ? 1 : call + 3) {
      killed = Killed(
          6, [&] { service_.files().KillAt(step, call); }, [](pid_t, int) {});
      Check(std::string(step) + " " + std::to_string(call));
      if (killed) ++kills[step];
    }
  }
  for (const auto& [step, count] : kills) RecordProperty(step, count);
  EXPECT_EQ(kills.size(), 11U);  // each was reached
}

}  // namespace
}  // namespace sotto
