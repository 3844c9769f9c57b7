#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// A service as a child process, and connections that ask it.
namespace sotto::bench {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

inline void Must(bool done, const char* what) {
  if (done) return;
  std::fprintf(stderr, "serve_bench: %s failed\n", what);
  std::exit(1);
}

// The service as a child process.
class Service {
 public:
  Service(const std::string& program, const std::string& folder,
          const std::vector<std::string>& model) {
    std::filesystem::remove_all(folder);
    int ends[2];
    Must(pipe(ends) == 0, "pipe");
    const auto start = Clock::now();
    process_ = fork();
    if (process_ == 0) Exec(program, folder, model, ends[1]);
    close(ends[1]);
    std::string text;
    std::array<char, 4096> buffer;
    while (text.find("\"listening\"") == std::string::npos) {
      const ssize_t size = read(ends[0], buffer.data(), buffer.size());
      Must(size > 0, "starting the service");
      text.append(buffer.data(), static_cast<std::size_t>(size));
    }
    start_seconds = Seconds(Clock::now() - start).count();
    log_ = ends[0];
    const std::size_t at = text.find(R"("users":"http://127.0.0.1:)");
    Must(at != std::string::npos, text.c_str());
    port = static_cast<std::uint16_t>(std::stoi(text.substr(at + 26)));
  }
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service() {
    kill(process_, SIGTERM);
    std::array<char, 4096> buffer;
    while (read(log_, buffer.data(), buffer.size()) > 0) {
    }
    waitpid(process_, nullptr, 0);
    close(log_);
  }

  double ResidentMegabytes() const {
    std::ifstream status("/proc/" + std::to_string(process_) + "/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
    }
    return 0;
  }

  // Processor time so far, of all threads.
  double CpuSeconds() const {
    std::ifstream file("/proc/" + std::to_string(process_) + "/stat");
    std::string text;
    std::getline(file, text);
    std::istringstream fields(text.substr(text.rfind(')') + 2));
    std::string skipped;
    for (int i = 0; i < 11; ++i) fields >> skipped;
    double user = 0, system = 0;
    fields >> user >> system;
    return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  }

  std::uint16_t port = 0;
  double start_seconds = 0;

 private:
  [[noreturn]] static void Exec(const std::string& program,
                                const std::string& folder,
                                const std::vector<std::string>& model,
                                int log) {
    // It must not outlive a benchmark that fails, nor hold its output open.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(log, STDERR_FILENO);
    dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
    std::vector<std::string> words = {program,      "serve",      "--dir",
                                      folder,       "--listen",   "127.0.0.1:0",
                                      "--operator", "127.0.0.1:0"};
    words.insert(words.end(), model.begin(), model.end());
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(program.c_str(), arguments.data());
    _exit(127);
  }

  pid_t process_ = -1;
  int log_ = -1;
};

inline int Connect(std::uint16_t port) {
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  Must(made >= 0, "socket");
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
  Must(connect(made, reinterpret_cast<sockaddr*>(&to), sizeof(to)) == 0,
       "connect");
  const int on = 1;
  setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  return made;
}

// The requests of one kind of load.
class Requests {
 public:
  explicit Requests(bool columns) {
    for (int i = 0; i < 1000; ++i) {
      std::string row;
      for (int column = 0; column < (columns ? 14 : 1); ++column) {
        const int value = (i * (column + 7) * 7919) % 1000;
        row += (column > 0 ? ",0." : "0.") + std::to_string(value);
      }
      rows_.push_back("{\"x\":[" + row + "]");
    }
  }

  std::string Predict() {
    const std::uint64_t n = next_++;
    return Post("predict", rows_[n % rows_.size()] + "}",
                "Sotto-User: u" + std::to_string(n) + "\r\n");
  }
  static std::string Label(const std::string& ticket, bool y) {
    return Post("labels", LabelText(ticket, y), "");
  }
  std::string BulkPredict(int lines) {
    std::string body;
    for (int i = 0; i < lines; ++i) {
      const std::uint64_t n = next_++;
      body += rows_[n % rows_.size()] + R"(,"user":"u)" + std::to_string(n) +
              "\"}\n";
    }
    return Post("predict", body, kBulk);
  }
  static std::string BulkLabel(std::string_view answers) {
    std::string body;
    bool y = false;
    for (std::size_t at = 0;
         (at = answers.find(kTicket, at)) != std::string_view::npos;) {
      at += kTicket.size();
      const std::size_t end = answers.find('"', at);
      body +=
          LabelText(std::string(answers.substr(at, end - at)), y = !y) + "\n";
    }
    return Post("labels", body, kBulk);
  }
  static std::string FindTicket(std::string_view answer) {
    std::size_t at = answer.find(kTicket);
    if (at == std::string_view::npos) return "";
    at += kTicket.size();
    return std::string(answer.substr(at, answer.find('"', at) - at));
  }

