#pragma once

#include <functional>
#include <string>

#include "sotto/service/events/service_watch.h"
#include "sotto/service/host_set.h"
#include "sotto/service/http/server.h"
#include "sotto/service/metrics/request_meter.h"

namespace sotto {

// Where metrics come from. All must outlive the page.
struct MetricsSources {
  const HostSet& hosts;
  const RequestMeter& meter;
  const ServiceWatch& watch;
  std::function<http::Server::Counts()> connections;
  std::string version;
};

// All metrics of a service in Prometheus' text format: sums and states that the
// operator sees elsewhere too, by model and never by user.
std::string WriteMetrics(const MetricsSources& sources);

}  // namespace sotto
