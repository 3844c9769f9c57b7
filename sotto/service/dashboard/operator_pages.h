#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "sotto/service/api/worker.h"
#include "sotto/service/dashboard/metrics_page.h"
#include "sotto/service/events/service_watch.h"
#include "sotto/service/http/handler.h"

namespace sotto {

// Pages of an operator beside the calls of OperatorApi: the dashboard at "/",
// its files below /dashboard/, its stream of events at /v1/events, and
// /metrics for Prometheus. Pages have a strict policy: nothing inline, nothing
// from elsewhere, in no frame.
//
// Threads: the server's; metrics are gathered on one thread beside it.
class OperatorPages {
 public:
  // All must outlive it.
  OperatorPages(ServiceWatch& watch, MetricsSources metrics);

  // Absent: another path. The caller has checked who asks.
  std::optional<http::Decision> operator()(const http::Request& request);

 private:
  http::Response ShowFile(const http::Request& request,
                          std::size_t asset) const;
  http::Response OpenEvents(const http::Request& request) const;
  http::Decision ShowMetrics();

  ServiceWatch& watch_;
  MetricsSources metrics_;
  std::map<std::string, std::size_t, std::less<>> files_;  // by path
  std::vector<std::string> tags_;                          // of each
  api::Worker worker_;
};

}  // namespace sotto