 private:
  static constexpr std::string_view kTicket = R"("ticket":")";
  static constexpr const char* kBulk = "Content-Type: application/x-ndjson\r\n";

  static std::string LabelText(const std::string& ticket, bool y) {
    return R"({"ticket":")" + ticket + R"(","y":)" + (y ? "1" : "0") + "}";
  }
  static std::string Post(const char* call, const std::string& body,
                          const std::string& fields) {
    return "POST /v1/models/m/" + std::string(call) +
           " HTTP/1.1\r\nHost: a\r\n" + fields +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }

  std::vector<std::string> rows_;
  std::uint64_t next_ = 0;
};

// Connections that each have one request under way, served by one thread.
class Clients {
 public:
  struct Connection {
    int socket = -1;
    std::string in;
    Clock::time_point sent;
    bool busy = false;
  };
  using OnAnswer = std::function<void(Connection&, std::string_view answer)>;

  Clients(std::uint16_t port, int count)
      : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    for (int i = 0; i < count; ++i) {
      auto connection = std::make_unique<Connection>();
      connection->socket = Connect(port);
      epoll_event event{.events = EPOLLIN, .data = {.ptr = connection.get()}};
      epoll_ctl(epoll_, EPOLL_CTL_ADD, connection->socket, &event);
      all.push_back(std::move(connection));
    }
  }
  Clients(const Clients&) = delete;
  Clients& operator=(const Clients&) = delete;
  ~Clients() {
    for (const auto& connection : all) close(connection->socket);
    close(epoll_);
  }

  static void Send(Connection& connection, std::string_view bytes,
                   Clock::time_point due = Clock::now()) {
    connection.sent = due;
    connection.busy = true;
    while (!bytes.empty()) {
      const ssize_t sent =
          send(connection.socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      Must(sent > 0, "send");
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  // Waits at most that long and hands on what came.
  void Poll(Clock::duration most, const OnAnswer& on_answer) const {
    std::array<epoll_event, 256> events;
    const auto whole = std::chrono::floor<std::chrono::seconds>(most);
    const timespec wait{
        .tv_sec = whole.count(),
        .tv_nsec = std::chrono::nanoseconds(most - whole).count()};
    const int count = epoll_pwait2(epoll_, events.data(), 256, &wait, nullptr);
    for (int i = 0; i < count; ++i) {
      Receive(*static_cast<Connection*>(
                  events[static_cast<std::size_t>(i)].data.ptr),
              on_answer);
    }
  }

  // Waits for the last answers: the next load does not queue behind them.
  void Finish() const {
    const auto begin = Clock::now();
    const auto busy = [](const auto& connection) { return connection->busy; };
    while (std::ranges::any_of(all, busy) &&
           Clock::now() - begin < std::chrono::seconds(10)) {
      Poll(std::chrono::milliseconds(10), [](Connection&, std::string_view) {});
    }
  }

  std::vector<std::unique_ptr<Connection>> all;

 private:
  static void Receive(Connection& connection, const OnAnswer& on_answer) {
    std::array<char, 1 << 16> buffer;
    const ssize_t size =
        recv(connection.socket, buffer.data(), buffer.size(), 0);
    Must(size > 0, "receive");
    connection.in.append(buffer.data(), static_cast<std::size_t>(size));
    const std::size_t head = connection.in.find("\r\n\r\n");
    if (head == std::string::npos) return;
    const std::size_t length = connection.in.find("Content-Length: ");
    const std::size_t end =
        head + 4 +
        std::strtoul(connection.in.c_str() + length + 16, nullptr, 10);
    if (connection.in.size() < end) return;
    Must(connection.in.compare(9, 2, "20") == 0, connection.in.c_str());
    const std::string answer = std::exchange(connection.in, "");
    connection.busy = false;
    on_answer(connection, answer);
  }

  int epoll_;
};

}  // namespace sotto::bench
