// Throughput and latency of `sotto serve` over loopback, every record durable
// before its answer, beside raw syncs of the same run and a run in memory.
//
//   serve_bench [FOLDER] [--quick] > serve.json
//
// The service is the program beside this one, in its own process; the client
// shares the machine with it. A prediction and a label are a record each.
// Times of the processor tell more than others where a machine is shared.

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bench/serve_load.h"

namespace sotto::bench {
namespace {

using nlohmann::json;

// Ends a benchmark whose step takes far too long, and says which it was.
const char* step = "start";
constexpr unsigned kMostSecondsOfAStep = 300;

void BeginStep(const char* name) {
  step = name;
  alarm(kMostSecondsOfAStep);
}

void EndLateStep(int) {
  constexpr std::string_view kText = "serve_bench: no end of the step ";
  static_cast<void>(!write(STDERR_FILENO, kText.data(), kText.size()));
  static_cast<void>(!write(STDERR_FILENO, step, std::strlen(step)));
  static_cast<void>(!write(STDERR_FILENO, "\n", 1));
  _exit(1);
}

double Percentile(std::vector<double>& values, double fraction) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(
      std::lround(fraction * static_cast<double>(values.size() - 1)))];
}

// Milliseconds of syncs of a page, one after the other.
json MeasureSyncs(const std::string& folder, int count) {
  const std::string path = folder + "/raw";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  Must(file >= 0, "a raw file");
  const std::string page(4096, 'x');
  // Written once before, as a journal's segment is: no new blocks.
  for (off_t i = 0; i < 64; ++i) {
    Must(pwrite(file, page.data(), page.size(), i * 4096) > 0, "write");
  }
  Must(fsync(file) == 0, "fsync");
  std::vector<double> times;
  for (off_t i = 0; i < count; ++i) {
    const auto start = Clock::now();
    Must(pwrite(file, page.data(), page.size(), (i % 64) * 4096) > 0, "write");
    Must(fdatasync(file) == 0, "fdatasync");
    times.push_back(1e3 * Seconds(Clock::now() - start).count());
  }
  close(file);
  return {{"p50_ms", Percentile(times, 0.5)},
          {"p99_ms", Percentile(times, 0.99)}};
}

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
  json result = {
      {"connections", connections},
      {"lines", lines},
      {"records_per_second", static_cast<double>(records) / spent},
      {"service_cpu_us_per_record",
       1e6 * (service.CpuSeconds() - cpu) / static_cast<double>(records)},
      {"p50_ms", Percentile(times, 0.5)},
      {"p99_ms", Percentile(times, 0.99)}};
  clients.Finish();
  return result;
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
  std::uint64_t i = 0;
  // A machine that became slower must not make the step endless.
  while (static_cast<double>(i) < rate * seconds &&
         Seconds(Clock::now() - start).count() < 4 * seconds) {
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
  for (const auto last = Clock::now();
       free.size() < clients.all.size() &&
       Seconds(Clock::now() - last).count() < seconds;) {
    clients.Poll(std::chrono::milliseconds(10), on_answer);
  }
  return {{"records_per_second", rate},
          {"sent_share", static_cast<double>(i) / (rate * seconds)},
          {"unanswered", clients.all.size() - free.size()},
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
  BeginStep("start");
  Service service(program, folder + "/service", model);
  result["start_seconds"] = service.start_seconds;
  result["start_cpu_seconds"] = service.CpuSeconds();
  BeginStep("raw syncs");
  result["raw_sync"] = MeasureSyncs(folder, 200);
  BeginStep("closed loop");
  result["closed_256"] = ClosedLoop(service, requests, 256, seconds, 0);
  BeginStep("bulk");
  result["bulk"] = ClosedLoop(service, requests, 8, seconds, 1000);
  const double rate = result["closed_256"]["records_per_second"];
  BeginStep("open loop");
  result["open_quarter"] = OpenLoop(service, requests, rate / 4, seconds);
  BeginStep("raw syncs after the open loop");
  result["raw_sync_after"] = MeasureSyncs(folder, 200);
  BeginStep("crowd");
  result["crowd"] = Crowd(service, requests, seconds);
  BeginStep("drain");
  return result;
}

// Start of a service without models until it listens: then it is ready.
json MeasureEmptyStart(const std::string& program, const std::string& folder) {
  std::vector<double> times, cpu;
  BeginStep("start of an empty service");
  for (int i = 0; i < 5; ++i) {
    const Service service(program, folder + "/empty", {});
    times.push_back(service.start_seconds);
    cpu.push_back(service.CpuSeconds());
  }
  return {{"seconds", Percentile(times, 0.5)},
          {"cpu_seconds", Percentile(cpu, 0.5)}};
}

int Run(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGALRM, EndLateStep);
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
    report["empty"][name] = MeasureEmptyStart(program, place);
    report["tide_14"][name] =
        Measure(program, place, TideModel(place), true, seconds);
    report["pop_4096"][name] =
        Measure(program, place, PopModel(), false, seconds);
    std::filesystem::remove_all(place);
  }
  std::printf("%s\n", report.dump(1).c_str());
  return 0;
}

}  // namespace
}  // namespace sotto::bench

int main(int argc, char** argv) { return sotto::bench::Run(argc, argv); }
