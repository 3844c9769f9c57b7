#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "sotto/service/host_set.h"
#include "sotto/service/http/handler.h"

namespace sotto::api {

// Models and state of the process, for both listeners.
struct Service {
  HostSet& hosts;
  // Returns true once the process ends.
  std::function<bool()> draining = [] { return false; };
};

// The answer where no model of that name is known: 404, or 503 if there may be
// one.
http::Response NoModel(const HostSet& hosts, std::string_view name);

// Answers /healthz, /readyz, /openapi.json, hypotheses and values of counters.
// `details`: also names models and says what they wait for. Absent: another
// call.
std::optional<http::Response> AnswerShared(const Service& service,
                                           const http::Request& request,
                                           bool details);

}  // namespace sotto::api
