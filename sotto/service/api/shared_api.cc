#include "sotto/service/api/shared_api.h"

#include <string>
#include <utility>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/service/api/openapi.h"
#include "sotto/service/api/problem.h"
#include "sotto/service/api/route.h"

namespace sotto::api {
namespace {

using Parts = std::vector<std::string_view>;

Json DescribeModels(const HostSet& hosts) {
  Json models = Json::Object{};
  for (const Host* host : hosts.hosts()) {
    const Host::Condition condition = host->condition();
    Json state = Json::Object{{"state", Host::StateName(condition.state)}};
    if (condition.state == Host::State::kStarting) {
      state["replayed"] = condition.replayed;
    }
    if (!condition.reason.empty()) state["reason"] = condition.reason;
    models[host->name()] = state;
  }
  return models;
}

http::Response AnswerReady(const Service& service, bool details) {
  const bool draining = service.draining();
  const bool ready = !draining && service.hosts.ready();
  Json answer = Json::Object{{"ready", ready}};
  if (details) {
    answer["draining"] = draining;
    answer["models"] = DescribeModels(service.hosts);
  }
  return {.status = ready ? 200 : 503,
          .fields = {{"Cache-Control", "no-store"}},
          .body = answer.Dump()};
}

// The answer for a host that shows nothing: one that starts, or whose writer is
// not known, may show something later.
http::Response NothingShown(const Host& host) {
  const Host::State state = host.condition().state;
  const bool sure =
      state == Host::State::kReady || state == Host::State::kHalted;
  return sure ? NotFound() : NotReady();
}

http::Response AnswerHypothesis(const Service& service,
                                const http::Request& request,
                                std::string_view model) {
  const Host* host = service.hosts.Find(model);
  if (host == nullptr) return NoModel(service.hosts, model);
  auto published = host->Hypothesis();
  if (!published) return NothingShown(*host);
  return Document(request, std::move(published->json), published->version);
}

http::Response AnswerCounter(const Service& service, std::string_view counter) {
  const Host* host = service.hosts.Find(counter);
  if (host == nullptr) return NoModel(service.hosts, counter);
  auto estimate = host->Estimate();
  if (!estimate) return NothingShown(*host);
  return {.fields = {{"Cache-Control", "no-store"}},
          .body = *std::move(estimate)};
}

// The answer to a GET of that path, if it is one of these.
std::optional<http::Response> AnswerGet(const Service& service,
                                        const http::Request& request,
                                        const Parts& parts, bool details) {
  if (request.path == "/healthz") {
    return http::Response{.fields = {{"Cache-Control", "no-store"}},
                          .body = R"({"status":"ok"})"};
  }
  if (request.path == "/readyz") return AnswerReady(service, details);
  if (request.path == "/openapi.json") {
    return Document(request, std::string(OpenApiDocument()));
  }
  if (parts.size() == 4 && parts[0] == "v1" && parts[1] == "models" &&
      parts[3] == "hypothesis") {
    return AnswerHypothesis(service, request, parts[2]);
  }
  if (parts.size() == 3 && parts[0] == "v1" && parts[1] == "counters") {
    return AnswerCounter(service, parts[2]);
  }
  return std::nullopt;
}

}  // namespace

http::Response NoModel(const HostSet& hosts, std::string_view name) {
  return hosts.MayExist(name) ? NotReady() : NotFound();
}

std::optional<http::Response> AnswerShared(const Service& service,
                                           const http::Request& request,
                                           bool details) {
  auto answer = AnswerGet(service, request, SplitPath(request.path), details);
  if (answer && !IsGet(request)) return NotAllowed("GET, HEAD");
  return answer;
}

}  // namespace sotto::api
