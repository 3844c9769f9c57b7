#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>

#include "sotto/service/http/handler.h"

namespace sotto {

// Times in bins that grow by 10^(1/10), from 0.1 ms to 100 s.
struct LatencyCounts {
  static constexpr std::size_t kBins = 62;
  std::array<std::uint64_t, kBins> bins{};
  double seconds = 0;  // sum

  // Upper end of a bin; infinite for the last.
  static double Bound(std::size_t bin);
  static std::size_t FindBin(double seconds);

  std::uint64_t count() const;
  // The counts since `earlier`, which were taken of the same meter.
  LatencyCounts Since(const LatencyCounts& earlier) const;
  // In seconds, at the upper end of its bin; 0 without counts.
  double Percentile(double fraction) const;
};

// The answers to users, by model, call and status, and the time they took. The
// operator's own view; it holds no name of a user and no row.
//
//   RequestMeter meter(
//       [&](auto model) { return hosts.Find(model) != nullptr; });
//   .handler = [&](const auto& r) { return meter.Watch(r, users(r)); }
//
// Threads: thread-safe.
class RequestMeter {
 public:
  // `known`: models that are counted by name. All others are counted as one.
  explicit RequestMeter(std::function<bool(std::string_view)> known)
      : known_(std::move(known)) {}

  // Counts the answer of a decision on this request, now or when it comes.
  http::Decision Watch(const http::Request& request, http::Decision decision);

  // Counts of one model; empty name: of unknown paths and models.
  struct Traffic {
    std::map<int, std::uint64_t> statuses{};  // all calls
    LatencyCounts latency{};                  // of requests that were accepted
  };
  Traffic Read(std::string_view model) const;

 private:
  static constexpr int kFirstStatus = 100;
  static constexpr std::size_t kStatuses = 500;
  struct Counts {
    std::array<std::atomic<std::uint32_t>, kStatuses> statuses{};
    std::array<std::atomic<std::uint64_t>, LatencyCounts::kBins> bins{};
    std::atomic<std::uint64_t> microseconds = 0;

    void AddStatus(int status);
    void AddTime(double seconds);
  };

  Counts& Find(std::string_view model);

  std::function<bool(std::string_view)> known_;
  mutable std::shared_mutex mutex_;
  std::map<std::string, std::unique_ptr<Counts>, std::less<>> models_;
};

}  // namespace sotto
