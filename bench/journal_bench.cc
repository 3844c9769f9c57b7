// Cost of a durable append beside a raw sync of the same bytes, and the time to
// read a million records back.
//
//   journal_bench [FOLDER] > journal.json
//
// The commits of all methods are interleaved, so that they meet the same disk.
// Everything that was appended is read back and compared before it counts.

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sotto/journal/block.h"
#include "sotto/journal/file_journal.h"

namespace sotto {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr std::size_t kPayload = 200;
constexpr double kSecondsPerSize = 6;
constexpr std::size_t kRecovered = 1'000'000;
constexpr off_t kRawFile = off_t{64} << 20;

void Must(bool done, const char* what) {
  if (done) return;
  std::fprintf(stderr, "journal_bench: %s failed\n", what);
  std::exit(1);
}

double Seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

double CpuSeconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) +
           1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// Writes the same number of bytes into a reserved file and syncs them.
class RawSync {
 public:
  explicit RawSync(const std::string& path)
      : fd_(::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)) {
    Must(fd_ >= 0 && ::posix_fallocate(fd_, 0, kRawFile) == 0, "raw file");
    Must(::fsync(fd_) == 0, "sync");
  }
  ~RawSync() { ::close(fd_); }
  RawSync(const RawSync&) = delete;
  RawSync& operator=(const RawSync&) = delete;

  void Commit(const std::string& bytes) {
    const auto size = static_cast<off_t>(bytes.size());
    if (at_ + size > kRawFile) at_ = 0;
    Must(::pwrite(fd_, bytes.data(), bytes.size(), at_) == size, "write");
    Must(::fdatasync(fd_) == 0, "sync");
    at_ += size;
  }

 private:
  int fd_;
  off_t at_ = 0;
};

// Times and processor time of the commits of one method.
struct Cost {
  std::vector<double> seconds{};
  double cpu = 0;

  void Add(const std::function<void()>& commit) {
    const double cpu_before = CpuSeconds();
    const auto begin = Clock::now();
    commit();
    seconds.push_back(Seconds(Clock::now() - begin));
    cpu += CpuSeconds() - cpu_before;
  }
  double median() const {
    std::vector<double> sorted = seconds;
    std::ranges::nth_element(sorted, sorted.begin() + middle());
    return sorted[static_cast<std::size_t>(middle())];
  }
  double mean() const {
    double sum = 0;
    for (const double each : seconds) sum += each;
    return sum / static_cast<double>(seconds.size());
  }
  double cpu_each() const { return cpu / static_cast<double>(seconds.size()); }

 private:
  std::ptrdiff_t middle() const {
    return static_cast<std::ptrdiff_t>(seconds.size() / 2);
  }
};

std::unique_ptr<FileJournal> MakeJournal(const std::string& folder,
                                         const std::string& anchor,
                                         const Key& root) {
  auto journal = FileJournal::Create(
      {.folder = folder, .anchor = anchor, .roots = {root}});
  Must(journal.has_value(), "creating a journal");
  Must((*journal)->Claim("bench").durable(), "claim");
  return *std::move(journal);
}

std::size_t CountRecords(Journal& journal) {
  std::size_t records = 0;
  const Status read = journal.Read(1, [&](const JournalEntry& entry) {
    Must(entry.record.payload.size() == kPayload, "reading back");
    ++records;
    return Ok();
  });
  Must(read.has_value(), "reading");
  return records;
}

json Row(std::size_t records, const Cost& raw, const Cost& cost) {
  const auto each = static_cast<double>(records);
  // The aim: an answer takes 1.5 raw syncs of its commit and 50 us at most.
  const double allowed = 1.5 * raw.mean() + 50e-6 * each;
  return {{"records_per_second", each / cost.mean()},
          {"median_ms", 1e3 * cost.median()},
          {"mean_ms", 1e3 * cost.mean()},
          {"ratio_to_raw", cost.mean() / raw.mean()},
          {"median_ratio_to_raw", cost.median() / raw.median()},
          {"cpu_us_per_commit", 1e6 * cost.cpu_each()},
          {"cpu_us_per_record", 1e6 * cost.cpu_each() / each},
          {"cpu_us_above_raw", 1e6 * (cost.cpu_each() - raw.cpu_each())},
          {"within_aim", cost.mean() <= allowed}};
}

json MeasureCommits(const std::string& folder, std::size_t records,
                    const Key& root) {
  const std::string at = folder + "/" + std::to_string(records);
  std::filesystem::create_directory(at);
  RawSync raw(at + "/raw");
  const auto plain = MakeJournal(at + "/plain", "", root);
  const auto anchored = MakeJournal(at + "/anchored", at + "/anchor", root);
  const std::string payload(kPayload, 'x');
  const std::vector<RecordView> block(records, {RecordType::kRound, payload});
  const std::string bytes(BlockBytes(block), 'x');
  Cost raw_cost;
  Cost plain_cost;
  Cost anchored_cost;
  const auto begin = Clock::now();
  while (Seconds(Clock::now() - begin) < kSecondsPerSize) {
    raw_cost.Add([&] { raw.Commit(bytes); });
    plain_cost.Add([&] { Must(plain->Append(block).durable(), "append"); });
    anchored_cost.Add(
        [&] { Must(anchored->Append(block).durable(), "append"); });
  }
  const std::size_t appended = records * raw_cost.seconds.size();
  Must(CountRecords(*plain) == appended, "counting");
  Must(CountRecords(*anchored) == appended, "counting");
  return {{"records_per_commit", records},
          {"commits", raw_cost.seconds.size()},
          {"raw", Row(records, raw_cost, raw_cost)},
          {"journal", Row(records, raw_cost, plain_cost)},
          {"journal_and_anchor", Row(records, raw_cost, anchored_cost)}};
}

json MeasureRecovery(const std::string& folder, const Key& root) {
  const std::string at = folder + "/recovery";
  const std::string payload(kPayload, 'x');
  const std::vector<RecordView> block(1000, {RecordType::kRound, payload});
  {
    const auto journal = MakeJournal(at, "", root);
    for (std::size_t i = 0; i < kRecovered; i += block.size()) {
      Must(journal->Append(block).durable(), "append");
    }
  }
  const double cpu_before = CpuSeconds();
  const auto begin = Clock::now();
  const auto journal = FileJournal::Open({.folder = at, .roots = {root}});
  Must(journal.has_value(), "opening");
  const double opened = Seconds(Clock::now() - begin);
  Must(CountRecords(**journal) == kRecovered, "counting");
  return {{"records", kRecovered},
          {"open_seconds", opened},
          {"open_and_read_seconds", Seconds(Clock::now() - begin)},
          {"cpu_seconds", CpuSeconds() - cpu_before}};
}

int Run(const std::string& parent) {
  const std::string folder =
      parent + "/journal-bench-" + std::to_string(::getpid());
  std::filesystem::create_directory(folder);
  const auto root = Key::Generate();
  Must(root.has_value(), "a key");
  json out{{"payload_bytes", kPayload}, {"commits", json::array()}};
  for (const std::size_t records : {1, 16, 256}) {
    out["commits"].push_back(MeasureCommits(folder, records, *root));
  }
  out["recovery"] = MeasureRecovery(folder, *root);
  std::printf("%s\n", out.dump(2).c_str());
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace sotto

int main(int argc, char** argv) {
  std::string parent = ".";
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] != '-') parent = argv[i];
  }
  return sotto::Run(parent);
}
