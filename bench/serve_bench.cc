// Throughput and latency of `sotto serve` over loopback, every record durable
// before its answer, beside raw syncs of the same run and a run in memory.
//
//   serve_bench [FOLDER] [--quick] > serve.json
//
// The service is the program beside this one, in its own process; the client
// shares the machine with it. A prediction and a label are a record each.
// Times of the processor tell more than others where a machine is shared.

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;
using Seconds = std::chrono::duration<double>;

void Must(bool done, const char* what) {
  if (done) return;
  std::fprintf(stderr, "serve_bench: %s failed\n", what);
  std::exit(1);
}

double Percentile(std::vector<double>& values, double fraction) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(
      fraction * static_cast<double>(values.size() - 1) + 0.5)];
}

// Milliseconds of syncs of a page, one after the other.
json MeasureSyncs(const std::string& folder, int count) {
  const std::string path = folder + "/raw";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  Must(file >= 0, "a raw file");
  const std::string page(4096, 'x');
  // Written once before, as a journal's segment is: no new blocks.
  for (int i = 0; i < 64; ++i) {
    Must(pwrite(file, page.data(), page.size(), i * 4096) > 0, "write");
  }
  Must(fsync(file) == 0, "fsync");
  std::vector<double> times;
  for (int i = 0; i < count; ++i) {
    const auto start = Clock::now();
    Must(pwrite(file, page.data(), page.size(), (i % 64) * 4096) > 0, "write");
    Must(fdatasync(file) == 0, "fdatasync");
    times.push_back(1e3 * Seconds(Clock::now() - start).count());
  }
  close(file);
  return {{"p50_ms", Percentile(times, 0.5)},
          {"p99_ms", Percentile(times, 0.99)}};
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
    const std::size_t at = text.find("\"users\":\"http://127.0.0.1:");
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
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv(program.c_str(), arguments.data());
    _exit(127);
  }

  pid_t process_ = -1;
  int log_ = -1;
};

