#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/service/metrics/request_meter.h"

namespace sotto {

// Writes metrics in Prometheus' text format, version 0.0.4.
//
//   MetricsText text;
//   text.Begin("sotto_rounds_total", "counter", "Rounds played.");
//   text.Add({{"model", "life"}}, 17);
//   text.text();
//
// Threads: not thread-safe.
class MetricsText {
 public:
  using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

  // Starts a family; `type` is "counter", "gauge" or "histogram".
  void Begin(std::string_view name, std::string_view type,
             std::string_view help);
  // A sample of the family that was begun last.
  void Add(const Labels& labels, double value) { Add("", labels, value); }
  void AddHistogram(const Labels& labels, const LatencyCounts& counts);

  const std::string& text() const { return text_; }

 private:
  void Add(std::string_view suffix, const Labels& labels, double value);

  std::string family_;
  std::string text_;
};

}  // namespace sotto
