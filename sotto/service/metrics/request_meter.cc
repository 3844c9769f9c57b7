#include "sotto/service/metrics/request_meter.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <utility>
#include <variant>

#include "sotto/service/api/route.h"

namespace sotto {
namespace {

constexpr double kFirstBound = 1e-4;
constexpr double kBinsPerDecade = 10;

// The model that a path of a user names; empty: none.
std::string_view FindModelName(std::string_view path) {
  const auto parts = api::SplitPath(path);
  const bool named = parts.size() >= 3 && parts[0] == "v1" &&
                     (parts[1] == "models" || parts[1] == "counters");
  return named ? parts[2] : std::string_view();
}

}  // namespace

double LatencyCounts::Bound(std::size_t bin) {
  if (bin + 1 >= kBins) return std::numeric_limits<double>::infinity();
  return kFirstBound * std::pow(10, static_cast<double>(bin) / kBinsPerDecade);
}

std::size_t LatencyCounts::FindBin(double seconds) {
  if (!(seconds > kFirstBound)) return 0;
  const double place =
      std::ceil(kBinsPerDecade * std::log10(seconds / kFirstBound));
  return place < static_cast<double>(kBins - 1)
             ? static_cast<std::size_t>(place)
             : kBins - 1;
}

std::uint64_t LatencyCounts::count() const {
  return std::accumulate(bins.begin(), bins.end(), std::uint64_t{0});
}

LatencyCounts LatencyCounts::Since(const LatencyCounts& earlier) const {
  LatencyCounts since = *this;
  for (std::size_t i = 0; i < kBins; ++i) since.bins[i] -= earlier.bins[i];
  since.seconds -= earlier.seconds;
  return since;
}

double LatencyCounts::Percentile(double fraction) const {
  const double wanted = fraction * static_cast<double>(count());
  double seen = 0;
  for (std::size_t i = 0; i + 1 < kBins; ++i) {
    seen += static_cast<double>(bins[i]);
    if (seen > 0 && seen >= wanted) return Bound(i);
  }
  return count() == 0 ? 0 : Bound(kBins - 2);
}

void RequestMeter::Counts::AddStatus(int status) {
  const int place = status - kFirstStatus;
  if (place < 0 || place >= static_cast<int>(kStatuses)) return;
  statuses[static_cast<std::size_t>(place)].fetch_add(
      1, std::memory_order_relaxed);
}

void RequestMeter::Counts::AddTime(double seconds) {
  bins[LatencyCounts::FindBin(seconds)].fetch_add(1, std::memory_order_relaxed);
  microseconds.fetch_add(static_cast<std::uint64_t>(1e6 * seconds),
                         std::memory_order_relaxed);
}

RequestMeter::Counts& RequestMeter::Find(std::string_view model) {
  {
    const std::shared_lock lock(mutex_);
    const auto found = models_.find(model);
    if (found != models_.end()) return *found->second;
  }
  // Names are the callers' own: only those of models make a new entry.
  const bool named = !model.empty() && known_(model);
  const std::unique_lock lock(mutex_);
  auto& counts = models_[named ? std::string(model) : std::string()];
  if (!counts) counts = std::make_unique<Counts>();
  return *counts;
}

http::Decision RequestMeter::Watch(const http::Request& request,
                                   http::Decision decision) {
  Counts& counts = Find(FindModelName(request.path));
  if (const auto* response = std::get_if<http::Response>(&decision)) {
    counts.AddStatus(response->status);
    return decision;
  }
  auto& accepted = std::get<http::Accepted>(decision);
  const auto start = std::chrono::steady_clock::now();
  accepted.finish = [&counts, start, finish = std::move(accepted.finish)](
                        http::Body body, http::Reply reply) {
    finish(std::move(body),
           [&counts, start, reply = std::move(reply)](http::Response response) {
             const std::chrono::duration<double> time =
                 std::chrono::steady_clock::now() - start;
             counts.AddStatus(response.status);
             counts.AddTime(time.count());
             reply(std::move(response));
           });
  };
  return decision;
}

RequestMeter::Traffic RequestMeter::Read(std::string_view model) const {
  const std::shared_lock lock(mutex_);
  Traffic traffic;
  const auto found = models_.find(model);
  if (found == models_.end()) return traffic;
  const Counts& counts = *found->second;
  for (std::size_t i = 0; i < kStatuses; ++i) {
    const std::uint64_t count = counts.statuses[i].load();
    if (count > 0) traffic.statuses[kFirstStatus + static_cast<int>(i)] = count;
  }
  for (std::size_t i = 0; i < LatencyCounts::kBins; ++i) {
    traffic.latency.bins[i] = counts.bins[i].load();
  }
  traffic.latency.seconds = 1e-6 * static_cast<double>(counts.microseconds);
  return traffic;
}

}  // namespace sotto
