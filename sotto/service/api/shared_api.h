#pragma once

#include <functional>
#include <optional>

#include "sotto/service/host_set.h"
#include "sotto/service/http/handler.h"

namespace sotto::api {

// Models and state of the process, for both listeners.
struct Service {
  HostSet& hosts;
  // Returns true once the process ends.
  std::function<bool()> draining = [] { return false; };
};

// Answers /healthz, /readyz, /openapi.json, hypotheses and values of counters.
// `details`: also names models and says what they wait for. Absent: another
// call.
std::optional<http::Response> AnswerShared(const Service& service,
                                           const http::Request& request,
                                           bool details);

}  // namespace sotto::api