int Connect(std::uint16_t port) {
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
      body += rows_[n % rows_.size()] + ",\"user\":\"u" + std::to_string(n) +
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
  static constexpr std::string_view kTicket = "\"ticket\":\"";
  static constexpr const char* kBulk = "Content-Type: application/x-ndjson\r\n";

  static std::string LabelText(const std::string& ticket, bool y) {
    return "{\"ticket\":\"" + ticket + "\",\"y\":" + (y ? "1" : "0") + "}";
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

// Predictions and labels in turn on every connection, as fast as answers come.
json ClosedLoop(const Service& service, Requests& requests, int connections,
                double seconds, int lines) {
  Clients clients(service.port, connections);
  std::uint64_t records = 0;
  std::vector<double> times;
  const auto per_answer = static_cast<std::uint64_t>(std::max(1, lines));
  const auto ask = [&] {
    return lines > 0 ? requests.BulkPredict(lines) : requests.Predict();
  };
  const auto on_answer = [&](Clients::Connection& connection,
                             std::string_view answer) {
    times.push_back(1e3 * Seconds(Clock::now() - connection.sent).count());
    records += per_answer;
    const std::string ticket = Requests::FindTicket(answer);
    if (ticket.empty()) return Clients::Send(connection, ask());
    Clients::Send(connection, lines > 0
                                  ? Requests::BulkLabel(answer)
                                  : Requests::Label(ticket, records % 2 == 0));
  };
  const double cpu = service.CpuSeconds();
  const auto start = Clock::now();
  for (const auto& connection : clients.all) Clients::Send(*connection, ask());
  while (Seconds(Clock::now() - start).count() < seconds) {
    clients.Poll(std::chrono::milliseconds(100), on_answer);
  }
  const double spent = Seconds(Clock::now() - start).count();
  return {{"connections", connections},
          {"lines", lines},
          {"records_per_second", static_cast<double>(records) / spent},
          {"service_cpu_us_per_record",
           1e6 * (service.CpuSeconds() - cpu) / static_cast<double>(records)},
          {"p50_ms", Percentile(times, 0.5)},
          {"p99_ms", Percentile(times, 0.99)}};
}

// Requests at fixed times, whatever the answers; latency from when one is due.
json OpenLoop(const Service& service, Requests& requests, double rate,
              double seconds) {
  Clients clients(service.port, 256);
  std::deque<Clients::Connection*> free;
  for (const auto& connection : clients.all) free.push_back(connection.get());
  std::deque<std::string> tickets;
  std::vector<double> times;
  const auto on_answer = [&](Clients::Connection& connection,
                             std::string_view answer) {
    times.push_back(1e3 * Seconds(Clock::now() - connection.sent).count());
    free.push_back(&connection);
    if (std::string ticket = Requests::FindTicket(answer); !ticket.empty()) {
      tickets.push_back(std::move(ticket));
    }
  };
  const auto start = Clock::now();
  for (std::uint64_t i = 0; static_cast<double>(i) < rate * seconds;) {
    const auto due = start + std::chrono::duration_cast<Clock::duration>(
                                 Seconds(static_cast<double>(i) / rate));
    // Sleeps until then: the service has the processor meanwhile.
    if (const auto now = Clock::now(); now < due || free.empty()) {
      clients.Poll(now < due ? due - now : std::chrono::milliseconds(1),
                   on_answer);
      continue;
    }
    ++i;
    std::string bytes;
    if (i % 2 == 0 && !tickets.empty()) {
      bytes = Requests::Label(tickets.front(), i % 4 == 0);
      tickets.pop_front();
    } else {
      bytes = requests.Predict();
    }
    Clients::Send(*free.front(), bytes, due);
    free.pop_front();
  }
  return {{"records_per_second", rate},
          {"p50_ms", Percentile(times, 0.5)},
          {"p99_ms", Percentile(times, 0.99)}};
}

// Latency of 16 clients alone, and among idle and dripping connections.
json Crowd(const Service& service, Requests& requests, double seconds) {
  json result = {{"before", ClosedLoop(service, requests, 16, seconds, 0)},
                 {"before_mb", service.ResidentMegabytes()}};
  std::vector<int> idle, slow;
  for (int i = 0; i < 10'000; ++i) idle.push_back(Connect(service.port));
  // The service waits for a first byte as long as for a request.
  const std::string get = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
  for (const int socket : idle) {
    Must(send(socket, get.data(), get.size(), MSG_NOSIGNAL) > 0, "send");
  }
  const std::string head =
      "POST /v1/models/m/predict HTTP/1.1\r\nHost: a\r\nContent-Length: "
      "60000\r\n\r\n";
  for (int i = 0; i < 1000; ++i) {
    slow.push_back(Connect(service.port));
    Must(send(slow.back(), head.data(), head.size(), MSG_NOSIGNAL) > 0, "send");
  }
  result["with_10000_idle_1000_slow"] =
      ClosedLoop(service, requests, 16, seconds, 0);
  result["with_mb"] = service.ResidentMegabytes();
  for (const int socket : idle) close(socket);
  for (const int socket : slow) close(socket);
  return result;
}

std::vector<std::string> TideModel(const std::string& folder) {
  json columns = json::array();
  for (int i = 1; i <= 14; ++i) {
    columns.push_back({{"name", "c" + std::to_string(i)},
                       {"type", "number"},
                       {"range", {0, 1}}});
  }
  const std::string path = folder + "/schema.json";
  std::ofstream(path) << json{{"columns", columns}};
  return {"--model", "tide", "--name",    "m",   "--epsilon", "1",
          "--delta", "1e-6", "--horizon", "1e7", "--schema",  path};
}

std::vector<std::string> PopModel() {
  return {"--model", "pop",  "--name",    "m",   "--epsilon", "3",
          "--delta", "1e-6", "--horizon", "1e7", "--copies",  "4096"};
}

json Measure(const std::string& program, const std::string& folder,
             const std::vector<std::string>& model, bool columns,
             double seconds) {
  json result;
  Requests requests(columns);
  Service service(program, folder + "/service", model);
  result["start_seconds"] = service.start_seconds;
  result["raw_sync"] = MeasureSyncs(folder, 200);
  result["closed_256"] = ClosedLoop(service, requests, 256, seconds, 0);
  result["bulk"] = ClosedLoop(service, requests, 8, seconds, 1000);
  const double rate = result["closed_256"]["records_per_second"];
  result["open_quarter"] = OpenLoop(service, requests, rate / 4, seconds);
  result["raw_sync_after"] = MeasureSyncs(folder, 200);
  result["crowd"] = Crowd(service, requests, seconds);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  std::string folder = "build/bench/serve";
  double seconds = 8;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--quick") seconds = 2;
    if (!word.starts_with('-')) folder = word;
  }
  const std::string program =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "sotto";
  const std::string memory = "/dev/shm/sotto-serve-bench";
  json report;
  std::array<double, 1> load{};
  getloadavg(load.data(), 1);
  report["load_average_before"] = load[0];
  for (const std::string& place : {folder, memory}) {
    std::filesystem::create_directories(place);
    const char* name = place == memory ? "memory" : "disk";
    report["tide_14"][name] =
        Measure(program, place, TideModel(place), true, seconds);
    report["pop_4096"][name] =
        Measure(program, place, PopModel(), false, seconds);
    std::filesystem::remove_all(place);
  }
  std::printf("%s\n", report.dump(1).c_str());
}
