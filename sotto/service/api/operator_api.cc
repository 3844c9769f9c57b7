#include "sotto/service/api/operator_api.h"

#include <algorithm>
#include <utility>

#include "sotto/service/api/problem.h"
#include "sotto/service/api/route.h"

namespace sotto::api {
namespace {

// Compares without a time that depends on where the texts differ.
bool SameSecret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  }
  return difference == 0;
}

// Returns true for the names by which this machine calls itself.
bool IsLocalHost(std::string_view host) {
  if (!host.ends_with(']')) host = host.substr(0, host.rfind(':'));
  return host == "localhost" || host == "[::1]" || host.starts_with("127.") ||
         host.empty();
}

http::Response Show(const Json& json, int status = 200) {
  return {.status = status,
          .fields = {{"Cache-Control", "no-store"}},
          .body = json.Dump()};
}

Result<Credential> ReadKey(const Json& json) {
  Credential made;
  for (const auto& [name, value] :
       json.object() != nullptr ? *json.object() : Json::Object{}) {
    const std::string* text = value.text();
    if (name == "name" && text != nullptr) {
      made.name = *text;
    } else if (name == "user" && text != nullptr) {
      made.user = *text;
    } else if (name == "rate" && value.number().value_or(-1) > 0) {
      made.rate = *value.number();
    } else if (name == "models" && value.array() != nullptr) {
      for (const Json& model : *value.array()) {
        if (model.text() == nullptr) {
          return InvalidArgument("\"models\" lists names");
        }
        made.models.push_back(*model.text());
      }
    } else {
      return InvalidArgument(
          "a key has \"name\", and if you like \"user\", \"models\" (a list of "
          "names) and \"rate\" (requests a second, above 0); '" +
          name + "' is none of them or of another type");
    }
  }
  return made;
}

}  // namespace

bool OperatorApi::Authorized(const http::Request& request) const {
  if (!options_.token.empty()) {
    return SameSecret(BearerToken(request), options_.token) ||
           SameSecret(BasicPassword(request), options_.token);
  }
  return IsLocalHost(request.Find("Host").value_or(""));
}

http::Decision OperatorApi::operator()(const http::Request& request) {
  const bool probe = request.path == "/healthz" || request.path == "/readyz";
  if (!probe && !Authorized(request)) {
    http::Response refusal =
        MakeProblem(401, "unauthorized",
                    "send Authorization: Bearer TOKEN of the operator");
    refusal.fields.emplace_back("WWW-Authenticate", "Bearer");
    // A browser asks its user: the token is the password of any name.
    refusal.fields.emplace_back("WWW-Authenticate", "Basic realm=\"Sotto\"");
    return refusal;
  }
  if (options_.pages) {
    if (auto page = options_.pages(request)) return *std::move(page);
  }
  if (auto answer = AnswerShared(service_, request, /*details=*/true)) {
    return *std::move(answer);
  }
  const auto parts = SplitPath(request.path);
  if (parts.size() < 2 || parts.size() > 3 || parts[0] != "v1") {
    return NotFound();
  }
  if (parts[1] == "models") return Models(request);
  if (parts[1] == "keys") return Keys(request);
  return NotFound();
}

http::Decision OperatorApi::Later(const http::Request& request, Answer answer) {
  // A page in a browser cannot send this type without asking first.
  if (request.method == "POST" && MediaType(request) != "application/json") {
    return MakeProblem(415, "media_type",
                       "send Content-Type: application/json");
  }
  return http::Accepted{
      .body_limit = options_.body,
      .finish = [this, answer = std::move(answer)](http::Body body,
                                                   http::Reply reply) {
        if (body.end != http::BodyEnd::kWhole) {
          const bool long_body = body.end == http::BodyEnd::kTooLong;
          return reply(http::Problem(long_body ? 413 : 400));
        }
        worker_.Add([answer, text = std::move(body.text),
                     reply = std::move(reply)] { reply(answer(text)); });
      }};
}

http::Decision OperatorApi::Models(const http::Request& request) {
  const auto parts = SplitPath(request.path);
  if (parts.size() == 3) {
    if (!IsGet(request)) return NotAllowed("GET, HEAD");
    return Later(request, [this, name = std::string(parts[2])](
                              const std::string&) { return ShowModel(name); });
  }
  if (IsGet(request)) {
    return Later(request, [this](const std::string&) { return ListModels(); });
  }
  if (request.method != "POST") return NotAllowed("GET, HEAD, POST");
  return Later(request,
               [this](const std::string& body) { return CreateModel(body); });
}

http::Decision OperatorApi::Keys(const http::Request& request) {
  const auto parts = SplitPath(request.path);
  if (parts.size() == 3) {
    if (request.method != "DELETE") return NotAllowed("DELETE");
    return Later(request, [this, name = std::string(parts[2])](
                              const std::string&) { return RemoveKey(name); });
  }
  if (IsGet(request)) {
    return Later(request, [this](const std::string&) {
      return Show(credentials_.List());
    });
  }
  if (request.method != "POST") return NotAllowed("GET, HEAD, POST");
  return Later(request,
               [this](const std::string& body) { return AddKey(body); });
}

http::Response OperatorApi::ListModels() const {
  Json models = Json::Array{};
  for (const Host* host : service_.hosts.hosts()) models.Add(host->Status());
  return Show(Json::Object{{"models", models},
                           {"populations", service_.hosts.Populations()}});
}

http::Response OperatorApi::ShowModel(const std::string& name) const {
  const Host* host = service_.hosts.Find(name);
  return host ? Show(host->Status()) : NoModel(service_.hosts, name);
}

http::Response OperatorApi::CreateModel(const std::string& body) const {
  const auto json = Json::Parse(body);
  if (!json) return ToResponse(json.error());
  const auto made = service_.hosts.Create(*json);
  if (!made) return ToResponse(made.error());
  const std::string name = (*made)->name();
  if (options_.on_created) options_.on_created(name);
  http::Response response = Show((*made)->Status(), 201);
  response.fields.emplace_back("Location", "/v1/models/" + name);
  return response;
}

http::Response OperatorApi::AddKey(const std::string& body) const {
  const auto json = Json::Parse(body);
  if (!json) return ToResponse(json.error());
  const auto wanted = ReadKey(*json);
  if (!wanted) return ToResponse(wanted.error());
  const auto secret = credentials_.Add(*wanted);
  if (!secret) return ToResponse(secret.error());
  return Show(Json::Object{{"name", wanted->name}, {"key", *secret}}, 201);
}

http::Response OperatorApi::RemoveKey(const std::string& name) const {
  const Status removed = credentials_.Remove(name);
  if (removed) return {.status = 204, .type = ""};
  const bool missing = removed.error().code == ErrorCode::kInvalidArgument;
  return missing ? NotFound() : ToResponse(removed.error());
}

}  // namespace sotto::api
