#include "sotto/service/client/call.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <optional>
#include <thread>
#include <utility>

#include "sotto/service/client/http_client.h"

namespace sotto {
namespace {

using Clock = std::chrono::steady_clock;

bool IsLabel(std::string_view line) { return line.starts_with("{\"ticket\""); }

// One request, and the answer to it.
struct Exchange {
  HttpClient::Request request;
  std::size_t records = 1;
  std::string answer{};
};

HttpClient::Request MakeRequest(const CallOptions& options, bool label,
                                std::string body, bool bulk) {
  HttpClient::Request request{
      .method = "POST",
      .path = "/v1/models/" + options.model + (label ? "/labels" : "/predict"),
      .fields = {{"Content-Type",
                  bulk ? "application/x-ndjson" : "application/json"}},
      .body = std::move(body)};
  if (!options.user.empty())
    request.fields.emplace_back("Sotto-User", options.user);
  if (!options.key.empty()) {
    request.fields.emplace_back("Authorization", "Bearer " + options.key);
  }
  if (!options.idempotency_key.empty() && !label) {
    request.fields.emplace_back("Idempotency-Key", options.idempotency_key);
  }
  return request;
}

// Sends every `step`-th exchange from `first` on one connection.
Result<CallReport> SendSome(const CallOptions& options,
                            std::vector<Exchange>& all, std::size_t first,
                            std::size_t step) {
  SOTTO_TRY_ASSIGN(HttpClient client, HttpClient::Open(options.url));
  CallReport report;
  for (std::size_t i = first; i < all.size(); i += step) {
    const auto start = Clock::now();
    SOTTO_TRY_ASSIGN(auto response, client.Ask(all[i].request));
    const std::chrono::duration<double> time = Clock::now() - start;
    report.Add(time.count(), response.status, all[i].records);
    all[i].answer = std::move(response.body);
  }
  return report;
}

Result<CallReport> SendAll(const CallOptions& options,
                           std::vector<Exchange> all,
                           const OnAnswer& on_answer) {
  const std::size_t clients = std::clamp<std::size_t>(
      options.clients, 1, std::max<std::size_t>(1, all.size()));
  std::vector<std::optional<Result<CallReport>>> reports(clients);
  const auto start = Clock::now();
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < clients; ++i) {
    threads.emplace_back(
        [&, i] { reports[i] = SendSome(options, all, i, clients); });
  }
  for (std::thread& thread : threads) thread.join();
  const std::chrono::duration<double> time = Clock::now() - start;
  CallReport total;
  for (const auto& report : reports) {
    if (!*report) return report->error();
    total.Merge(**report);
  }
  total.set_seconds(time.count());
  for (const Exchange& exchange : all) on_answer(exchange.answer);
  return total;
}

}  // namespace

void CallReport::Add(double seconds, int status, std::size_t records) {
  latencies_.push_back(seconds);
  ++statuses_[status];
  records_ += records;
}

void CallReport::Merge(const CallReport& other) {
  latencies_.insert(latencies_.end(), other.latencies_.begin(),
                    other.latencies_.end());
  std::sort(latencies_.begin(), latencies_.end());
  for (const auto& [status, count] : other.statuses_) {
    statuses_[status] += count;
  }
  records_ += other.records_;
}

bool CallReport::all_good() const {
  return std::all_of(statuses_.begin(), statuses_.end(),
                     [](const auto& item) { return item.first < 300; });
}

double CallReport::Percentile(double fraction) const {
  if (latencies_.empty()) return 0;
  const double last = static_cast<double>(latencies_.size() - 1);
  return 1e3 * latencies_[static_cast<std::size_t>(fraction * last + 0.5)];
}

Json CallReport::ToJson() const {
  Json statuses = Json::Object{};
  for (const auto& [status, count] : statuses_) {
    statuses[std::to_string(status)] = count;
  }
  const double rate =
      seconds_ > 0 ? static_cast<double>(records_) / seconds_ : 0;
  return Json::Object{
      {"requests", latencies_.size()}, {"records", records_},
      {"seconds", seconds_},           {"records_per_second", rate},
      {"p50_ms", Percentile(0.5)},     {"p90_ms", Percentile(0.9)},
      {"p99_ms", Percentile(0.99)},    {"max_ms", Percentile(1)},
      {"statuses", statuses}};
}

std::string CallReport::ToText() const {
  std::array<char, 256> line{};
  std::snprintf(line.data(), line.size(),
                "requests  records  records/s     p50     p90     p99     max\n"
                "%8zu %8llu %10.0f %6.2fms %5.2fms %5.2fms %5.2fms\n",
                latencies_.size(), static_cast<unsigned long long>(records_),
                seconds_ > 0 ? static_cast<double>(records_) / seconds_ : 0,
                Percentile(0.5), Percentile(0.9), Percentile(0.99),
                Percentile(1));
  std::string text = line.data();
  for (const auto& [status, count] : statuses_) {
    text += "status " + std::to_string(status) + ": " + std::to_string(count) +
            "\n";
  }
  return text;
}

Result<CallReport> CallEach(const CallOptions& options,
                            const std::vector<std::string>& lines,
                            const OnAnswer& on_answer) {
  std::vector<Exchange> all;
  for (const std::string& line : lines) {
    all.push_back({MakeRequest(options, IsLabel(line), line, /*bulk=*/false)});
  }
  return SendAll(options, std::move(all), on_answer);
}

Result<CallReport> CallInBulk(const CallOptions& options,
                              const std::vector<std::string>& lines,
                              const OnAnswer& on_answer) {
  std::vector<Exchange> all;
  for (std::size_t i = 0; i < lines.size();) {
    const bool label = IsLabel(lines[i]);
    std::string body;
    std::size_t count = 0;
    for (; i < lines.size() && count < options.lines &&
           IsLabel(lines[i]) == label;
         ++i, ++count) {
      body.append(lines[i]).push_back('\n');
    }
    all.push_back(
        {MakeRequest(options, label, std::move(body), /*bulk=*/true), count});
  }
  return SendAll(options, std::move(all), [&](std::string_view answer) {
    while (!answer.empty()) {
      const std::size_t end = std::min(answer.find('\n'), answer.size());
      std::string_view line = answer.substr(0, end);
      while (line.ends_with(' ')) line.remove_suffix(1);
      on_answer(line);
      answer.remove_prefix(std::min(end + 1, answer.size()));
    }
  });
}

}  // namespace sotto
