#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/base/result.h"

namespace sotto {

// Requests to a running service, as `sotto call` sends them.
struct CallOptions {
  std::string url;
  std::string model;
  std::string user{};             // field Sotto-User
  std::string key{};              // field Authorization
  std::string idempotency_key{};  // of a single prediction
  std::size_t lines = 1000;       // of a bulk request
  std::size_t clients = 1;        // connections at the same time
};

// Latencies and statuses of the requests of a call.
class CallReport {
 public:
  void Add(double seconds, int status, std::size_t records);
  void Merge(const CallReport& other);
  void set_seconds(double seconds) { seconds_ = seconds; }
  bool all_good() const;

  Json ToJson() const;
  // A small table for people.
  std::string ToText() const;

 private:
  double Percentile(double fraction) const;  // milliseconds

  std::vector<double> latencies_;
  std::map<int, std::uint64_t> statuses_;
  std::uint64_t records_ = 0;
  double seconds_ = 0;
};

// Called with each response, in the order of the lines.
using OnAnswer = std::function<void(std::string_view)>;

// Sends each line of JSON as one request: a label if it starts with
// {"ticket", otherwise a prediction. Fails as HttpClient does.
Result<CallReport> CallEach(const CallOptions& options,
                            const std::vector<std::string>& lines,
                            const OnAnswer& on_answer);
// Sends them in bulk requests; a change from predictions to labels, or back,
// ends a request.
Result<CallReport> CallInBulk(const CallOptions& options,
                              const std::vector<std::string>& lines,
                              const OnAnswer& on_answer);

}  // namespace sotto
