// Rounds a second of a durable model in one process, beside a raw sync of the
// same bytes; the time to recover a million rounds; bytes of a waiting label.
//
//   host_bench [FOLDER [ROUNDS]] > host.json

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sotto/service/host_set.h"

namespace sotto {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr int kColumns = 14;
constexpr double kSecondsEach = 2;
constexpr std::size_t kRecordBytes = 250;

double CpuSeconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) +
           1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double Seconds(Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

std::size_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

void Must(bool done, const std::string& what) {
  if (done) return;
  std::fprintf(stderr, "host_bench: %s\n", what.c_str());
  std::exit(1);
}

std::string TideConfiguration() {
  json columns = json::array();
  for (int i = 0; i < kColumns; ++i) {
    columns.push_back({{"name", "c" + std::to_string(i)},
                       {"type", "number"},
                       {"range", {0, 1}}});
  }
  return json{{"name", "tide"},       {"model", "tide"},
              {"epsilon", 1},         {"delta", 1e-6},
              {"horizon", 1'000'000}, {"schema", {{"columns", columns}}}}
      .dump();
}

std::string PopConfiguration() {
  return R"({"name":"pop","model":"pop","learner":"threshold","epsilon":3,)"
         R"("delta":1e-6,"horizon":10000000,"copies":4096,"anyway":true})";
}

// Rounds of ever new users.
class Crowd {
 public:
  explicit Crowd(int columns) : columns_(columns) {}
  HostRequest Next() {
    std::string body = R"({"x":[)";
    for (int i = 0; i < columns_; ++i) {
      seed_ = seed_ * 6364136223846793005U + 1442695040888963407U;
      body += (i == 0 ? "0." : ",0.") + std::to_string(seed_ >> 47);
    }
    return {.body = body + "]}", .user = "u" + std::to_string(users_++)};
  }

 private:
  int columns_;
  std::uint64_t users_ = 0;
  std::uint64_t seed_ = 1;
};

void PlayInBatches(Host& host, Crowd& crowd, std::size_t size) {
  std::vector<HostRequest> requests;
  for (std::size_t i = 0; i < size; ++i) requests.push_back(crowd.Next());
  std::promise<bool> played;
  host.SubmitAll(std::move(requests), [&](std::vector<HostReply> replies) {
    played.set_value(std::ranges::all_of(replies, [](const HostReply& reply) {
      return reply.kind == HostReply::Kind::kAnswered;
    }));
  });
  Must(played.get_future().get(), host.condition().reason + " no answer");
}

double RawSync(const std::string& path, std::size_t bytes) {
  const int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  Must(file >= 0, "no raw file");
  Must(::posix_fallocate(file, 0, off_t{16} << 20) == 0, "no space");
  const std::string block(bytes, 'x');
  off_t at = 0;
  std::size_t syncs = 0;
  const auto start = Clock::now();
  while (Seconds(Clock::now() - start) < kSecondsEach / 3) {
    Must(::pwrite(file, block.data(), bytes, at) == static_cast<ssize_t>(bytes),
         "write");
    Must(::fdatasync(file) == 0, "sync");
    at = (at + static_cast<off_t>(bytes)) % (off_t{15} << 20);
    ++syncs;
  }
  const double time = Seconds(Clock::now() - start);
  ::close(file);
  return time / static_cast<double>(syncs);
}

json Throughput(Host& host, Crowd& crowd, const std::string& raw_file) {
  json table = json::array();
  for (const std::size_t size : {1, 16, 256, 4096}) {
    const double raw = RawSync(raw_file, size * kRecordBytes);
    std::size_t rounds = 0;
    const double cpu = CpuSeconds();
    const auto start = Clock::now();
    while (Seconds(Clock::now() - start) < kSecondsEach) {
      PlayInBatches(host, crowd, size);
      rounds += size;
    }
    const double time = Seconds(Clock::now() - start);
    const auto count = static_cast<double>(rounds);
    table.push_back(
        {{"together", size},
         {"records_per_second", count / time},
         {"raw_sync_ms", 1e3 * raw},
         {"commit_ms", 1e3 * time * static_cast<double>(size) / count},
         {"cpu_us_each", 1e6 * (CpuSeconds() - cpu) / count}});
  }
  return table;
}

std::unique_ptr<HostSet> Open(const std::string& folder, bool snapshot) {
  auto set = HostSet::Open({.folder = folder,
                            .snapshot_every = std::uint64_t{1} << 40,
                            .snapshot_at_end = snapshot});
  Must(set.has_value(), set ? "" : set.error().message);
  for (Host* host : (*set)->hosts()) {
    while (host->condition().state == Host::State::kStarting) ::usleep(1000);
    Must(host->condition().ready(), host->condition().reason);
  }
  return *std::move(set);
}

json Recovery(const std::string& folder, std::size_t rounds) {
  std::filesystem::remove_all(folder);
  json report = {{"rounds", rounds}};
  Crowd crowd(kColumns);
  {
    auto set = Open(folder, false);
    auto made = set->Create(*Json::Parse(TideConfiguration()));
    Must(made.has_value(), made ? "" : made.error().message);
    const std::size_t before = ResidentBytes();
    for (std::size_t i = 0; i < rounds; i += 1000) {
      PlayInBatches(**made, crowd, 1000);
    }
    report["bytes_per_waiting_label"] =
        static_cast<double>(ResidentBytes() - before) /
        static_cast<double>(rounds);
  }
  const auto measure = [&](const char* name, bool snapshot) {
    const double cpu = CpuSeconds();
    const auto start = Clock::now();
    auto set = Open(folder, snapshot);
    report[name] = {{"cpu_seconds", CpuSeconds() - cpu},
                    {"seconds", Seconds(Clock::now() - start)}};
    const double closing = CpuSeconds();
    set.reset();
    if (snapshot) report["snapshot_cpu_seconds"] = CpuSeconds() - closing;
  };
  measure("without_snapshot", true);
  measure("with_snapshot", false);
  return report;
}

int Run(const std::string& folder, std::size_t rounds) {
  std::filesystem::create_directories(folder);
  json report;
  {
    auto set = Open(folder + "/service", false);
    for (const auto& [configuration, columns] :
         {std::pair(TideConfiguration(), kColumns),
          std::pair(PopConfiguration(), 1)}) {
      auto made = set->Create(*Json::Parse(configuration));
      Must(made.has_value(), made ? "" : made.error().message);
      Crowd crowd(columns);
      report[(*made)->name()] = Throughput(**made, crowd, folder + "/raw");
    }
  }
  report["recovery"] = Recovery(folder + "/recovery", rounds);
  std::filesystem::remove_all(folder);
  std::printf("%s\n", report.dump(1).c_str());
  return 0;
}

}  // namespace
}  // namespace sotto

int main(int argc, char** argv) {
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    // ./run bench passes flags of another library.
    if (argv[i][0] != '-') words.emplace_back(argv[i]);
  }
  const auto scratch = std::filesystem::temp_directory_path() / "host-bench";
  return sotto::Run(words.empty() ? scratch.string() : words[0],
                    words.size() > 1 ? std::stoull(words[1]) : 1'000'000);
}
